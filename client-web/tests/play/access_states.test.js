// Every address of the page, and every state of a game, in every look: axe finds nothing, nothing
// is cut off, and the page does not scroll sideways. The page is fed with messages.

import assert from "node:assert/strict";
import test from "node:test";
import { API, GREETING, visits } from "../addresses.js";
import { LOOKS, bursts, violations, wear } from "../axe.js";
import { picture } from "../browser.js";
import { feedPage, settle, welcome } from "../fed.js";
import { chromium, rules, rulesOf, server } from "../fed_site.js";
import { GAME, playPair, positionMessage } from "../pairs.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {Awaited<ReturnType<typeof feedPage>>} Fed */

const isLong = process.env.FLAGFALL_LONG === "1";
const looks = isLong ? LOOKS : LOOKS.filter(({ name }) => ["forced-colors", "narrow-dark", "large-text"].includes(name));

/** Opens a page that can be looked at. @param {string} path */
const open = (path) => feedPage(chromium, { url: server.url, rules, path, settings: {}, isQuiet: true, api: API, options: { reducedMotion: "reduce" } });

/** @param {Page} page @param {string} name */
async function check(page, name) {
  const wrong = [];
  for (const look of looks) {
    await wear(page, look);
    await picture(page, `${name}-${look.name}`);
    for (const fault of [...await violations(page), ...await bursts(page)]) wrong.push(`${look.name}: ${fault}`);
  }
  assert.deepEqual(wrong, []);
}

/** @param {Fed} fed */
async function end({ faults, context }) {
  assert.deepEqual(faults.filter((fault) => !/Failed to load resource/.test(fault)), []);
  await context.close();
}

for (const visit of await visits(rulesOf)) {
  test(`${visit.name} can be used by everybody`, async () => {
    const fed = await open(visit.path);
    for (const message of [...GREETING, ...visit.messages ?? []]) await fed.hear(message);
    await settle(fed.page, visit.ready);
    for (const selector of visit.open ?? []) {
      await fed.page.locator(selector).evaluateAll((controls) => controls.forEach((control) => /** @type {HTMLElement} */ (control).click()));
      await settle(fed.page, visit.ready);
    }
    await check(fed.page, visit.name);
    await end(fed);
  });
}

const CLASSIC = "classic red 30 4 bF.9/b8'.9/.10/.10/.2~2.2~2.2/.2~2.2~2.2/.10/.3rS'b1'*.5/.10/rFr8.8";
const COINS = "quantum red 12 3 bo.9/.10/.10/.10/.2~2.2~2.2/.2~2.2~2.2/.2ro'b5'*.6/.10/.10/roro.8 F:1,B:1,9:1 F:1 c4d4";
const SCOUT = "shadowflash-3 red 8 2 .15bF/.16/.16/.16/.3~3.4~3.3/.3~3.4~3.3/r9'[9P].15/.4b7'*^.11/.16/rF.15 B:2,9:1,9^:1 - a4r,b5g -";
const OWED = "shadowflash-3 red 8 2 .15bF/.16/.16/.16/.3~3.4~3.3/.3~3.4~3.3/r9'[9P].15/.4b7'*^.11/.16/rF.15 B:2,9:1,9^:1 - b5g a4";

/** @param {Page} page */
const board = (page) => page.locator(".squares [tabindex='0']");

/** @param {Page} page */
const dialog = (page) => settle(page, "dialog");

