// Moves for later and what the board shows of them, on pages that are fed with messages: plans with
// chips and joints, moves queued at the server, notes, and boards turned by a quarter.

import assert from "node:assert/strict";
import test from "node:test";
import { PHONE, picture } from "../browser.js";
import { feedPage, until, welcome } from "../fed.js";
import { chromium, server, rules, rulesOf } from "../fed_site.js";
import { GAME, gameMessage } from "../pairs.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("../../types/messages").GameView} GameView */

/**
 * A game as Red sees it.
 * @param {string} ruleset @param {Partial<GameView>} fields @param {object} [time]
 */
function gameOf(ruleset, fields, time) {
  const lakes = rulesOf(ruleset).lakes;
  const message = /** @type {any} */ (gameMessage(/** @type {GameView} */ ({
    audience: "red", ruleset, phase: "playing", ready: { red: true, blue: true }, lakes: lakes === "drawn" ? [] : lakes, pieces: [],
    captured: { red: {}, blue: {} }, ply: 5, turn: "blue", commitments: { red: null, blue: null }, opened: { red: null, blue: null }, ...fields,
  }), 3));
  if (time) message.game.terms.time = time;
  return message;
}

/** @param {object} message @param {import("playwright-core").BrowserContextOptions} [options] @param {object} [settings] */
async function open(message, options = {}, settings = {}) {
  const fed = await feedPage(chromium, { url: server.url, rules, settings: { confirm: "never", ...settings }, options });
  await fed.page.route("**/api/games/*/record?*", (route) => route.fulfill({ status: 503, json: { code: "store_unavailable", message: "" } }));
  return { ...fed, start: async () => {
    await fed.hear(welcome("red"));
    await fed.hear(message);
  } };
}

/** @param {Page} page @param {number} [ms] */
const run = (page, ms = 100) => page.evaluate((ms) => /** @type {any} */ (window).fed.run(ms), ms);

/** @param {Page} page @param {string} square */
const cell = (page, square) => page.locator(`[data-square="${square}"]`);

/** @param {Page} page @param {string} square */
async function press(page, square) {
  await cell(page, square).click();
  await run(page);
}

/** What the page has sent of moves. @param {Page} page @returns {Promise<object[]>} */
const sent = (page) => page.evaluate(() => /** @type {any} */ (window).fed.log
  .filter((/** @type {string} */ line) => line.includes('"kind":"move"'))
  .map((/** @type {string} */ line) => JSON.parse(line.slice(line.indexOf("{"))).command));

/** The squares with a mark. @param {Page} page @param {string} name */
const marked = (page, name) => page.locator(`.square.${name}`).evaluateAll((cells) => cells.map((cell) => /** @type {HTMLElement} */ (cell).dataset.square).sort());

const BLUE_MOVES = {
  type: "event", game: GAME, seq: 4, event: { kind: "moved", side: "blue", move: "h7h6", piece: "?", laid: "h6=g" },
};

test("a move that goes through a joint and lays a chip is planned, drawn on its way, and made when the turn comes", async () => {
  const chips = { red: ["a3"], blue: ["h7"] };
  const pieces = ["a3r9'", "b1r5", "h7b?'", "n10b?"];
  const { page, faults, context, hear, start } = await open(gameOf("shadowflash-2", { pieces, chips, lakes: [] }));
  await start();
  await press(page, "a3");
  await press(page, "a9");
  const ways = page.getByRole("group", { name: "Which way?" }).getByRole("button");
  assert.deepEqual(await ways.allTextContents(), ["a2 a1 a10 a9", "a4 a5 a6 a7 a8 a9"]);
  assert.deepEqual(await marked(page, "lit"), []);
  await ways.nth(0).hover();
  await run(page);
  assert.deepEqual(await marked(page, "lit"), ["a1", "a10", "a2", "a9"]);
  await ways.nth(1).focus();
  await run(page);
  assert.deepEqual(await marked(page, "lit"), ["a4", "a5", "a6", "a7", "a8", "a9"]);
  await picture(page, "plan-way");
  await ways.nth(0).click();
  await run(page);
  await page.getByRole("button", { name: /yellow/ }).click();
  await run(page);
  assert.deepEqual(await sent(page), []);
  const arrow = await page.locator(".planned-arrow").getAttribute("d");
  // Off the lower edge, and in at the upper one.
  assert.match(arrow ?? "", /^M0\.5 7\.92L0\.5 10\.5M0\.5 -0\.5L0\.5 1\.04M/);
  assert.match(await cell(page, "a9").getAttribute("aria-label") ?? "", /a planned move ends here/);
  await picture(page, "plan-joint");
  await hear({ ...BLUE_MOVES, change: { turn: "red", pieces: ["h6b?'"] } });
  const [command] = await sent(page);
  assert.deepEqual(command, { kind: "move", move: "a3a9", path: "-", color: "yellow" });
  assert.deepEqual(faults, []);
  await context.close();
});

