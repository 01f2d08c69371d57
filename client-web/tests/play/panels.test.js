// What stands beside the board, on pages that are fed with messages.

import assert from "node:assert/strict";
import test from "node:test";
import { feedPage, settle, until, welcome } from "../fed.js";
import { chromium, server, rules } from "../fed_site.js";
import { GAME, gameMessage, player } from "../pairs.js";

/** A game that has begun before the page was opened. @param {"red" | "blue" | "public"} audience */
function begun(audience) {
  return /** @type {any} */ (gameMessage({
    audience, ruleset: "classic", phase: "playing", ready: { red: true, blue: true }, lakes: ["c5"],
    pieces: ["a4r9'", "a7b?"], captured: { red: {}, blue: {} }, ply: 2, turn: "red",
    commitments: { red: null, blue: null }, opened: { red: null, blue: null },
  }, 3));
}

test("the players' ratings and pages stand beside their names, and move nothing", async () => {
  const { page, faults, context, hear } = await feedPage(chromium, { url: server.url, rules, settings: {} });
  /** @type {() => void} */
  let answer = () => undefined;
  const isAsked = new Promise((resolve) => {
    void page.route("**/api/players/ann", async (route) => {
      await new Promise((go) => {
        answer = () => go(undefined);
        resolve(undefined);
      });
      const now = { rating: 1533, deviation: 140, provisional: true };
      await route.fulfill({ json: { player: player("red"), created: 0, ratings: [{ ruleset: "classic", speed: "rapid", games: 3, last: 0, now }] } });
    });
  });
  await page.route("**/api/games/*/record?*", (route) => route.fulfill({ status: 503, json: { code: "store_unavailable", message: "" } }));
  const message = begun("red");
  message.game.players.red.kind = "account";
  await hear(welcome("red"));
  await hear(message);
  await isAsked;
  const strip = page.locator(".strip-red");
  const places = () => strip.locator("strong, .small, .clock").evaluateAll((elements) => elements.map((element) => {
    const { x, y, height } = element.getBoundingClientRect();
    return { x, y, height };
  }));
  const before = await places();
  answer();
  await strip.getByText("1533?").waitFor();
  assert.deepEqual(await places(), before);
  const link = strip.getByRole("link", { name: "ann" });
  assert.deepEqual([await link.getAttribute("href"), await link.getAttribute("target")], ["/@/ann", "_blank"]);
  assert.deepEqual(faults, []);
  await context.close();
});

test("moves from before the page was opened are listed as the player was shown them", async () => {
  const { page, faults, context, hear } = await feedPage(chromium, { url: server.url, rules, settings: {} });
  /** @type {string[]} */
  const asked = [];
  const first = begun("red").view;
  const clock = { at: 0, remaining_ms: { red: 1, blue: 1 } };
  /** @param {"red" | "blue"} side @param {string} move @param {string} piece */
  const moved = (side, move, piece) => ({ at: 0, event: { kind: "moved", side, move, piece }, change: { clock, pieces: [] } });
  const events = [
    { at: 0, event: { kind: "started", commitments: { red: null, blue: null } }, change: { pieces: [] } },
    moved("red", "a3a4", "9"), moved("blue", "b7b6", "?"), moved("red", "a4a5", "9"),
  ];
  await page.route("**/api/games/*/record?*", async (route) => {
    asked.push(new URL(route.request().url()).search);
    await route.fulfill({ json: { first_view: { ...first, ply: 0, phase: "deploying" }, events } });
  });
  await hear(welcome("red"));
  await hear(begun("red"));
  await page.getByText("Blue moves b7b6.").first().waitFor();
  await hear({ type: "event", game: GAME, seq: 4, event: moved("red", "a4a5", "9").event, change: { clock, turn: "blue", pieces: ["a5r9'"] } });
  const lines = await page.locator(".moves li").allTextContents();
  assert.deepEqual(lines.map((line) => line.trim()), ["0 Both sides are ready. The game starts.", "1 Red moves a3a4.", "2 Blue moves b7b6.", "3 Red moves a4a5."]);
  assert.deepEqual(asked, ["?as=red"]);
  assert.deepEqual(faults, []);
  await context.close();
});

