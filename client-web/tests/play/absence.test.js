// What players do when the other one does not play: they call a game off, and claim one that was
// left.

import assert from "node:assert/strict";
import test, { after } from "node:test";
import { newPage, picture } from "../browser.js";
import { chromium } from "../chromium.js";
import { Server } from "../programs.js";
import { deploy, meet } from "../robot.js";

/** @typedef {import("playwright-core").Page} Page */

// One lets players claim soon, the other one not while a test runs.
const [soon, late] = [new Server({ flags: ["--claim-seconds", "1"] }), new Server({ flags: ["--claim-seconds", "3600"] })];
await Promise.all([soon.start(), late.start()]);
after(() => Promise.all([soon.end(), late.end()]));

const open = () => newPage(chromium, { reducedMotion: "reduce" });

/** Two players in a game that both have deployed in; the first plays Red. @param {Server} server */
async function pair({ url }) {
  const [ann, bob] = await Promise.all([open(), open()]);
  await meet(ann.page, bob.page, url, "barrage", { side: "red" });
  for (const { page } of [ann, bob]) await deploy(page);
  await Promise.all([ann, bob].map(({ page }) => page.locator(".phase-playing").waitFor()));
  return { ann, bob };
}

/** @param {Page} page @param {string} text */
const status = (page, text) => page.locator("#status").filter({ hasText: text }).waitFor();

test("a game that was left is claimed, as a win or as a draw; what was said before stays", async () => {
  for (const [claim, end] of /** @type {const} */ ([["Claim the win", "Red wins: Blue abandoned the game."], ["Claim a draw", "A draw: one side left, and the other claimed a draw."]])) {
    const { ann, bob } = await pair(soon);
    await bob.page.getByRole("tab", { name: "Chat" }).click();
    await bob.page.getByRole("button", { name: "Good luck, have fun!" }).click();
    await ann.page.getByRole("tab", { name: /Chat ?1 new message/ }).waitFor();
    await ann.page.getByRole("tab", { name: /Chat/ }).click();
    await ann.page.locator(".said").getByText("Good luck, have fun!").waitFor();
    assert.deepEqual(bob.faults, []);
    await bob.context.close();
    await ann.page.getByRole("button", { name: claim }).waitFor();
    await picture(ann.page, "absence-claim");
    await ann.page.getByRole("button", { name: claim }).click();
    await status(ann.page, end);
    assert.equal(await ann.page.locator(".said").getByText("Good luck, have fun!").count(), 1);
    assert.deepEqual(ann.faults, []);
    await ann.context.close();
  }
});

test("beside the clock stands when a game can be claimed, until the player is back", async () => {
  const { ann, bob } = await pair(late);
  const address = bob.page.url();
  const countdown = ann.page.locator(".strip-blue").getByText(/claim in \d+:\d\d/);
  const height = () => ann.page.locator(".strip-blue").evaluate((strip) => strip.getBoundingClientRect().height);
  const before = await height();
  await bob.page.goto("about:blank");
  await countdown.waitFor();
  assert.equal(await height(), before, "what stands beside the board does not move");
  await picture(ann.page, "absence-countdown");
  await bob.page.goto(address);
  await bob.page.locator(".piece").first().waitFor();
  await countdown.waitFor({ state: "detached" });
  assert.equal(await ann.page.getByRole("button", { name: "Claim the win" }).count(), 0);
  for (const { faults, context } of [ann, bob]) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test("a game that is called off says by whom, on both sides and after a reload", async () => {
  const { ann, bob } = await pair(soon);
  await ann.page.getByRole("button", { name: "Call off" }).click();
  await ann.page.getByRole("dialog").getByRole("button", { name: "Call off" }).click();
  for (const { page } of [ann, bob]) await status(page, "The game was aborted: Red called it off.");
  await bob.page.reload();
  await status(bob.page, "The game was aborted: Red called it off.");
  assert.equal(await bob.page.getByRole("link", { name: "Replay" }).count(), 0, "nothing was played");
  for (const { faults, context } of [ann, bob]) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});
