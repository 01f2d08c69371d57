// What the page tells when nobody looks at it: sounds, notifications, title and icon of the tab.
// The page is fed with messages.

import assert from "node:assert/strict";
import test from "node:test";
import { feed, feedPage, until, welcome } from "../fed.js";
import { chromium, rules, rulesOf, server } from "../fed_site.js";
import { BEGIN, GAME, gameMessage, playPair, player } from "../pairs.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("../../types/messages").GameView} GameView */

const messages = (await playPair(rulesOf("barrage"), { seed: 3, plies: 7 })).a;

/** @param {Parameters<typeof feedPage>[1] extends infer T ? Partial<T> : never} [how] */
const open = (how = {}) => feedPage(chromium, { url: server.url, rules, ...how });

/** @param {Awaited<ReturnType<typeof feed>>} seen */
const logOf = (seen) => seen.flatMap(({ log }) => log);
/** @param {string[]} log */
const soundsIn = (log) => log.filter((line) => line.includes("createOscillator()"));
/** @param {string[]} log */
const notificationsIn = (log) => log.filter((line) => line.includes(" notification ")).map((line) => line.replace(/^\d+ notification /, ""));

test("the title and the icon tell whose turn it is", async () => {
  const { page, faults, context, hear } = await open();
  await hear(welcome("red"));
  const turns = new Set();
  for (const message of messages.red) {
    await feed(page, [message]);
    const isMarked = await page.locator("link[rel=icon][href$='turn.svg']").count() > 0;
    assert.equal(/^● Your turn/.test(await page.title()), isMarked);
    if (await page.locator(".phase-playing").count() === 0) continue;
    assert.equal(await page.locator(".your-turn").count() > 0, isMarked);
    turns.add(isMarked);
  }
  assert.equal(turns.size, 2);
  assert.deepEqual(faults, []);
  await context.close();
});

test("sounds can be switched off, and wait for the first gesture", async () => {
  const loud = await open();
  await loud.hear(welcome("red"));
  assert.ok(soundsIn(logOf(await feed(loud.page, messages.red))).length > 5);
  const still = await open({ settings: { sound: "off" } });
  await still.hear(welcome("red"));
  assert.equal(soundsIn(logOf(await feed(still.page, messages.red))).length, 0);
  const fresh = await open();
  await fresh.page.evaluate(() => Object.defineProperty(navigator, "userActivation", { value: { hasBeenActive: false } }));
  await fresh.hear(welcome("red"));
  assert.equal(soundsIn(logOf(await feed(fresh.page, messages.red))).length, 0);
  await Promise.all([loud, still, fresh].map(({ context }) => context.close()));
});

test("a notification names the rules and the kind of news, each kind can be off, and none comes to who looks", async () => {
  const game = /** @type {import("../../types/messages").ServerMessage & { type: "game" }} */ (messages.red[0]).game;
  const news = [
    ...messages.red,
    { type: "game_started", game, side: "red" },
    { type: "challenged", invitation: { challenge: "code", challenger: player("blue", "Red's Flag is on a1"), expires: BEGIN + 1e7, terms: game.terms } },
  ];
  const { page, context, hear } = await open();
  await hear(welcome("red"));
  const told = notificationsIn(logOf(await feed(page, news)));
  const texts = new Set(told.map((text) => /"body":"([^"]*)"/.exec(text)?.[1]));
  assert.deepEqual([...texts].sort(), ["Barrage: a challenge for you.", "Barrage: a game has started.", "Barrage: your turn."]);
  assert.doesNotMatch(told.join(), /ann|bob|a1/);
  await context.close();
  const some = await open({ settings: { notify_challenge: "on" } });
  await some.hear(welcome("red"));
  assert.equal(notificationsIn(logOf(await feed(some.page, news))).length, 1);
  await some.context.close();
  const looked = await open();
  await looked.page.evaluate(() => (document.hasFocus = () => true));
  await looked.hear(welcome("red"));
  const seen = logOf(await feed(looked.page, news));
  assert.equal(notificationsIn(seen).length, 0);
  assert.ok(soundsIn(seen).length > 0);
  await looked.context.close();
});