/** The states of a game, and how a page gets there. @type {[string, string, "red" | "public", (fed: Fed) => Promise<unknown>][]} */
const STATES = [
  ["resign-question", CLASSIC, "red", ({ page }) => page.getByRole("button", { name: "Resign" }).click().then(() => dialog(page))],
  ["keys", CLASSIC, "red", ({ page }) => board(page).press("?").then(() => dialog(page))],
  ["settings", CLASSIC, "red", ({ page }) => page.getByRole("button", { name: "Settings" }).click().then(() => dialog(page))],
  ["report", CLASSIC, "red", async ({ page }) => {
    await page.getByRole("tab", { name: "Chat" }).click();
    await settle(page, ".chat");
    await page.getByRole("button", { name: "Report" }).click();
    await dialog(page);
  }],
  ["note-question", CLASSIC, "red", ({ page }) => page.locator("[data-square='a9']").click({ button: "right" }).then(() => dialog(page))],
  ["reconnecting", CLASSIC, "red", async ({ page }) => {
    await page.evaluate(() => {
      const { fed } = /** @type {any} */ (window);
      fed.socket.onclose({ code: 1006 });
    });
    await settle(page, ".bar");
  }],
  ["offline", CLASSIC, "red", async ({ page }) => {
    await page.evaluate(() => dispatchEvent(new Event("offline")));
    await settle(page, ".bar");
  }],
  ["store-away", CLASSIC, "red", ({ page, hear }) => hear({ type: "store_state", available: false }).then(() => settle(page, ".bar"))],
  ["superseded", CLASSIC, "red", ({ page, hear }) => hear({ type: "superseded", game: GAME }).then(() => settle(page, ".bar"))],
  ["quarantined", CLASSIC, "red", ({ page, hear }) => hear({ type: "game_unavailable", game: GAME, code: "game_quarantined", message: "" }).then(() => settle(page, ".bar"))],
  ["draw-offered", CLASSIC, "red", ({ page, hear }) => hear({ type: "event", game: GAME, seq: 2, event: { kind: "draw_offered", side: "blue" }, change: { draw_offer: "blue" } })
    .then(() => settle(page, ".latest .button"))],
  ["claimable", CLASSIC, "red", ({ page, hear }) => hear({ type: "claimable", game: GAME, gone: "blue", at: 1 }).then(() => settle(page, ".latest .button"))],
  ["choice", COINS, "red", ({ page }) => settle(page, ".sheet .tray-piece")],
  ["owed-color", OWED, "red", ({ page }) => settle(page, ".sheet .color-button")],
  ["ways-and-color", SCOUT, "red", async ({ page }) => {
    await page.locator("[data-square='a4']").click();
    await page.locator("[data-square='c4']").click();
    await settle(page, ".sheet");
  }],
  ["reserve", SCOUT, "red", async ({ page }) => {
    await page.locator(".reserve summary").click();
    await settle(page, ".reserve .tray-piece");
  }],
  ["spectator", SCOUT, "public", ({ page }) => settle(page, ".piece")],
  ["spectator-losses", SCOUT, "public", async ({ page }) => {
    await page.getByRole("tab", { name: "Losses" }).click();
    await settle(page, ".panel-body");
  }],
];

for (const [name, position, audience, act] of STATES) {
  test(`a game can be used by everybody: ${name}`, async () => {
    const fed = await open(`/game/${GAME}`);
    await fed.hear(welcome(audience));
    await fed.hear(await positionMessage(position, audience));
    await settle(fed.page, ".square");
    await act(fed);
    await check(fed.page, `game-${name}`);
    await end(fed);
  });
}

test("deploying and the end of a game can be used by everybody", async () => {
  const fed = await open(`/game/${GAME}`);
  const { a } = await playPair(rulesOf("barrage"), { seed: 4, plies: 2 });
  await fed.hear(welcome("red"));
  await fed.hear(/** @type {object} */ (a.red[0]));
  await settle(fed.page, ".deploy");
  await check(fed.page, "game-deploying");
  await fed.hear(await positionMessage(CLASSIC, "red"));
  await fed.hear({ type: "event", game: GAME, seq: 2, event: { kind: "ended", outcome: { winner: "red", reason: "resigned" } }, change: { phase: "over", outcome: { winner: "red", reason: "resigned" } } });
  await settle(fed.page, ".phase-over");
  await check(fed.page, "game-over");
  await end(fed);
});