test("texts beside the board do not tell how a strike ends before the board does", async () => {
  const { page, faults, context, hear } = await feedPage(chromium, { url: server.url, rules, settings: {} });
  await page.route("**/api/games/*/record?*", (route) => route.fulfill({ status: 503, json: { code: "store_unavailable", message: "" } }));
  await hear(welcome("public"));
  await hear(begun("public"));
  const strike = { attacker: "9", attacker_fate: "leaves", defender: "F", defender_fate: "leaves" };
  const event = { kind: "moved", side: "red", move: "a4a7", piece: "9", strike };
  const outcome = { winner: "red", reason: "flag_captured" };
  await hear({ type: "event", game: GAME, seq: 4, event, change: { turn: null, pieces: [], captured: { red: { scout: 1 }, blue: { flag: 1 } } } }, 0);
  await hear({ type: "event", game: GAME, seq: 5, event: { kind: "ended", outcome }, change: { phase: "over", outcome, pieces: [] } }, 300);
  const texts = () => page.locator("#status, .latest p, .moves li").allTextContents();
  assert.deepEqual(await texts(), ["Red moves."]);
  assert.equal(await page.locator(".taken span").count(), 0);
  await page.evaluate(() => /** @type {any} */ (window).fed.run(2_000));
  const [status, ...others] = await texts();
  assert.equal(status, "Red wins: Blue's Flag was captured.");
  assert.match(others.join("\n"), /Red's Scout/);
  assert.equal(await page.locator(".taken > span").count(), 2);
  assert.equal(await page.getByRole("alert").textContent(), "Red wins: Blue's Flag was captured.");
  assert.ok(!(await page.getByRole("log").textContent())?.includes("wins"), "the end is said once");
  assert.deepEqual(faults, []);
  await context.close();
});

test("neither do the texts around a board of the page for looking on", async () => {
  const message = begun("public");
  const { page, faults, context, hear } = await feedPage(chromium, { url: server.url, rules, path: "/watch", settings: {}, api: { "/api/games": { games: [] } } });
  await hear(welcome("public"));
  await hear({ type: "lobby", players_online: 2, seeks: [], games: [message.game] });
  await hear(message);
  await settle(page, ".watch-large .piece");
  const texts = async () => [await page.locator(".watch-foot span").textContent(), await page.locator(".taken > span").count()];
  const before = await texts();
  assert.equal(before[1], 0);
  const strike = { attacker: "9", attacker_fate: "leaves", defender: "9", defender_fate: "leaves" };
  const event = { kind: "moved", side: "red", move: "a4a7", piece: "9", strike };
  await hear({ type: "event", game: GAME, seq: 4, event, change: { turn: "blue", pieces: [], captured: { red: { scout: 1 }, blue: { scout: 1 } } } }, 300);
  await page.locator(".attacking").waitFor();
  assert.deepEqual(await texts(), before);
  await page.evaluate(() => /** @type {any} */ (window).fed.run(2_000));
  assert.deepEqual(await texts(), [before[0]?.toString().replace("ply 2", "ply 3"), 2]);
  assert.deepEqual(faults, []);
  await context.close();
});

test("offers and rating changes are told when they come", async () => {
  const { page, faults, context, hear } = await feedPage(chromium, { url: server.url, rules, settings: {} });
  await page.route("**/api/games/*/record?*", (route) => route.fulfill({ status: 503, json: { code: "store_unavailable", message: "" } }));
  await hear(welcome("red"));
  await hear(begun("red"));
  const points = (/** @type {number} */ red, /** @type {number} */ blue) => ({ red: { rating: red, deviation: 90 }, blue: { rating: blue, deviation: 90, provisional: true } });
  await hear({ type: "rated", change: { game: GAME, ruleset: "classic", speed: "rapid", before: points(1500, 1500), after: points(1512, 1488) } });
  await page.locator(".latest").getByText("Your rating: 1500 → 1512 (+12). Your opponent's: 1500? → 1488? (−12).").waitFor();
  const toast = page.getByRole("status");
  await hear({ type: "rematch_offered", game: GAME, side: "red" });
  assert.equal(await toast.textContent(), "");
  await hear({ type: "rematch_offered", game: GAME, side: "blue" });
  assert.equal(await toast.textContent(), "Your opponent offers a rematch.");
  const invitation = { challenge: "8k2v6m3q9d4w7c5x", challenger: player("blue", "carol"), expires: 0, terms: { ruleset: "classic", time: { kind: "unlimited" } } };
  await hear({ type: "challenged", invitation });
  assert.match(await toast.textContent() ?? "", /^carol challenges you/);
  assert.deepEqual(faults, []);
  await context.close();
});

test("where an illegal move loses, the page asks before it makes one; settings say before which moves it asks", async () => {
  const { page, faults, context, hear } = await feedPage(chromium, { url: server.url, rules, settings: { confirm: "always" } });
  await page.route("**/api/games/*/record?*", (route) => route.fulfill({ status: 503, json: { code: "store_unavailable", message: "" } }));
  await hear(welcome("red"));
  const message = begun("red");
  Object.assign(message.view, { ruleset: "course", pieces: ["a4r4'", "a5b?'", "j7b?"] });
  message.game.terms.ruleset = "course";
  await hear(message);
  const sent = () => page.evaluate(() => /** @type {any} */ (window).fed.read().log.filter((/** @type {string} */ line) => line.includes('"kind":"move"')).map((/** @type {string} */ line) => /"move":"(\w+)"/.exec(line)?.[1]));
  const press = async (/** @type {string} */ square) => {
    await page.locator(`[data-square="${square}"]`).click();
    await page.evaluate(() => /** @type {any} */ (window).fed.run(100));
  };
  await press("a4");
  await press("e6");
  await until(page, page.getByRole("dialog").getByText("a4e6 is against the rules"));
  assert.deepEqual(await sent(), []);
  await page.getByRole("dialog").getByRole("button", { name: "Keep things as they are" }).click();
  await press("a5");
  await until(page, page.getByRole("dialog").getByText(/a4a5/));
  await page.getByRole("dialog").getByRole("button", { name: "Keep things as they are" }).click();
  await press("a4");
  await press("e6");
  await until(page, page.getByRole("button", { name: "Make it and lose" }));
  await page.getByRole("button", { name: "Make it and lose" }).click();
  await page.evaluate(() => /** @type {any} */ (window).fed.run(100));
  assert.deepEqual(await sent(), ["a4e6"]);
  assert.deepEqual(faults, []);
  await context.close();
});

test("an offer with changed rules names them, and what cannot be changed says why", async () => {
  const { page, faults, context, hear } = await feedPage(chromium, { url: server.url, rules, path: "/play", settings: {} });
  await hear(welcome("red"));
  await page.getByText("More choices").click();
  await page.getByLabel("Equal ranks").selectOption("defender");
  await page.getByLabel("Draw without captures").selectOption("400");
  await page.getByText("This game changes the rules:").waitFor();
  await page.getByRole("radio", { name: "Anybody" }).check({ force: true });
  assert.ok(await page.getByLabel("Opponent’s rating, at least").isDisabled());
  await page.getByText("Ratings need a clock, and rules without changes.").waitFor();
  await page.getByRole("button", { name: "Post the offer" }).click();
  const sent = await page.evaluate(() => /** @type {any} */ (window).fed.log.filter((/** @type {string} */ line) => line.includes('"type":"seek"')));
  assert.match(String(sent), /"ruleset":"classic,ties=defender,quiet=400"/);
  // Rules without that choice: its value stands there, with the reason.
  await page.getByLabel("Rules").selectOption("silent-defense");
  const disclosure = page.getByLabel("Ranks that a strike shows");
  assert.deepEqual([await disclosure.isDisabled(), await disclosure.inputValue()], [true, "silent"]);
  await page.getByText("This is fixed in these rules.").first().waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("a mute lasts, and is taken back on the account's page", async () => {
  const { page, faults, context, hear } = await feedPage(chromium, { url: server.url, rules, settings: {} });
  await page.route("**/api/games/*/record?*", (route) => route.fulfill({ status: 503, json: { code: "store_unavailable", message: "" } }));
  await page.route("**/api/blocks", (route) => route.fulfill({ json: { players: [] } }));
  await hear(welcome("red"));
  await hear(begun("red"));
  await page.getByRole("tab", { name: "Chat" }).click();
  await hear({ type: "said", game: GAME, side: "blue", said: { kind: "text", text: "first words" } });
  await page.getByText("first words").waitFor();
  await page.getByRole("button", { name: "Mute" }).click();
  await page.getByText("first words").waitFor({ state: "detached" });
  await hear({ type: "said", game: GAME, side: "blue", said: { kind: "text", text: "second words" } });
  await page.getByText("You no longer see what this player says").first().waitFor();
  assert.equal(await page.getByText("second words").count(), 0);
  const later = await feedPage(chromium, { url: server.url, rules, settings: {}, path: "/account", beside: context });
  await later.page.route("**/api/blocks", (route) => route.fulfill({ json: { players: [] } }));
  await later.hear(welcome("red"));
  await later.page.getByRole("button", { name: "Unmute bob" }).click();
  await later.page.getByText("You have not muted anyone.").waitFor();
  await page.getByText("second words").waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("a report goes to the operators, with what happened", async () => {
  const { page, faults, context, hear } = await feedPage(chromium, { url: server.url, rules, settings: {} });
  await page.route("**/api/games/*/record?*", (route) => route.fulfill({ status: 503, json: { code: "store_unavailable", message: "" } }));
  await hear(welcome("red"));
  await hear(begun("red"));
  await page.getByRole("tab", { name: "Chat" }).click();
  await until(page, page.getByRole("button", { name: "Report" }));
  await page.getByRole("button", { name: "Report" }).click();
  await page.getByLabel("What happened").waitFor({ state: "attached" });
  await page.evaluate(() => /** @type {any} */ (window).fed.run(100));
  await page.getByLabel("What happened").fill("bad words");
  await page.getByRole("button", { name: "Send the report" }).click();
  const sent = await page.evaluate(() => /** @type {any} */ (window).fed.log.filter((/** @type {string} */ line) => line.includes('"type":"report"')));
  assert.match(String(sent), /"reason":"bad words"/);
  assert.deepEqual(faults, []);
  await context.close();
});
