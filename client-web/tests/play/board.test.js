// The board in a browser: gestures, keys, animation by events, and nothing that names pieces.

import assert from "node:assert/strict";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { newPage, picture } from "../browser.js";
import { withFields } from "../rules.js";
import { chromium, server } from "../site.js";

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("playwright-core").Page} Page */

const [classic, shadowflash, quantum] = /** @type {import("../../page/game/rules.js").Rules[]} */ (
  withFields([{ id: "classic" }, { id: "shadowflash-3" }, { id: "quantum" }]));

const BOARD = fileURLToPath(new URL("../board/", import.meta.url));
const TYPES = /** @type {Record<string, string>} */ ({ html: "text/html", js: "text/javascript", css: "text/css" });

/** The policy of the page guards the board's document too. */
const headers = { "Content-Security-Policy": (await fetch(server.url)).headers.get("content-security-policy") ?? "" };

/** @param {Partial<GameView>} fields @returns {GameView} */
function view(fields) {
  return {
    audience: "red", ruleset: "classic", phase: "playing", ready: { red: true, blue: true },
    lakes: /** @type {string[]} */ (classic?.lakes), pieces: ["a4r9", "b4r3'*", "a7b?", "b7b?'", "d1rF"],
    captured: { red: {}, blue: {} }, ply: 4, turn: "red", commitments: { red: null, blue: null }, ...fields,
  };
}

/** @param {import("playwright-core").BrowserContextOptions} [options] */
async function boardPage(options = {}) {
  const { page, faults, context } = await newPage(chromium, { viewport: { width: 640, height: 660 }, ...options });
  await page.route("**/board-alone/*", (route) => {
    const name = new URL(route.request().url()).pathname.split("/").at(-1) ?? "";
    return route.fulfill({ path: BOARD + name, contentType: TYPES[name.split(".").at(-1) ?? ""], headers });
  });
  await page.goto(`${server.url}/board-alone/index.html`);
  await page.locator(".squares").waitFor({ state: "attached" });
  return { page, faults, context };
}

/**
 * @param {Page} page @param {GameView} shown
 * @param {{ rules?: object | undefined, below?: "red" | "blue", isTurned?: boolean, liftable?: string[] }} [options]
 */
async function show(page, shown, { rules = classic, below = "red", isTurned = false, liftable = ["a4", "b4"] } = {}) {
  await page.evaluate(([shown, rules, below, isTurned, liftable]) => {
    const { flagfall } = /** @type {any} */ (window);
    flagfall.liftable = liftable;
    flagfall.board.layOut(rules, below, isTurned, "Board");
    flagfall.board.show(shown);
  }, /** @type {const} */ ([shown, rules, below, isTurned, liftable]));
}

/** @param {Page} page @returns {Promise<string[]>} */
const told = (page) => page.evaluate(() => /** @type {any} */ (window).flagfall.told.splice(0));
/** @param {Page} page @param {string} square */
const cell = (page, square) => page.locator(`[data-square="${square}"]`);

test("squares are one grid with one tab stop, and keys walk over it", async () => {
  const { page, faults, context } = await boardPage();
  await show(page, view({}));
  assert.equal(await page.getByRole("grid", { name: "Board" }).count(), 1);
  assert.equal(await page.getByRole("gridcell").count(), 100);
  assert.equal(await page.locator(".squares [tabindex='0']").count(), 1);
  const focused = () => page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).dataset.square);
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "a1");
  for (const [key, square] of [["ArrowUp", "a2"], ["ArrowRight", "b2"], ["End", "j2"], ["PageUp", "j10"], ["ArrowUp", "j10"],
    ["Home", "a10"], ["PageDown", "a1"], ["ArrowLeft", "a1"], ["n", "a4"], ["n", "b4"], ["p", "a4"]]) {
    await page.keyboard.press(key ?? "");
    assert.equal(await focused(), square, `after ${key}`);
  }
  await page.keyboard.press("Enter");
  await page.keyboard.press("Space");
  await page.keyboard.press("Escape");
  await page.keyboard.press("l");
  assert.deepEqual(await told(page), ["press a4", "press a4", "let go", "key l a4"]);
  assert.deepEqual(faults, []);
  await context.close();
});