test("the last move leaves one edge and enters the other; a move that may have gone two ways has no arrow", async () => {
  const pieces = ["a3r9'", "b1r5", "c10b?'", "n10b?"];
  const { page, faults, context, hear, start } = await open(gameOf("shadowflash-2", { pieces, chips: { red: ["a3"], blue: ["c10"] }, lakes: [] }));
  await start();
  const event = { kind: "moved", side: "blue", move: "c10c1", piece: "?", laid: "c1=g" };
  const change = { turn: "red", pieces: ["c1b?'"] };
  // c2 to c9 are empty, so that a Scout could have come over the board.
  await hear({ type: "event", game: GAME, seq: 4, event, change });
  assert.equal(await page.locator(".last-arrow").count(), 0);
  assert.equal(await page.locator(".last-frame").count(), 2);
  await hear(gameOf("shadowflash-2", { pieces: [...pieces, "c5r4'"], chips: { red: ["a3"] }, lakes: [] }));
  await hear({ type: "event", game: GAME, seq: 4, event, change }, 60);
  const place = () => page.locator(".piece.going").evaluate((piece) => /** @type {HTMLElement} */ (piece).style.getPropertyValue("--y"));
  assert.equal(await place(), "-1", "it leaves the upper edge");
  await run(page, 60);
  assert.equal(await place(), "9", "it comes in at the lower one");
  await run(page, 500);
  assert.match(await page.locator(".last-arrow").getAttribute("d") ?? "", /^M2\.5 0\.5L2\.5 -0\.5M2\.5 10\.5L2\.5 9\./);
  await picture(page, "last-joint");
  assert.deepEqual(faults, []);
  await context.close();
});

test("squares are marked by what carries the piece there, and show the chips that a flash lays and what the others learn", async () => {
  const chips = { red: ["c3", "d3", "e3"], yellow: ["c4", "c6", "g6"], blue: ["c5"], green: ["g9", "g8", "g7"] };
  const pieces = ["c3r4", "f3r8", "g9r9", "g1r6"];
  const { page, faults, context, start } = await open(gameOf("shadowflash-3", { pieces, chips, lakes: [], turn: "red" }));
  await start();
  await press(page, "c3");
  assert.deepEqual(await marked(page, "by-line"), ["e3"]);
  assert.deepEqual(await marked(page, "lit"), ["d3", "e3"]);
  assert.deepEqual(await marked(page, "by-flash"), ["c5", "c6"]);
  assert.equal((await page.locator(".coming .chip-body").getAttribute("d"))?.match(/M/g)?.length, 3, "c4 to c6 turn red");
  assert.equal(await page.locator(".coming").getAttribute("class"), "chip-red coming");
  await until(page, page.locator(".note"));
  assert.match(await cell(page, "c6").getAttribute("aria-label") ?? "",
    /you can flash here, and the squares on the way turn red, shows the others: Major or Colonel$/);
  assert.deepEqual((await page.locator(".note").allTextContents()).sort(), ["43", "432"], "a step and a supply line show nothing");
  await picture(page, "carriers");
  // A step beside it shows nothing, with either color.
  await press(page, "b3");
  await until(page, page.locator(".sheet"));
  assert.equal(await page.locator(".sheet p").count(), 0);
  await page.keyboard.press("Escape");
  await run(page);
  // A run over chips is a Scout's or the Phoenix's; with the color it came from, it may have been
  // a flash.
  await press(page, "g9");
  await press(page, "g6");
  await until(page, page.locator(".sheet"));
  assert.deepEqual(await page.locator(".sheet p").allTextContents(),
    ["The others learn: Scout or Phoenix.", "With a green chip, the others learn less: Scout or Major or Colonel or Phoenix."]);
  await picture(page, "learned");
  await page.keyboard.press("Escape");
  await run(page);
  assert.equal(await page.locator(".coming").count(), 0);
  assert.deepEqual(faults, []);
  await context.close();
});

