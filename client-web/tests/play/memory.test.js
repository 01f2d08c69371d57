// What long games cost: heap, nodes and layout shifts. The page is fed with messages.

import assert from "node:assert/strict";
import test from "node:test";
import { feedPage, welcome } from "../fed.js";
import { chromium, rules, rulesOf, server } from "../fed_site.js";
import { playLong } from "../pairs.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("../../page/game/rules.js").Rules} Rules */
/** @typedef {import("../../types/messages").ServerMessage} ServerMessage */

const MEGABYTE = 1024 * 1024;
const isLong = process.env.FLAGFALL_LONG === "1";

/** Feeds messages without looking at what they do. @param {Page} page @param {ServerMessage[]} messages */
async function feedAll(page, messages) {
  for (let at = 0; at < messages.length; at += 50) {
    await page.evaluate(async (some) => {
      const { fed } = /** @type {any} */ (window);
      for (let n = 0; n < some.length; n++) {
        fed.hear(some[n]);
        // Several plies are drawn at once, to save time.
        if (n % 10 === 0) await fed.run(20);
      }
      await fed.run(20);
      await fed.draw();
    }, messages.slice(at, at + 50));
  }
}

/** Waits until the page of a new game listens. @param {Page} page */
function opened(page) {
  return page.evaluate(async () => {
    const { fed } = /** @type {any} */ (window);
    for (let times = 0; times < 10; times++) {
      await fed.draw();
      await fed.run(50);
    }
  });
}

/** What is in use after garbage has been collected. @param {Page} page */
async function used(page) {
  const session = await page.context().newCDPSession(page);
  for (let times = 0; times < 3; times++) await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  const { nodes } = await session.send("Memory.getDOMCounters");
  await session.detach();
  return { heap: usedSize / MEGABYTE, nodes };
}

/** @param {Page} page */
const shift = (page) => page.evaluate(() => new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, entry) => sum + /** @type {any} */ (entry).value, 0)))
    .observe({ type: "layout-shift", buffered: true });
  void /** @type {any} */ (window).fed.run(500).then(() => resolve(0));
}));

for (const id of isLong ? ["classic", "shadowflash-1", "shadowflash-3"] : ["shadowflash-3"]) {
  test(`${id}: 1,000 plies stay within heap and nodes, and nothing jumps`, async (t) => {
    const messages = await playLong(rulesOf(id), { seed: 2, plies: 1_000 });
    const { page, faults, context, hear } = await feedPage(chromium, {
      url: server.url, rules, isQuiet: true, settings: {}, options: { reducedMotion: "reduce" },
    });
    await hear(welcome("red"));
    await feedAll(page, messages.slice(0, 4));
    const begin = Number(await shift(page));
    await feedAll(page, messages.slice(4));
    await page.locator(".phase-over").waitFor();
    const { heap } = await used(page);
    const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
    const plies = messages.filter((message) => message.type === "event" && message.event.kind === "moved").length;
    t.diagnostic(`${plies} plies: ${heap.toFixed(1)} MB, ${nodes} nodes`);
    assert.ok(plies >= 1_000, `${plies} plies`);
    assert.ok(heap <= 15, `${heap} MB`);
    assert.ok(nodes <= 1_500, `${nodes} nodes`);
    assert.ok(Number(await shift(page)) - begin < 0.01, `shifts by ${await shift(page)}`);
    assert.deepEqual(faults, []);
    await context.close();
  });
}

test("games that are over leave nothing behind", async (t) => {
  const games = await Promise.all(Array.from({ length: 3 }, (_, n) =>
    playLong(rulesOf("barrage"), { seed: n, plies: 60, id: `manygames0${n}0` })));
  const { page, faults, context, hear } = await feedPage(chromium, {
    url: server.url, rules, isQuiet: true, settings: {}, options: { reducedMotion: "reduce" },
  });
  await hear(welcome("red"));
  /** @type {{ heap: number, nodes: number }[]} */
  const sizes = [];
  for (let n = 0; n < 13; n++) {
    const id = `manygames0${String(n).padStart(2, "0")}`;
    const renamed = /** @type {ServerMessage[]} */ (JSON.parse(JSON.stringify(games[n % 3]).replaceAll(`manygames0${n % 3}0`, id)));
    const first = /** @type {ServerMessage & { type: "game" }} */ (renamed[0]);
    await hear({ type: "game_started", game: first.game, side: "red" }, 50);
    await opened(page);
    await feedAll(page, renamed);
    await page.locator(".phase-over").waitFor();
    sizes.push(await used(page));
  }
  t.diagnostic(sizes.map(({ heap, nodes }) => `${heap.toFixed(2)} MB, ${nodes} nodes`).join("; "));
  // The first games fill what is kept on purpose, such as the pictures of pieces.
  const [begin, end] = [/** @type {{ heap: number, nodes: number }} */ (sizes[2]), /** @type {{ heap: number, nodes: number }} */ (sizes[12])];
  assert.ok(end.heap - begin.heap <= 0.5, `${end.heap - begin.heap} MB in ten games`);
  assert.ok(end.nodes - begin.nodes <= 200, `${end.nodes - begin.nodes} nodes in ten games`);
  assert.deepEqual(faults, []);
  await context.close();
});