test("a notice of low time comes once, and only for the player's own clock", async () => {
  /** @param {"red" | "blue"} turn */
  const withClock = async (turn) => {
    const last = /** @type {import("../../types/messages").ServerMessage & { type: "event" }} */ (messages.red.findLast(({ type }) => type === "game"));
    const view = /** @type {GameView} */ (structuredClone(/** @type {any} */ (last).view));
    view.turn = turn;
    view.clock = { at: BEGIN, running: turn, remaining_ms: { red: 33_000, blue: 33_000 } };
    const { page, context, hear } = await open();
    await hear(welcome("red"));
    const log = logOf(await feed(page, [gameMessage(view, 40), ...Array(5).fill({ type: "presence", game: GAME, side: "blue", presence: "present" })]));
    await context.close();
    return { low: soundsIn(log).length, told: notificationsIn(log) };
  };
  const own = await withClock("red");
  assert.equal(own.low, 3, "three short tones");
  assert.equal(own.told.length, 1);
  assert.match(own.told[0] ?? "", /Barrage: your time is running low\./);
  assert.deepEqual(await withClock("blue"), { low: 0, told: [] });
});

test("of two tabs, one is heard", async () => {
  const one = await open();
  await one.hear(welcome("red"));
  const alone = soundsIn(logOf(await feed(one.page, messages.red))).length;
  await one.context.close();
  const first = await open();
  const second = await open({ beside: first.context });
  await Promise.all([first, second].map(({ hear }) => hear(welcome("red"))));
  let both = 0;
  for (const message of messages.red) {
    for (const { page } of [first, second]) both += soundsIn(logOf(await feed(page, [message]))).length;
  }
  assert.equal(both, alone);
  await first.context.close();
});

/** A game that begins. @param {string} id @returns {any} */
const begins = (id) => ({
  type: "game_started", side: "red",
  game: { id, created: BEGIN, phase: "deploying", ply: 0, players: { red: player("red"), blue: player("blue") }, terms: { ruleset: "classic", time: { kind: "unlimited" } } },
});
/** What a page has sent. @param {Page} page @returns {Promise<any[]>} */
const sentOf = (page) => page.evaluate(() => /** @type {any} */ (window).fed.log.flatMap((/** @type {string} */ line) => / send (.*)/.exec(line)?.[1] ?? []).map(JSON.parse));
/** @param {Page} page @param {number} [ms] */
const pass = (page, ms = 300) => page.evaluate((ms) => /** @type {any} */ (window).fed.run(ms), ms);

test("of two tabs, one enters a game that begins; where a game is played, there is a link", async () => {
  const first = await open({ path: "/" });
  const second = await open({ path: "/", beside: first.context });
  for (const { hear } of [first, second]) await hear(welcome("red"));
  for (const { page, hear } of [first, second]) {
    await hear(begins(GAME));
    await pass(page);
  }
  await first.page.waitForURL(`**/game/${GAME}`);
  assert.equal(new URL(second.page.url()).pathname, "/");
  // The game is played in the first tab.
  await pass(first.page);
  for (const message of messages.red) await first.hear(message, 100);
  await first.page.locator(".phase-playing").waitFor();
  await first.page.evaluate(() => (/** @type {any} */ (window).fed.log.length = 0));
  await first.hear(begins("another00000"));
  const link = first.page.getByRole("link", { name: "Open it in a new tab" });
  await until(first.page, link);
  assert.equal(await link.getAttribute("href"), "/game/another00000");
  assert.ok(first.page.url().endsWith(GAME));
  assert.deepEqual((await sentOf(first.page)).filter(({ type }) => type === "close_game"), [], "nobody leaves the game");
  await first.page.getByRole("button", { name: "Close" }).click();
  await pass(first.page);
  assert.equal(await link.count(), 0);
  assert.deepEqual(first.faults, []);
  await first.context.close();
});

