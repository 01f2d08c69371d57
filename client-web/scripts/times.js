// Prints how long the page takes, beside an empty page in the same browser: first visits, a tap,
// an event, frames. It judges nothing: times depend on the machine and on what else runs on it.
//
//     FLAGFALL_TARGET=… node scripts/times.js

import { launch, newPage, slowDown } from "../tests/browser.js";
import { listedRules } from "../tests/games.js";
import { GAME, gameMessage, playLong, player } from "../tests/pairs.js";
import { Server } from "../tests/programs.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("../types/messages").ServerMessage} ServerMessage */

const rules = await listedRules();
const server = new Server({ page: "program" });
await server.start();
const chromium = await launch();

/** A page of a slow phone. @param {(page: Page) => Promise<void>} act */
async function slowly(act) {
  const { page, context } = await newPage(chromium);
  await slowDown(page);
  await page.route("**/empty", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>empty</title><p>empty" }));
  await act(page);
  await context.close();
}

/** The largest paint of a page that is loaded, in milliseconds. @param {Page} page @param {string} address */
async function largestPaint(page, address) {
  await page.goto(server.url + address);
  await page.waitForTimeout(1_500);
  return page.evaluate(() => new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(Math.round(list.getEntries().at(-1)?.startTime ?? 0)))
      .observe({ type: "largest-contentful-paint", buffered: true });
    setTimeout(() => resolve(0), 500);
  }));
}

/** @param {string} what @param {unknown} value */
const print = (what, value) => console.log(`${what.padEnd(46)}${value}`);

for (const [name, path] of [["an empty page", "/empty"], ["home", "/"], ["form", "/play"]]) {
  await slowly(async (page) => {
    const first = await largestPaint(page, path ?? "/");
    const second = await largestPaint(page, path ?? "/");
    print(`largest paint, ${name}: first visit, second`, `${first} ms, ${second} ms`);
  });
}

/** A socket that the test speaks through. */
function fakeSocket() {
  /** @type {any} */
  const given = window;
  given.WebSocket = class {
    static OPEN = 1;
    readyState = 1;
    constructor() {
      given.socket = this;
    }
    send() {}
    close() {}
  };
}

await slowly(async (page) => {
  const shadowflash = /** @type {import("../page/game/rules.js").Rules} */ (rules.find(({ id }) => id === "shadowflash-3"));
  const messages = await playLong(shadowflash, { seed: 1, plies: 60 });
  await page.addInitScript(fakeSocket);
  await page.goto(`${server.url}/game/${GAME}`);
  await page.locator(".table").waitFor();
  /** @param {object[]} some @returns {Promise<number[]>} Milliseconds until the picture of each. */
  const feed = (some) => page.evaluate(async (some) => {
    const { socket } = /** @type {any} */ (window);
    const picture = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const times = [];
    for (const message of some) {
      await picture();
      const begin = performance.now();
      socket.onmessage({ data: JSON.stringify(message) });
      await picture();
      times.push(performance.now() - begin);
    }
    return times;
  }, some);
  await page.evaluate(() => /** @type {any} */ (window).socket.onopen());
  await feed([{ type: "welcome", protocol: 1, server: "", server_time: Date.now(), games: [], player: player("red") }]);
  await page.waitForTimeout(300);
  await feed(messages.slice(0, 4));
  const events = await feed(messages.slice(4, 44));
  print("16x10, an event to its picture: median, 95 %", `${percentile(events, 50)} ms, ${percentile(events, 95)} ms`);

  const view = /** @type {import("../types/messages").GameView} */ (JSON.parse(JSON.stringify(/** @type {any} */ (messages[0]).view)));
  const started = /** @type {any} */ (messages.find((message) => message.type === "event" && message.event.kind === "started"));
  Object.assign(view, { phase: "playing", turn: "red", pieces: started?.change.pieces ?? [], ready: { red: true, blue: true } });
  await feed([gameMessage(view, 1_000)]);
  const taps = await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const times = [];
    const cells = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".square.liftable")]).slice(0, 20);
    for (const cell of cells) {
      await frame();
      const begin = performance.now();
      cell.focus();
      cell.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
      await frame();
      times.push(performance.now() - begin);
    }
    return times;
  });
  print("16x10, a key to its picture: median, 95 %", `${percentile(taps, 50)} ms, ${percentile(taps, 95)} ms`);

  const frames = page.evaluate(() => new Promise((resolve) => {
    /** @type {number[]} */
    const gaps = [];
    let last = performance.now();
    const next = () => {
      const now = performance.now();
      gaps.push(now - last);
      last = now;
      if (gaps.length < 60) requestAnimationFrame(next);
      else resolve(gaps);
    };
    requestAnimationFrame(next);
  }));
  const box = await page.locator(".square.liftable").first().boundingBox();
  if (box) {
    await page.mouse.move(box.x + 5, box.y + 5);
    await page.mouse.down();
    for (let n = 0; n < 30; n++) await page.mouse.move(box.x + 5 + n * 6, box.y + 5 - n * 4);
    await page.mouse.up();
  }
  print("16x10, frames while dragging: median, 95 %", `${percentile(/** @type {number[]} */ (await frames), 50)} ms, ${percentile(/** @type {number[]} */ (await frames), 95)} ms`);
});

await slowly(async (page) => {
  await page.goto(`${server.url}/empty`);
  const frames = await page.evaluate(async () => {
    const gaps = [];
    for (let last = performance.now(), n = 0; n < 60; n++) {
      await new Promise(requestAnimationFrame);
      gaps.push(performance.now() - last);
      last = performance.now();
    }
    return gaps;
  });
  print("an empty page, frames: median, 95 %", `${percentile(frames, 50)} ms, ${percentile(frames, 95)} ms`);
});

/** @param {number[]} times @param {number} share */
function percentile(times, share) {
  const sorted = [...times].sort((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))] ?? 0).toFixed(1);
}

await chromium.close();
await server.end();
