// Looking on: live games as boards over one line, without a session, at most once a second.

import assert from "node:assert/strict";
import test from "node:test";
import { newPage, picture } from "../browser.js";
import { chance } from "../games.js";
import { againstHouse, deploy, playOn, resign } from "../robot.js";
import { chromium, server } from "../site.js";

/** @typedef {import("playwright-core").Page} Page */

/** @param {import("playwright-core").BrowserContextOptions} [options] */
const open = (options) => newPage(chromium, { reducedMotion: "reduce", ...options });

/** Starts a game as Red against the house. @param {Page} page @param {string} ruleset @param {number} acts */
async function play(page, ruleset, acts) {
  await againstHouse(page, server.url, ruleset);
  await deploy(page);
  await page.locator(".your-turn").waitFor();
  await playOn(page, chance(5), acts);
}

/** Waits until two boards show as many pieces: one of them is drawn later. @param {Page} a @param {Page} b */
async function waitForSame(a, b) {
  const count = (/** @type {Page} */ page) => page.locator(".pieces .piece").count();
  for (let tries = 0; tries < 60 && await count(a) !== await count(b); tries++) await a.waitForTimeout(100);
  assert.equal(await count(a), await count(b));
}

test("strangers look on at live games, and at those that ended last", async () => {
  const [eve, ann, bob] = await Promise.all([open(), open(), open()]);
  await eve.page.goto(`${server.url}/watch`);
  await eve.page.getByText("Nobody is playing right now, and no game has ended recently.").waitFor();
  await play(ann.page, "classic", 4);
  await eve.page.locator(".watch-large .piece").first().waitFor();
  await ann.page.locator(".your-turn").waitFor();
  await waitForSame(eve.page, ann.page);
  assert.equal(await eve.page.locator(".who span").count(), 0, "watching does not make a guest");

  // However fast the players are, the board is drawn at most once a second.
  await eve.page.evaluate(() => {
    const drawn = /** @type {number[]} */ (/** @type {any} */ (window).drawn = []);
    new MutationObserver(() => drawn.push(performance.now()))
      .observe(/** @type {Node} */ (document.querySelector(".watch-large .pieces")), { childList: true });
  });
  await playOn(ann.page, chance(7), 8);
  await eve.page.waitForTimeout(1_500);
  const drawn = /** @type {number[]} */ (await eve.page.evaluate(() => /** @type {any} */ (window).drawn));
  assert.ok(drawn.length >= 2, `${drawn.length} drawn`);
  for (const [index, at] of drawn.entries()) assert.ok(index === 0 || at - (drawn[index - 1] ?? 0) > 900, `${drawn}`);
  await ann.page.locator(".your-turn").waitFor();
  await waitForSame(eve.page, ann.page);

  // A second game is a small board, which can be made large.
  await play(bob.page, "barrage", 2);
  const small = eve.page.locator(".small-game button");
  await small.waitFor();
  await eve.page.getByRole("img", { name: /– random, ply \d/ }).waitFor();
  await picture(eve.page, "watch");
  await small.click();
  await eve.page.locator(".watch-large").getByText("Barrage").waitFor();
  await eve.page.locator(".small-game").getByText("Classic").waitFor();

  // Players keep their seats, and do not look on at their own games.
  await bob.page.goto(`${server.url}/watch`);
  await bob.page.locator(".watch-large").getByText("Classic").waitFor();
  assert.equal(await bob.page.locator(".small-game").count(), 0);
  await bob.page.goBack();
  await bob.page.locator(".your-turn").waitFor();

  await resign(bob.page);
  await eve.page.locator(".watch-large").getByText("Blue wins: Red resigned.").waitFor();
  await eve.page.locator(".watch-large").getByRole("link", { name: "Replay" }).waitFor();
  await eve.page.locator(".watch-large").getByText("Classic").waitFor();
  await resign(ann.page);
  await eve.page.getByText("look at the latest finished games").waitFor();
  await eve.page.getByText("Blue wins: Red resigned.").first().waitFor();
  await picture(eve.page, "watch-finished");
  await eve.page.getByRole("link", { name: "Replay" }).first().click();
  await eve.page.waitForURL(/\/replay\//);
  await eve.page.locator(".replay .square").first().waitFor();
  for (const { faults, context } of [eve, ann, bob]) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test("home leads to the live games, and many fit in three sizes", async () => {
  const players = [];
  for (const ruleset of ["classic", "barrage", "shadowflash-2", "pbm-small", "tournament"]) {
    const player = await open();
    await play(player.page, ruleset, 2);
    players.push(player);
  }
  for (const [size, viewport] of /** @type {const} */ ([
    ["phone", { width: 360, height: 740 }], ["tablet", { width: 820, height: 1180 }], ["desktop", { width: 1440, height: 900 }],
  ])) {
    const eve = await open({ viewport });
    await eve.page.goto(server.url);
    await eve.page.getByRole("link", { name: "All live games" }).click();
    await eve.page.locator(".small-game button").nth(3).waitFor();
    await eve.page.locator(".watch-large .piece").first().waitFor();
    await picture(eve.page, `watch-${size}`);
    if (size !== "desktop") {
      await eve.page.locator(".small-games").scrollIntoViewIfNeeded();
      await picture(eve.page, `watch-small-${size}`);
    }
    const nodes = await eve.page.evaluate(() => document.querySelectorAll("*").length);
    assert.ok(nodes <= 1_500, `${nodes} nodes`);
    assert.deepEqual(eve.faults, []);
    await eve.context.close();
  }
  for (const { faults, context } of players) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});
