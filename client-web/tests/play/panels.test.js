// What stands beside the board, on pages that are fed with messages.

import assert from "node:assert/strict";
import test from "node:test";
import { PHONE, picture } from "../browser.js";
import { feedPage, settle, until, welcome } from "../fed.js";
import { chromium, server, rules } from "../fed_site.js";
import { GAME, gameMessage, player, positionMessage } from "../pairs.js";

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

const RESERVES = "shadowflash-3 red 8 2 .15bF/.16/.16/.16/.3~3.4~3.3/.3~3.4~3.3/r9'[9P].15/.4b7'*^.11/.16/rF.15 B:2,9:1,9^:1 - a4r,b5g ";
const COINS = "quantum red 12 3 bo.9/.10/.10/.10/.2~2.2~2.2/.2~2.2~2.2/.2ro'b5'*.6/.10/.10/roro.8 F:1,B:1,9:1 F:1 ";

/** A game from a position. @param {string} position @param {"red" | "blue" | "public"} audience @param {object} [how] */
async function open(position, audience, how = {}) {
  const fed = await feedPage(chromium, { url: server.url, rules, settings: {}, ...how });
  await fed.page.route("**/api/games/*/record?*", (route) => route.fulfill({ status: 503, json: { code: "store_unavailable", message: "" } }));
  await fed.hear(welcome(audience));
  await fed.hear(await positionMessage(position, audience));
  await settle(fed.page, ".piece");
  const press = async (/** @type {string} */ square, /** @type {object} */ click = {}) => {
    await fed.page.locator(`[data-square="${square}"]`).click(click);
    await fed.page.evaluate(() => /** @type {any} */ (window).fed.run(100));
  };
  const sent = async (/** @type {string} */ kind) => (await fed.page.evaluate(() => /** @type {any} */ (window).fed.log.slice()))
    .filter((/** @type {string} */ line) => / send /.test(line) && line.includes(`"kind":"${kind}"`)).length;
  const end = async () => {
    assert.deepEqual(fed.faults, []);
    await fed.context.close();
  };
  return { ...fed, press, sent, end };
}

for (const [audience, own] of /** @type {const} */ ([["red", "1 Scout, 2 Bomb, 1 labeled Scout"], ["public", "1 labeled Scout"]])) {
  test(`losses name both reserves, as far as they are known, and figures as pieces show them: ${audience}`, async () => {
    const { page, end } = await open(`${RESERVES}-`, audience, { settings: { numbering: "eu" } });
    await page.getByRole("tab", { name: "Losses" }).click();
    await page.getByRole("rowheader", { name: "Scout (2)" }).waitFor();
    assert.deepEqual(await page.locator(".panel-body p").allTextContents(), [`Red has 4 pieces in reserve: ${own}.`, "Blue has 0 pieces in reserve."]);
    await end();
  });
}

test("a note has the figure that pieces show", async () => {
  const { page, press, end } = await open("classic red 30 4 bF.9/b8'.9/.10/.10/.2~2.2~2.2/.2~2.2~2.2/.10/.3rS'b1'*.5/.10/rFr8.8", "red", { settings: { numbering: "eu" } });
  await press("a9", { button: "right" });
  await until(page, page.getByRole("button", { name: "2 Scout" }));
  await page.getByRole("button", { name: "10 Marshal" }).click();
  await settle(page, ".note");
  assert.equal(await page.locator(".note").textContent(), "10");
  await end();
});

test("a change after Ready is said not to be submitted", async () => {
  const { page, faults, context, hear } = await feedPage(chromium, { url: server.url, rules, settings: {} });
  await hear(welcome("red"));
  const message = begun("red");
  Object.assign(message.view, { ruleset: "barrage", phase: "deploying", ready: { red: true, blue: false }, pieces: [], turn: null, ply: 0,
    own_deployment: `FBS99821${".".repeat(32)}` });
  message.game.terms.ruleset = "barrage";
  await hear(message);
  await settle(page, ".piece");
  const status = page.locator("#status");
  assert.equal(await status.textContent(), "You are ready. Waiting for your opponent.");
  const use = async (/** @type {string} */ name) => {
    await page.getByRole("button", { name, exact: true }).click();
    await page.evaluate(() => /** @type {any} */ (window).fed.run(100));
  };
  await use("Clear");
  assert.equal(await status.textContent(), "This change is not submitted: until you press “Ready”, your earlier army counts.");
  await use("Undo");
  assert.equal(await status.textContent(), "You are ready. Waiting for your opponent.");
  for (const square of ["a4", "b4"]) await page.locator(`[data-square="${square}"]`).click();
  await settle(page, ".deploy .main:enabled");
  assert.match(await status.textContent() ?? "", /^This change is not submitted/);
  await page.evaluate(() => /** @type {any} */ (window).fed.run(3_000));
  assert.match(await status.textContent() ?? "", /^This change is not submitted/, "no explanation takes its place");
  assert.deepEqual(faults, []);
  await context.close();
});