test("in a game with days per move, a move is queued from the board, drawn, and taken back", async () => {
  const message = gameOf("classic", { pieces: ["a4r5'", "b4r9", "d4r3", "a7b?", "b7b?"] }, { kind: "correspondence", days: 3 });
  const { page, faults, context, hear, start } = await open(message);
  /** @type {any[]} */
  const asked = [];
  /** @type {any[]} */
  let kept = [];
  await page.route(`**/api/games/${GAME}/queue`, async (route) => {
    const method = route.request().method();
    if (method === "PUT") kept = route.request().postDataJSON().moves;
    if (method === "DELETE") kept = [];
    if (method !== "GET") asked.push([method, route.request().postDataJSON()]);
    return method === "DELETE" ? route.fulfill({ status: 204 }) : route.fulfill({ json: { game: GAME, ply: 6, moves: kept } });
  });
  await start();
  await press(page, "a4");
  assert.deepEqual(await marked(page, "target"), ["a3", "a5"]);
  await press(page, "a5");
  const dialog = page.getByRole("dialog", { name: "Queue a4a5?" });
  await until(page, dialog);
  await page.getByLabel("Only if your opponent plays").fill("nonsense");
  await picture(page, "queue-offer");
  await dialog.getByRole("button", { name: "Queue the move" }).click();
  await until(page, page.getByText("“nonsense” is not a move."));
  assert.equal(asked.length, 0);
  await press(page, "a4");
  await press(page, "a5");
  await until(page, dialog);
  await page.getByLabel("Only if your opponent plays").fill("b7b6");
  await dialog.getByRole("button", { name: "Queue the move" }).click();
  await until(page, page.getByRole("button", { name: "Take back a4a5 if b7b6" }));
  const first = { command: { kind: "move", move: "a4a5" }, if: "b7b6" };
  assert.deepEqual(asked.splice(0), [["PUT", { ply: 5, epoch: 1, moves: [first] }]]);
  assert.equal(await page.locator(".hollow").count(), 1);
  assert.match(await cell(page, "a5").getAttribute("aria-label") ?? "", /a planned move ends here/);
  // The next move begins where the queued one ends.
  await press(page, "a5");
  assert.deepEqual(await marked(page, "target"), ["a4", "a6", "b5"]);
  await press(page, "a6");
  await until(page, page.getByText("It comes after a4a5."));
  await page.getByRole("dialog").getByRole("button", { name: "Queue the move" }).click();
  await until(page, page.getByRole("button", { name: "Take back a5a6" }));
  assert.deepEqual(asked.splice(0).map(([, body]) => body.moves), [[first, { command: { kind: "move", move: "a5a6" } }]]);
  assert.equal(await page.locator(".planned-arrow").count(), 2);
  await picture(page, "queued");
  await page.setViewportSize({ width: 390, height: 844 });
  await run(page);
  await picture(page, "queued-phone");
  await page.getByRole("button", { name: "Take back a5a6" }).click();
  await until(page, page.getByRole("button", { name: "Take back a4a5 if b7b6" }));
  assert.deepEqual(asked.splice(0).map(([, body]) => body.moves), [[first]]);
  // The turn comes: the position on the board counts.
  await hear({ type: "event", game: GAME, seq: 4, event: { kind: "moved", side: "blue", move: "b7b6", piece: "?" }, change: { turn: "red", pieces: ["b6b?'"] } });
  assert.equal(await page.locator(".hollow").count(), 0);
  kept = [];
  await hear({ type: "event", game: GAME, seq: 5, event: { kind: "moved", side: "red", move: "a4a5", piece: "?" }, change: { turn: "blue", pieces: ["a5r5'"] } });
  await run(page);
  assert.equal(await page.getByRole("button", { name: /^Take back/ }).count(), 0);
  assert.deepEqual(await sent(page), []);
  assert.deepEqual(faults, []);
  await context.close();
});