test("a click presses, a drag drops, a right click asks", async () => {
  const { page, faults, context } = await boardPage();
  await show(page, view({}));
  await cell(page, "a4").click();
  await cell(page, "a4").dragTo(cell(page, "a6"));
  await cell(page, "b7").dragTo(cell(page, "b6"));
  await cell(page, "b7").click({ button: "right" });
  const box = await cell(page, "b4").boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + 20, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + 20, box.y - 100, { steps: 4 });
  await picture(page, "board-drag");
  await page.mouse.move(box.x + 20, 0, { steps: 4 });
  await page.mouse.up();
  assert.deepEqual(await told(page), ["press a4", "drop a4 a6", "ask b7", "drop b4 off"]);
  assert.equal(await page.locator(".lifted").count(), 0);
  assert.deepEqual(faults, []);
  await context.close();
});

test("a finger drags, also after a rest, and a long press asks", async () => {
  const { page, faults, context } = await boardPage({ hasTouch: true, viewport: { width: 360, height: 640 }, isMobile: true });
  await show(page, view({}));
  await cell(page, "b4").tap();
  const session = await context.newCDPSession(page);
  const center = async (/** @type {string} */ square) => {
    const box = await cell(page, square).boundingBox();
    return box ? [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }] : [];
  };
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: await center("a4") });
  await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: await center("a5") });
  await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: await center("a6") });
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: await center("a7") });
  /** @type {string[]} */
  const heard = [];
  /** @param {string} what */
  const hears = async (what) => {
    while (heard.at(-1) !== what) heard.push(...await told(page));
  };
  await hears("ask a7");
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: await center("a4") });
  await hears("ask a4");
  await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: await center("a5") });
  await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: await center("a6") });
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  assert.deepEqual([...heard, ...await told(page)], ["press b4", "drop a4 a6", "ask a7", "ask a4", "drop a4 a6"]);
  assert.equal(await cell(page, "a4").evaluate((element) => getComputedStyle(element).touchAction), "pinch-zoom");
  assert.equal(await cell(page, "a7").evaluate((element) => getComputedStyle(element).touchAction), "pan-y pinch-zoom");
  assert.deepEqual(faults, []);
  await context.close();
});

/** Plays an event on the board. @param {Page} page @param {object} event @param {GameView} shown */
function play(page, event, shown) {
  return page.evaluate(([event, shown]) => /** @type {any} */ (window).flagfall.board.play(event, shown),
    /** @type {const} */ ([event, shown]));
}

const STRIKE = { kind: "moved", side: "red", move: "a4a7", piece: "9" };
/** @type {[string, object, string[]][]} */
const OUTCOMES = [
  ["won", { attacker: "9", attacker_fate: "advances", defender: "S", defender_fate: "leaves" }, ["a7r9'*"]],
  ["lost", { attacker: "9", attacker_fate: "leaves", defender: "4", defender_fate: "stays" }, ["a7b4'*"]],
  ["lost, advancing", { attacker: "9", attacker_fate: "leaves", defender: "4", defender_fate: "advances" }, ["a4b4'*"]],
  ["both", { attacker: "9", attacker_fate: "leaves", defender: "9", defender_fate: "leaves" }, []],
  ["silent", { attacker: "9", attacker_fate: "leaves", defender: "?", defender_fate: "stays" }, ["a7b?"]],
];

for (const [name, strike, left] of OUTCOMES) {
  test(`a strike (${name}) shows both, takes its time, and ends as the view says`, async () => {
    const { page, faults, context } = await boardPage();
    await show(page, view({}));
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(10_000);
    const others = ["b4r3'*", "b7b?'", "d1rF"];
    await play(page, { ...STRIKE, strike }, view({ pieces: [...others, ...left], last_move: undefined }));
    await page.clock.runFor(300);
    assert.equal(await page.locator(".piece.attacking").count(), 1);
    assert.equal(await page.locator(".piece.defending").count(), 1);
    await picture(page, `board-strike-${name.replace(", ", "-")}`);
    await page.clock.runFor(700);
    assert.equal(await page.locator(".piece.attacking").count(), 0);
    assert.equal(await page.locator(".piece.going:not(.leaving)").count(), left.length, "who stays or walks has not jumped");
    assert.ok(await page.evaluate(() => /** @type {any} */ (window).flagfall.board.unshown > 0));
    await page.clock.runFor(220);
    assert.ok(!await page.evaluate(() => /** @type {any} */ (window).flagfall.board.unshown > 0), "the same time for all");
    assert.equal(await page.locator(".piece").count(), others.length + left.length);
    assert.deepEqual(faults, []);
    await context.close();
  });
}

