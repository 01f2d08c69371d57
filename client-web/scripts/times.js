// Prints how long the page takes, beside an empty page in the same browser: the rows of the budgets
// that are times. It judges nothing: times depend on the machine and on what else runs on it.
//
//     FLAGFALL_TARGET=… node scripts/times.js

import { createServer } from "node:http";
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
// The empty page comes over the same network, and may be kept like the page's files.
const empty = createServer((_, response) => {
  response.writeHead(200, { "Content-Type": "text/html", "Cache-Control": "max-age=3600" });
  response.end("<!doctype html><title>empty</title><p>empty");
});
await new Promise((resolve) => empty.listen(0, "127.0.0.1", () => resolve(undefined)));
const EMPTY = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (empty.address()).port}/`;

/**
 * A page of a slow phone, or of a computer that is not slowed.
 * @template T @param {boolean} isSlow @param {(page: Page) => Promise<T>} act @returns {Promise<T>}
 */
async function open(isSlow, act) {
  const { page, context } = await newPage(chromium);
  if (isSlow) await slowDown(page);
  const result = await act(page);
  await context.close();
  return result;
}

/** @param {number[]} times @param {number} share */
function percentile(times, share) {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))] ?? 0;
}

/** @param {string} what @param {number} page @param {number} beside The same of an empty page. @param {string} aim */
function print(what, page, beside, aim) {
  const ms = (/** @type {number} */ time) => `${time.toFixed(1)} ms`.padStart(11);
  console.log(`${what.padEnd(52)}${ms(page)}${ms(beside)}${(beside > 0 ? `× ${(page / beside).toFixed(1)}` : "–").padStart(9)}   ${aim}`);
}

/** The largest paint of a first and of a second visit, in milliseconds. @param {string} address @returns {Promise<number[]>} */
function paints(address) {
  return open(true, async (page) => {
    const times = [];
    for (let visit = 0; visit < 2; visit++) {
      await page.goto(address);
      await page.waitForTimeout(1_500);
      times.push(await page.evaluate(() => new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? 0))
          .observe({ type: "largest-contentful-paint", buffered: true });
        setTimeout(() => resolve(0), 500);
      })));
    }
    return times;
  });
}

/** A socket that the script speaks through. */
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

/** Hands messages to the page, and returns the milliseconds until the picture of each. @param {Page} page @param {object[]} messages @returns {Promise<number[]>} */
const hear = (page, messages) => page.evaluate(async (messages) => {
  const { socket } = /** @type {any} */ (window);
  const picture = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const times = [];
  for (const message of messages) {
    await picture();
    const begin = performance.now();
    socket?.onmessage({ data: JSON.stringify(message) });
    await picture();
    times.push(performance.now() - begin);
  }
  return times;
}, messages);

/**
 * How long inputs take until their picture, by the browser's own time of the input.
 * @param {Page} page @param {string} kind @param {() => Promise<void>} act
 */
async function inputs(page, kind, act) {
  await page.evaluate((kind) => {
    const times = /** @type {number[]} */ (/** @type {any} */ (window).times = []);
    addEventListener(kind, (event) => requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - event.timeStamp))), true);
  }, kind);
  await act();
  await page.waitForTimeout(200);
  return page.evaluate(() => /** @type {number[]} */ (/** @type {any} */ (window).times));
}

/** The gaps between frames while the pointer drags. @param {Page} page @param {{ x: number, y: number }} from */
async function dragged(page, { x, y }) {
  const frames = page.evaluate(() => new Promise((resolve) => {
    /** @type {number[]} */
    const gaps = [];
    let last = performance.now();
    const next = () => {
      const now = performance.now();
      gaps.push(now - last);
      last = now;
      if (gaps.length < 90) requestAnimationFrame(next);
      else resolve(gaps);
    };
    requestAnimationFrame(next);
  }));
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let n = 1; n <= 60; n++) await page.mouse.move(x + n * 3, y - n * 2);
  await page.mouse.up();
  return /** @type {Promise<number[]>} */ (frames);
}

const shadowflash = /** @type {import("../page/game/rules.js").Rules} */ (rules.find(({ id }) => id === "shadowflash-3"));
const messages = await playLong(shadowflash, { seed: 1, plies: 60 });

/** What a page does with events, keys, taps and a drag, on the largest board or empty. @param {boolean} isSlow @param {boolean} isEmpty */
function played(isSlow, isEmpty) {
  return open(isSlow, async (page) => {
    let from = { x: 600, y: 600 };
    if (isEmpty) {
      await page.goto(EMPTY);
    } else {
      await page.addInitScript(fakeSocket);
      await page.goto(`${server.url}/game/${GAME}`);
      await page.locator(".table").waitFor();
      await page.evaluate(() => /** @type {any} */ (window).socket.onopen());
      await hear(page, [{ type: "welcome", protocol: 1, server: "", server_time: Date.now(), games: [], player: player("red") }]);
      await page.waitForTimeout(300);
    }
    await hear(page, messages.slice(0, 4));
    const events = await hear(page, messages.slice(4, 44));
    /** @type {string[]} */
    let squares = [];
    if (!isEmpty) {
      const view = /** @type {import("../types/messages").GameView} */ (JSON.parse(JSON.stringify(/** @type {any} */ (messages[0]).view)));
      const started = /** @type {any} */ (messages.find((message) => message.type === "event" && message.event.kind === "started"));
      Object.assign(view, { phase: "playing", turn: "red", pieces: started?.change.pieces ?? [], ready: { red: true, blue: true } });
      await hear(page, [gameMessage(view, 1_000)]);
      squares = await page.locator(".square.liftable").evaluateAll((cells) => cells.slice(-20).map((cell) => /** @type {HTMLElement} */ (cell).dataset.square ?? ""));
      await page.locator(".squares [tabindex='0']").focus();
    }
    const keys = await inputs(page, "keydown", async () => {
      for (let n = 0; n < 20; n++) for (const key of ["n", "Enter"]) await page.keyboard.press(key);
    });
    const taps = await inputs(page, "pointerup", async () => {
      for (let n = 0; n < 20; n++) {
        const box = isEmpty ? undefined : await page.locator(`[data-square="${squares[n % squares.length]}"]`).boundingBox();
        await page.mouse.click(box ? box.x + box.width / 2 : 300, box ? box.y + box.height / 2 : 300);
      }
    });
    const box = isEmpty ? undefined : await page.locator(`[data-square="${squares[0]}"]`).boundingBox();
    if (box) from = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    return { events, keys, taps, frames: await dragged(page, from) };
  });
}

console.log(`${"".padEnd(52)}${"the page".padStart(11)}${"empty page".padStart(11)}${"ratio".padStart(9)}   aim`);
console.log("4× slowed processor, 100 ms, 1.6 Mbit/s");
const [firstEmpty = 0, secondEmpty = 0] = await paints(EMPTY);
for (const [name, path] of [["home", "/"], ["form", "/play"], ["rules", "/rules/classic"]]) {
  const [first = 0, second = 0] = await paints(server.url + path);
  print(`largest paint, ${name}, first visit`, first, firstEmpty, "1.5 s");
  print(`largest paint, ${name}, second visit`, second, secondEmpty, "0.6 s");
}
for (const isSlow of [true, false]) {
  if (!isSlow) console.log("not slowed");
  const [board, beside] = [await played(isSlow, false), await played(isSlow, true)];
  for (const [what, name, aim] of /** @type {const} */ ([
    ["keys", "a key to its picture", "50 ms (95 %)"], ["taps", "a tap to its picture", "50 ms (95 %)"], ["events", "an event to its picture", "4 ms of work"],
    ["frames", "frames while dragging", isSlow ? "34 ms (95 %)" : "17 ms (95 %)"],
  ])) {
    print(`16x10, ${name}, median`, percentile(board[what], 50), percentile(beside[what], 50), "");
    print(`16x10, ${name}, 95 %`, percentile(board[what], 95), percentile(beside[what], 95), aim);
  }
}

empty.close();
await chromium.close();
await server.end();
