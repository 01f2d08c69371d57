// Tabs that the browser freezes while the game goes on, and two tabs of one player.

import assert from "node:assert/strict";
import test from "node:test";
import { launch, newPage } from "../browser.js";
import { chance } from "../games.js";
import { Player, occupied, playTurns, seedPage } from "../player.js";
import { network } from "../programs.js";
import { isOver, meet } from "../robot.js";
import { chromium, server } from "../site.js";

/** @typedef {import("playwright-core").Page} Page */

const SUPERSEDED = "You are playing this game in another tab.";

/** @param {import("playwright-core").Browser} browser @param {number} seed */
async function open(browser, seed) {
  const opened = await newPage(browser, { reducedMotion: "reduce" });
  await seedPage(opened.context, seed);
  return opened;
}

/**
 * Stops the processes of a browser's tabs, as a system does that needs its memory. Comes back with
 * what lets them go on.
 * @param {import("playwright-core").Browser} browser
 */
async function freeze(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const tabs = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  assert.ok(tabs.length > 0);
  tabs.forEach((id) => process.kill(id, "SIGSTOP"));
  return () => tabs.forEach((id) => process.kill(id, "SIGCONT"));
}

/** Waits until a page shows the same pieces as another one. @param {Page} page @param {Page} other */
async function inStep(page, other) {
  const wanted = (await occupied(other)).join();
  while ((await occupied(page)).join() !== wanted) await page.waitForTimeout(10);
}

/** Waits until it is this player's turn. @param {Player} player */
const turnOf = (player) => player.page.locator(".status.your-turn").waitFor();

test("a frozen tab comes back in step: after a move, after its line was cut, and after another tab has played", async (t) => {
  // What is frozen has browsers of its own.
  const [other, third] = await Promise.all([launch(), launch()]);
  t.after(() => Promise.all([other, third].map((browser) => browser.close())));
  const [ann, bob, eve] = await Promise.all([open(chromium, 1), open(other, 2), open(third, 3)]);
  const between = await network(server);
  t.after(() => between.close());
  await meet(ann.page, bob.page, between.url, "classic", { side: "red" });
  const address = ann.page.url();
  const red = new Player(ann.page, "pointer", chance(1));
  const blue = new Player(bob.page, "pointer", chance(2));
  for (const player of [red, blue]) await player.deploy();
  const cookies = await bob.context.cookies();
  await turnOf(red);
  await eve.page.goto(address);
  await eve.page.locator(".piece").first().waitFor();
  const thawEve = await freeze(third);

  // The opponent moves and says something.
  let thaw = await freeze(other);
  await red.turn();
  await ann.page.getByRole("tab", { name: "Chat" }).click();
  await ann.page.getByRole("button", { name: "Good luck" }).click();
  await ann.page.locator(".said li").waitFor();
  await ann.page.getByRole("tab", { name: "Moves" }).click();
  thaw();
  await turnOf(blue);
  await inStep(bob.page, ann.page);
  await bob.page.getByRole("img", { name: "1 new message" }).first().waitFor();
  await blue.turn();

  // The line is lost while the tab is frozen.
  await turnOf(red);
  thaw = await freeze(other);
  between.cut();
  await turnOf(red);
  await red.turn();
  thaw();
  await turnOf(blue);
  await inStep(bob.page, ann.page);
  await blue.turn();

  // The game goes on in another tab of the same player. The one that was frozen, however long,
  // does not take it back by itself.
  await turnOf(red);
  const again = await newPage(chromium, { reducedMotion: "reduce" });
  await again.context.addCookies(cookies);
  const second = again.page;
  await second.goto(address);
  const blueToo = new Player(second, "pointer", chance(3));
  await bob.page.locator(".bar").getByText(SUPERSEDED).waitFor();
  thaw = await freeze(other);
  await playTurns([red, blueToo], 6);
  between.cut();
  await turnOf(red);
  await red.turn();
  await turnOf(blueToo);
  thaw();
  await bob.page.locator(".bar").getByText(SUPERSEDED).waitFor();
  assert.equal(await bob.page.locator(".square.liftable").count(), 0, "nothing can be moved here");
  await blueToo.turn();
  await turnOf(red);
  await red.turn();
  await bob.page.getByRole("button", { name: "Play here" }).click();
  await second.locator(".bar").getByText(SUPERSEDED).waitFor();
  await turnOf(blue);
  await inStep(bob.page, ann.page);
  await blue.turn();
  await turnOf(red);
  await inStep(second, ann.page);

  // The onlooker has missed everything but the beginning.
  thawEve();
  await inStep(eve.page, ann.page);
  assert.equal(await isOver(ann.page), false);
  await red.resign();
  await Promise.all([bob.page, second, eve.page].map((page) => page.locator(".phase-over").waitFor()));
  for (const { faults, context } of [ann, bob, again, eve]) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});