/** Hides a fed page for a while, and hears the server all the time. @param {Awaited<ReturnType<typeof open>>} fed @param {object} [ping] */
async function hide({ page, hear }, ping = {}) {
  await page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { configurable: true, value: "hidden" });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  for (let id = 0; id < 14; id++) await hear({ type: "ping", id, server_time: BEGIN, heads: [], ...ping }, 5_000);
  return (await page.evaluate(() => /** @type {any} */ (window).fed.log)).some((/** @type {string} */ line) => line.endsWith(" close"));
}

test("a hidden tab keeps its line for notifications of games and challenges, and for a place in the pool", async () => {
  const pool = { pool: { since: BEGIN, waiting: 1 } };
  for (const [settings, ping, isClosed] of /** @type {const} */ ([[{}, {}, true], [{ notify_turn: "on" }, {}, true], [{ notify_start: "on" }, {}, false], [{}, pool, false]])) {
    const fed = await open({ path: "/", settings });
    await fed.hear(welcome("red"));
    assert.equal(await hide(fed, ping), isClosed, JSON.stringify([settings, ping]));
    await fed.context.close();
  }
});

test("a player who comes back to a withdrawn offer can post it again", async () => {
  const { page, faults, context, hear } = await open({ path: "/" });
  const terms = { ruleset: "barrage", time: { kind: "unlimited" } };
  const lobby = { type: "lobby", games: [], players_online: 1, seeks: [{ id: "s1", seeker: player("red"), terms, side: "blue" }] };
  await hear(welcome("red"));
  await hear(lobby);
  await page.evaluate(async () => {
    const { fed } = /** @type {any} */ (window);
    fed.socket.onclose({ code: 1006 });
    await fed.run(100);
    fed.socket.onopen();
  });
  await hear(welcome("red"));
  await hear({ ...lobby, seeks: [] });
  const again = page.getByRole("button", { name: "Post it again" });
  await until(page, again);
  await page.getByRole("alert").getByText("your offer was withdrawn").waitFor({ state: "attached" });
  await again.click();
  const [seek] = (await sentOf(page)).filter(({ type }) => type === "seek");
  assert.deepEqual({ terms: seek.terms, side: seek.side }, { terms, side: "blue" });
  await pass(page);
  assert.equal(await page.locator(".bar").count(), 0);
  assert.deepEqual(faults, []);
  await context.close();
});

test("the chat is muted by a key, and notices are switched in the settings", async () => {
  const { page, faults, context, hear } = await open({ settings: {} });
  await hear(welcome("red"));
  await feed(page, messages.red);
  const said = { type: "said", game: GAME, side: "blue", said: { kind: "phrase", phrase: "hello" } };
  /** Lets the page draw. @param {number} [ms] */
  const pass = (ms = 100) => page.evaluate((ms) => /** @type {any} */ (window).fed.run(ms), ms);
  await page.getByRole("tab", { name: "Chat" }).click();
  await until(page, page.locator(".chat"));
  await feed(page, [said]);
  await page.locator(".said li").waitFor();
  await page.locator(".squares [tabindex='0']").focus();
  await page.keyboard.press("x");
  await pass();
  assert.equal(await page.locator(".said").isVisible(), false);
  await page.getByText("You no longer see what this player says").first().waitFor();
  const log = logOf(await feed(page, [said]));
  assert.doesNotMatch(log.join("\n"), /Your opponent says something/);
  await page.keyboard.press("x");
  await pass();
  assert.equal(await page.locator(".said").isVisible(), true);

  await page.getByRole("button", { name: "Settings" }).click();
  await page.waitForTimeout(300);
  await pass();
  assert.equal(await page.getByLabel("Sounds", { exact: true }).isChecked(), true);
  assert.equal(await page.getByLabel("Notify me when it is my turn").isChecked(), false);
  await page.getByLabel("Notify me when it is my turn").click();
  await page.getByLabel("Sounds", { exact: true }).click();
  await pass();
  const { sound, notify_turn, notify_time } = await page.evaluate(() => JSON.parse(localStorage.getItem("settings") ?? "{}"));
  assert.deepEqual({ sound, notify_turn, notify_time }, { sound: "off", notify_turn: "on", notify_time: "off" });
  assert.deepEqual(faults, []);
  await context.close();
});
