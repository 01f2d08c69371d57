// A whole game between two browsers while a third looks on, and a game through a crash of the server.

import assert from "node:assert/strict";
import test from "node:test";
import { newPage, picture } from "../browser.js";
import { chance } from "../games.js";
import { againstHouse, deploy, idOf, isOver, meet, playMoves, resign } from "../robot.js";
import { chromium, server } from "../site.js";

/** @typedef {import("playwright-core").Page} Page */

/** @param {import("playwright-core").BrowserContextOptions} [options] */
const open = (options) => newPage(chromium, { reducedMotion: "reduce", ...options });

/** The sides of the moves in a game's record, in order. @param {string} id @returns {Promise<("red" | "blue")[]>} */
async function movesOf(id) {
  const record = /** @type {import("../../types/messages").GameRecord} */ (await (await fetch(`${server.url}/api/games/${id}/record?as=public`)).json());
  return record.events.flatMap(({ event }) => (event.kind === "moved" ? [event.side] : []));
}

test("a stranger is in a game with two clicks, and loses no move in a crash of the server", async () => {
  const { page, faults, context } = await open();
  const random = chance(3);
  const player = { page, way: /** @type {const} */ ("pointer") };
  await page.goto(server.url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await picture(page, "home");
  const id = await againstHouse(page, server.url, "barrage", "simple");
  await deploy(page);
  let moves = await playMoves([player], random, 6);
  await server.kill();
  await page.locator(".bar").getByText("Reconnecting…").waitFor();
  await picture(page, "game-reconnecting");
  await server.start();
  await page.locator(".bar").getByText("Reconnecting…").waitFor({ state: "detached" });
  moves += await playMoves([player], random, 6);
  if (!await isOver(page)) await resign(page);
  await page.getByText(/(Red|Blue) wins|A draw/).first().waitFor();
  await page.getByRole("button", { name: "Rematch" }).waitFor();
  await picture(page, "game-over");
  assert.equal((await movesOf(id)).filter((side) => side === "red").length, moves, "every move was made once");
  assert.equal(await page.evaluate(() => document.cookie), "", "no script sees the session");
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), []);
  assert.deepEqual(faults, []);
  await context.close();
});

test("two friends play a whole game, one by keys, while a third looks on", async (t) => {
  const [ann, bob, eve] = await Promise.all([open(), open(), open({ viewport: { width: 390, height: 780 } })]);
  await meet(ann.page, bob.page, server.url, "barrage");
  const id = idOf(ann.page);
  await Promise.all([ann, bob].map(({ page }) => deploy(page)));
  await Promise.all([ann, bob].map(({ page }) => page.locator(".phase-playing").waitFor()));
  await eve.page.goto(ann.page.url());
  await eve.page.locator(".piece").first().waitFor();
  const moves = await playMoves([{ page: ann.page, way: "keys" }, { page: bob.page, way: "pointer" }], chance(8), 600);
  t.diagnostic(`${moves} moves`);
  await Promise.all([ann, bob, eve].map(({ page }) => page.getByText(/(Red|Blue) wins|A draw/).first().waitFor()));
  const sides = await movesOf(id);
  assert.equal(sides.length, moves, "every move was made once");
  assert.ok(sides.every((side, ply) => side === (ply % 2 === 0 ? "red" : "blue")));
  assert.equal(await eve.page.getByRole("tab", { name: "Chat" }).count(), 0, "a spectator has no chat");
  await picture(eve.page, "game-spectator-phone");

  // What people say stays text, even if it looks like markup.
  await bob.page.getByRole("tab", { name: "Chat" }).click();
  await bob.page.getByLabel("Say something").fill("<img src=x onerror=alert(1)> http://example.org");
  await bob.page.getByRole("button", { name: "Send" }).click();
  await ann.page.getByRole("tab", { name: "Chat" }).click();
  await ann.page.getByText("<img src=x onerror=alert(1)> http://example.org").waitFor();
  assert.equal(await ann.page.locator("img, .said a").count(), 0);
  for (const { faults, context } of [ann, bob, eve]) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});