test("notes are listed beside the moves, and one's own deployment is saved from a game", async () => {
  const { page, faults, context, start } = await open(gameOf("barrage", { pieces: ["a4r9'", "b1rF", "a7b?", "b7b?'"], turn: "red" }));
  const setup = `${".".repeat(30)}FBS99821..`;
  await start();
  await cell(page, "b7").focus();
  await page.keyboard.press("g");
  await until(page, page.getByRole("dialog", { name: "Your guess for b7" }));
  await page.getByRole("button", { name: "B Bomb" }).click();
  await page.getByRole("tab", { name: "Notes" }).click();
  const note = page.getByRole("button", { name: "b7: Bomb", exact: true });
  await until(page, note);
  await picture(page, "notes");
  await note.click();
  assert.ok(await cell(page, "b7").evaluate((square) => square === document.activeElement));
  await page.getByRole("button", { name: "Remove the note on b7" }).click();
  await until(page, page.getByText("Nothing is noted."));
  assert.equal(await page.locator(".note").count(), 0);
  await page.unroute("**/api/games/*/record?*");
  await page.route("**/api/games/*/record?as=red", (route) => route.fulfill({ json: { events: [{ at: 0, event: { kind: "deployed", setup } }] } }));
  await page.getByRole("button", { name: "Save my deployment" }).click();
  await until(page, page.getByRole("dialog", { name: "Save my deployment" }));
  await page.getByLabel("Name").fill("corner");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await until(page, page.getByText("Saved on this device."));
  assert.deepEqual(await page.evaluate(() => JSON.parse(localStorage.getItem("deployments") ?? "")), [{ ruleset: "barrage", name: "corner", setup }]);
  assert.deepEqual(faults, []);
  await context.close();
});

test("on a phone, a wide board is turned by a quarter and back, and stays so", async () => {
  const { page, faults, context, start } = await open(gameOf("shadowflash-2", { pieces: ["a3r9'", "p1r5", "n10b?"], chips: { red: ["a3"] } }), PHONE);
  await start();
  /** @param {string} square */
  const place = async (square) => {
    const box = await cell(page, square).boundingBox();
    return { x: Math.round(box?.x ?? 0), y: Math.round(box?.y ?? 0) };
  };
  const [a1, p1] = [await place("a1"), await place("p1")];
  assert.equal(a1.x, p1.x, "rows run down the screen");
  await picture(page, "quarter-turned");
  const button = page.getByRole("button", { name: "Quarter turn" });
  await page.getByRole("button", { name: "More" }).click();
  await run(page);
  assert.equal(await button.getAttribute("aria-pressed"), "true");
  await button.click();
  await run(page);
  const level = [await place("a1"), await place("p1")];
  assert.equal(level[0]?.y, level[1]?.y);
  await cell(page, "a3").focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).dataset.square), "b3");
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await picture(page, "quarter-level");
  assert.deepEqual(await page.evaluate(() => localStorage.getItem("level")), "");
  assert.deepEqual(faults, []);
  await context.close();
});