test("the letter of every rank places it, also where another key has it", async () => {
  const { page, faults, context, hear } = await feedPage(chromium, { url: server.url, rules, settings: { numbering: "eu" } });
  await hear(welcome("red"));
  const message = begun("red");
  Object.assign(message.view, { ruleset: "shadowflash-2", phase: "deploying", ready: { red: false, blue: false }, pieces: [], lakes: [], turn: null, ply: 0 });
  message.game.terms.ruleset = "shadowflash-2";
  await hear(message);
  await settle(page, ".square.free");
  await page.locator("[data-square='a1']").focus();
  for (const key of ["f", "ArrowRight", "p", "ArrowRight", "0"]) await page.keyboard.press(key);
  const label = (/** @type {string} */ square) => page.locator(`[data-square="${square}"]`).getAttribute("aria-label");
  assert.deepEqual([await label("b1"), await label("c1")], ["b1, your Phoenix", "c1, your Marshal"]);
  await page.keyboard.press("n");
  assert.equal(await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).dataset.square), "a1");
  assert.deepEqual(faults, []);
  await context.close();
});

test("keys that are typed elsewhere choose no color", async () => {
  const { page, sent, end } = await open(RESERVES.replace("a4r,b5g ", "b5g a4"), "red");
  await settle(page, ".sheet .color-button");
  await page.getByRole("tab", { name: "Chat" }).click();
  await until(page, page.getByRole("button", { name: "Report" }));
  await page.getByRole("button", { name: "Report" }).click();
  await until(page, page.getByLabel("What happened"));
  await page.getByLabel("What happened").pressSequentially("bry4");
  await page.getByRole("dialog").locator("button").first().press("b");
  assert.equal(await sent("color"), 0);
  await page.keyboard.press("Escape");
  await page.keyboard.press("b");
  assert.equal(await sent("color"), 1);
  await end();
});

test("the sheet of a coin's ranks gives its reasons in sight", async () => {
  const { page, end } = await open(`${COINS}c4d4`, "red");
  await settle(page, ".sheet .tray-piece");
  assert.deepEqual((await page.locator(".sheet p").allTextContents()).slice(1), [
    "1, 2, 3, 4, 5, 6, 7, 8, Spy: none is left in your pool",
    "Bomb, Flag: your coin moves, or has moved",
  ]);
  await picture(page, "choice-reasons");
  await end();
});

test("a target that makes a coin a Scout shows it", async () => {
  const { page, press, end } = await open(`${COINS}-`, "red");
  await press("c4");
  const marked = await page.locator(".note").allTextContents();
  assert.ok(marked.length > 0 && marked.every((text) => text === "9"), marked.join());
  assert.match(await page.locator("[data-square='a4']").getAttribute("aria-label") ?? "", /your coin becomes a Scout$/);
  assert.match(await page.locator("[data-square='b4']").getAttribute("aria-label") ?? "", /you can go here$/);
  await end();
});

test("on a phone, More has the terms and the field for moves, and the key m opens it", async () => {
  const { page, end } = await open(`${RESERVES}-`, "red", { options: PHONE });
  const [terms, field] = [page.getByText("10 min + 5 s a move"), page.getByLabel("Type a move")];
  assert.deepEqual([await terms.isVisible(), await field.isVisible()], [false, false]);
  await page.locator(".squares [tabindex='0']").press("m");
  await until(page, field);
  assert.ok(await field.evaluate((element) => element === document.activeElement));
  assert.ok(await terms.isVisible());
  assert.equal(await page.getByRole("button", { name: "Turn the board" }).count(), 1);
  await picture(page, "phone-more");
  await end();
});

test("a piece is explained while the mouse rests on it, until the mouse leaves the board", async () => {
  const { page, end, press } = await open("classic red 30 4 bF.9/b8'.9/.10/.10/.2~2.2~2.2/.2~2.2~2.2/.10/.3rS'b1'*.5/.10/rFr8.8", "red");
  const about = page.locator(".latest").getByText(/^a9, enemy, hidden/);
  const rest = async (/** @type {number} */ ms) => page.evaluate((ms) => /** @type {any} */ (window).fed.run(ms), ms);
  await page.locator("[data-square='a9']").hover();
  await rest(500);
  assert.equal(await about.count(), 0);
  await rest(200);
  await until(page, about);
  await page.mouse.move(1, 1);
  await rest(20);
  assert.equal(await about.count(), 0);
  await press("a9");
  await until(page, about);
  await page.mouse.move(1, 1);
  await rest(700);
  assert.equal(await about.count(), 1, "what was clicked stays");
  await end();
});