test("an event waits until the strike before it has been shown, and a player who acts does not wait", async () => {
  const { page, faults, context } = await boardPage();
  const others = ["b4r3'*", "b7b?'", "d1rF"];
  const strike = { attacker: "9", attacker_fate: "leaves", defender: "4", defender_fate: "stays" };
  const reply = { kind: "moved", side: "blue", move: "b7b6", piece: "?" };
  const [struck, replied] = [view({ pieces: [...others, "a7b4*"] }), view({ pieces: ["b4r3'*", "b6b?'", "d1rF", "a7b4*"] })];
  const places = () => page.locator(".piece").evaluateAll((pieces) => pieces.map((piece) => {
    const { style } = /** @type {HTMLElement} */ (piece);
    return style.getPropertyValue("--x") + style.getPropertyValue("--y");
  }).sort());
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(10_000);
  const unshown = () => page.evaluate(() => /** @type {any} */ (window).flagfall.board.unshown);
  const both = async () => {
    await show(page, view({ pieces: ["a4r9", ...others, "a7b?"] }));
    await play(page, { ...STRIKE, strike }, struck);
    await play(page, reply, replied);
    await page.clock.runFor(400);
    assert.equal(await page.locator(".piece.attacking").count(), 1, "the strike is still shown");
    assert.equal(await unshown(), 2);
    assert.ok((await places()).includes("13"), "b7 has not moved yet");
  };
  await both();
  await page.clock.runFor(1_120 - 400);
  assert.equal(await page.locator(".piece").count(), 4);
  assert.equal(await unshown(), 1);
  await page.clock.runFor(200);
  assert.equal(await unshown(), 0);
  assert.ok(!(await places()).includes("13"), "b7 has moved");
  assert.ok(!await page.evaluate(() => /** @type {any} */ (window).flagfall.board.unshown > 0));
  await both();
  await cell(page, "b4").click();
  assert.deepEqual(await places(), ["03", "14", "16", "39"]);
  assert.deepEqual(await told(page), ["press b4"]);
  assert.deepEqual(faults, []);
  await context.close();
});

test("a piece that was known and survives a strike keeps its mark", async () => {
  const { page, faults, context } = await boardPage();
  const known = view({ pieces: ["a4r9", "a7b4'*"] });
  await show(page, known);
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(10_000);
  const strike = { attacker: "9", attacker_fate: "leaves", defender: "4", defender_fate: "stays" };
  await play(page, { ...STRIKE, strike }, { ...known, pieces: ["a7b4'*"] });
  await page.clock.runFor(2_000);
  assert.equal(await page.locator(".piece .public-mark").count(), 1);
  assert.deepEqual(faults, []);
  await context.close();
});

test("a strike that waits for a coin is what the arrow shows", async () => {
  const { page, faults, context } = await boardPage();
  const pending_strike = { move: "b7b6", side: /** @type {const} */ ("blue"), owes: { red: true, blue: false } };
  await show(page, view({ last_move: /** @type {any} */ ({ move: "a4a5", side: "red" }), pending_strike }));
  const last = await page.locator(".square.last").evaluateAll((cells) => cells.map((cell) => /** @type {HTMLElement} */ (cell).dataset.square));
  assert.deepEqual(last.sort(), ["b6", "b7"]);
  assert.deepEqual(faults, []);
  await context.close();
});

test("a position without its events is shown at once, with new elements for all pieces", async () => {
  const { page, faults, context } = await boardPage();
  await show(page, view({}));
  await page.evaluate(() => document.querySelectorAll(".piece").forEach((piece) => piece.setAttribute("data-old", "")));
  await page.evaluate((shown) => /** @type {any} */ (window).flagfall.board.show(shown), view({ pieces: ["a5r9'", "a7b?"] }));
  assert.equal(await page.locator(".piece").count(), 2);
  assert.equal(await page.locator("[data-old]").count(), 0, "nothing tells which piece went where");
  assert.deepEqual(faults, []);
  await context.close();
});

