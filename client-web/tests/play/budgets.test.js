// What a first visit costs, and that nothing jumps while it loads.

import assert from "node:assert/strict";
import test from "node:test";
import { brotliCompressSync } from "node:zlib";
import { newPage } from "../browser.js";
import { deploy, playOn } from "../robot.js";
import { chance } from "../games.js";
import { chromium, front } from "../site.js";

/** Counts what a page loads. @param {import("playwright-core").Page} page */
function count(page) {
  /** @type {{ requests: number, bytes: number, waiting: Promise<void>[] }} */
  const total = { requests: 0, bytes: 0, waiting: [] };
  page.on("response", (response) => {
    total.requests++;
    total.waiting.push(response.body().then((body) => {
      total.bytes += brotliCompressSync(body).length;
    }, () => undefined));
  });
  return total;
}

/** @param {import("playwright-core").Page} page */
const shift = (page) => page.evaluate(() => new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, entry) => sum + /** @type {any} */ (entry).value, 0)))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve(0), 300);
}));

/** @param {import("playwright-core").Page} page */
async function resign(page) {
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await page.locator(".phase-over").waitFor();
}

test("a first visit is small, and nothing jumps", async (t) => {
  const { page, context } = await newPage(chromium);
  const total = count(page);
  await page.goto(front.url);
  await page.getByText("Nobody plays right now.").waitFor();
  await Promise.all(total.waiting);
  t.diagnostic(`home: ${total.requests} requests, ${(total.bytes / 1024).toFixed(1)} KB`);
  assert.ok(total.requests <= 30, `${total.requests} requests`);
  assert.ok(total.bytes <= 60 * 1024, `${total.bytes} bytes`);
  assert.ok(Number(await shift(page)) < 0.01, `home shifts by ${await shift(page)}`);
  await page.getByRole("button", { name: /Against the house/ }).click();
  await deploy(page);
  await page.locator(".phase-playing").waitFor();
  const address = page.url();
  const fresh = await newPage(chromium);
  const game = count(fresh.page);
  await fresh.page.goto(address);
  await fresh.page.locator(".piece").first().waitFor();
  await Promise.all(game.waiting);
  t.diagnostic(`game: ${game.requests} requests, ${(game.bytes / 1024).toFixed(1)} KB`);
  assert.ok(game.requests <= 30, `${game.requests} requests`);
  assert.ok(game.bytes <= 100 * 1024, `${game.bytes} bytes`);
  assert.ok(Number(await shift(fresh.page)) < 0.01, `game shifts by ${await shift(fresh.page)}`);
  await fresh.context.close();
  await resign(page);
  await context.close();
});

test("a first visit to a live game and to a record is small, and nothing jumps", async (t) => {
  const { page, context } = await newPage(chromium, { reducedMotion: "reduce" });
  await page.goto(front.url);
  await page.getByRole("button", { name: /Against the house/ }).click();
  await deploy(page);
  await page.locator(".phase-playing").waitFor();
  await playOn(page, chance(3), 3);
  /** @param {string} name @param {string} path @param {string} sign */
  const visit = async (name, path, sign) => {
    const fresh = await newPage(chromium);
    const total = count(fresh.page);
    await fresh.page.goto(front.url + path);
    await fresh.page.locator(sign).first().waitFor();
    await fresh.page.waitForTimeout(500);
    await Promise.all(total.waiting);
    t.diagnostic(`${name}: ${total.requests} requests, ${(total.bytes / 1024).toFixed(1)} KB`);
    assert.ok(total.requests <= 30, `${name}: ${total.requests} requests`);
    assert.ok(total.bytes <= 150 * 1024, `${name}: ${total.bytes} bytes`);
    assert.ok(Number(await shift(fresh.page)) < 0.01, `${name} shifts by ${await shift(fresh.page)}`);
    await fresh.context.close();
  };
  await visit("watch", "/watch", ".watch-large .piece");
  const id = /\/game\/(\w+)/.exec(page.url())?.[1];
  await visit("replay of a running game", `/replay/${id}`, ".replay .piece");
  await resign(page);
  await visit("replay", `/replay/${id}?ply=end`, ".replay .piece");
  await visit("watch, nobody there", "/watch", ".list li");
  await context.close();
});

/**
 * Pages besides the first one and the game, a heading that they show, and their requests if they
 * have more than the 30 they may have until modules that load together are joined.
 * @type {[string, string, number?][]}
 */
const PAGES = [
  ["/play", "Start a game"],
  ["/rules", "Quantum"],
  ["/rules/shadowflash-3", "The end"],
  ["/leaderboard", "Not enough rated games yet"],
  ["/games", "No game is running"],
  ["/account", "Sign up"],
  ["/statistics", "Statistics need an account"],
  ["/deployments", "Nothing is saved yet"],
  ["/deployments/classic", "New deployment"],
];

test("a first visit of any other page is small, and nothing jumps", async (t) => {
  for (const [path, heading, most = 30] of PAGES) {
    const { page, context } = await newPage(chromium);
    const total = count(page);
    await page.goto(front.url + path);
    await page.getByRole("heading", { name: heading }).first().waitFor();
    await page.waitForLoadState("networkidle");
    await Promise.all(total.waiting);
    t.diagnostic(`${path}: ${total.requests} requests, ${(total.bytes / 1024).toFixed(1)} KB`);
    assert.ok(total.requests <= most, `${path}: ${total.requests} requests`);
    assert.ok(total.bytes <= 150 * 1024, `${path}: ${total.bytes} bytes`);
    assert.ok(Number(await shift(page)) < 0.01, `${path} shifts by ${await shift(page)}`);
    await context.close();
  }
});

test("the largest board stays below its number of nodes while it is played", async () => {
  const { page, faults, context } = await newPage(chromium, { reducedMotion: "reduce" });
  await page.goto(`${front.url}/play`);
  await page.getByLabel("Rules").selectOption("shadowflash-3");
  await page.getByLabel("Level").selectOption("random");
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await deploy(page);
  await page.locator(".phase-playing").waitFor();
  await playOn(page, chance(1), 8);
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
  assert.ok(nodes <= 1_500, `${nodes} nodes`);
  assert.deepEqual(faults, []);
  await context.close();
});