test("a piece that is removed and one that is placed have nothing in common", async () => {
  const { page, faults, context } = await boardPage({ reducedMotion: "reduce" });
  const start = view({ ruleset: "shadowflash-1", pieces: ["a1r?", "a2r?"], lakes: [] });
  await show(page, start, { rules: { ...shadowflash, joined_columns: [], joined_rows: [] } });
  await page.evaluate(() => document.querySelectorAll(".piece").forEach((piece) => piece.setAttribute("data-old", "")));
  await play(page, { kind: "removed", side: "red", square: "a1" }, { ...start, pieces: ["a2r?"] });
  await play(page, { kind: "placed", side: "red", square: "b1", piece: "?" }, { ...start, pieces: ["b1r?", "a2r?"] });
  assert.equal(await page.locator(".piece").count(), 2);
  assert.equal(await page.locator("[data-old]").count(), 1);
  assert.deepEqual(faults, []);
  await context.close();
});

test("with reduced motion the result is there at once", async () => {
  const { page, context } = await boardPage({ reducedMotion: "reduce" });
  await show(page, view({}));
  await play(page, { ...STRIKE, strike: OUTCOMES[0]?.[1] }, view({ pieces: ["a7r9'*"] }));
  assert.equal(await page.locator(".piece").count(), 1);
  await context.close();
});

test("joined edges show the far edge; keys and clicks go through it", async () => {
  const { page, faults, context } = await boardPage({ viewport: { width: 1200, height: 800 } });
  const shown = view({ lakes: /** @type {string[]} */ (shadowflash?.lakes), pieces: ["a1r9", "p1r4", "a10b?", "e10b?"],
    chips: { red: ["a1", "b1"], green: ["c3"] } });
  await show(page, shown, { rules: shadowflash, liftable: ["a1"] });
  assert.equal(await page.locator(".ghost .art").count(), 6, "each corner at both its edges, and e10 at none");
  await cell(page, "a1").focus();
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => /** @type {any} */ (document.activeElement).dataset.square), "a10");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await page.evaluate(() => /** @type {any} */ (document.activeElement).dataset.square), "p10");
  const box = await cell(page, "b1").boundingBox();
  assert.ok(box);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height * 1.3);
  assert.deepEqual(await told(page), ["press b10"]);
  const chips = await page.locator(".chip-body").evaluateAll((paths) => paths.map((path) => path.getAttribute("d")?.match(/M/g)?.length));
  assert.equal(chips.reduce((sum, count) => Number(sum) + Number(count), 0), 3);
  await picture(page, "board-joined");
  assert.deepEqual(faults, []);
  await context.close();
});

test("a wide board is turned on an upright phone, and keys go by the screen", async () => {
  const { page, faults, context } = await boardPage({ viewport: { width: 360, height: 720 } });
  await show(page, view({ lakes: [], pieces: ["a1r9"] }), { rules: shadowflash, isTurned: true, liftable: ["a1"] });
  await cell(page, "a1").focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => /** @type {any} */ (document.activeElement).dataset.square), "a2");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => /** @type {any} */ (document.activeElement).dataset.square), "b2");
  assert.deepEqual(faults, []);
  await context.close();
});

test("a full board of 16x10 stays small", async () => {
  const { page, context } = await boardPage({ viewport: { width: 1200, height: 800 } });
  const pieces = Array.from({ length: 64 }, (_, n) => String.fromCharCode(97 + (n % 16)) + (Math.floor(n / 16) + 1));
  const all = [...pieces.map((square) => `${square}r5`), ...pieces.map((square) => `${square[0]}${Number(square.slice(1)) + 6}b?`)];
  await show(page, view({ lakes: [], pieces: all }), { rules: { ...shadowflash, joined_columns: [], joined_rows: [] } });
  assert.ok(await page.evaluate(() => document.querySelectorAll("*").length) < 1_500);
  await show(page, view({ pieces: ["a4ro", "a7bo'"] }), { rules: quantum });
  assert.equal(await page.locator(".coin").count(), 2);
  await context.close();
});
