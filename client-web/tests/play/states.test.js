// What pages show while something is on its way, if it does not come, and before the modules run.

import assert from "node:assert/strict";
import test from "node:test";
import { newAccount, openAs, PASSWORD } from "../accounts.js";
import { newPage, picture } from "../browser.js";
import { feedPage, welcome } from "../fed.js";
import { chromium, rules, server } from "../fed_site.js";
import { BEGIN, GAME, player } from "../pairs.js";

/** @typedef {import("playwright-core").Page} Page */

/** What a page asks for and does not get until `let` is called. @param {Page} page @param {string | RegExp} address */
async function hold(page, address) {
  /** @type {() => void} */
  let open = () => undefined;
  const opened = /** @type {Promise<void>} */ (new Promise((resolve) => (open = resolve)));
  await page.route(address, async (route) => {
    await opened;
    await route.fallback();
  });
  return { let: open };
}

/** Lets time pass until a text is shown: what waits for it may only be loading. @param {Page} page @param {string} text */
async function passUntil(page, text) {
  for (let seconds = 0; seconds < 30 && await page.getByText(text).count() === 0; seconds++) await page.clock.runFor(1_000);
  await page.getByText(text).first().waitFor();
}

/** The height of the page and what is said in it. @param {Page} page */
const heights = (page) => page.evaluate(() => [...document.querySelectorAll("main .card, main .skeleton-place")].map((one) => one.getBoundingClientRect().height));

test("a page that waits says for what after a while, and nothing moves", async () => {
  const { page, faults, context } = await newPage(chromium);
  await page.clock.install();
  const [held, rest] = [await hold(page, "**/api/rulesets"), await hold(page, "**/pages/rules.js")];
  await page.routeWebSocket("**/ws", () => undefined);
  await page.goto(server.url);
  await page.locator("main .skeleton").waitFor();
  const before = await heights(page);
  await page.clock.runFor(3_100);
  await page.getByRole("status").getByText("Waiting for the server…").waitFor();
  assert.deepEqual(await heights(page), before);
  await picture(page, "states-rules");
  held.let();
  await page.getByRole("heading", { level: 1 }).waitFor();
  // Offers and live games come over the line.
  assert.equal(await page.getByText("Waiting for the server…").count(), 0);
  const lists = await heights(page);
  await page.clock.runFor(3_100);
  await page.getByText("Waiting for the server…").nth(1).waitFor();
  assert.deepEqual(await heights(page), lists);
  await picture(page, "states-home");
  for (const path of ["/play", "/watch", "/games", "/account", "/statistics", "/challenge#8k2v6m3q9d4w"]) {
    await page.goto(server.url + path);
    await page.locator("main .skeleton").first().waitFor();
    await passUntil(page, "Waiting for the server…");
  }
  await page.goto(`${server.url}/rules`);
  await page.locator("main .skeleton").waitFor();
  await passUntil(page, "The rest of the page is still loading…");
  rest.let();
  await page.getByRole("heading", { name: "Quantum" }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("until the modules run, the page has its place; in a browser that is too old it says so", async () => {
  const { page, context } = await newPage(chromium);
  const held = await hold(page, "**/main.js");
  await page.goto(server.url, { waitUntil: "commit" });
  await page.locator(".at-first .skeleton").waitFor();
  assert.equal(await page.getByText("This browser is too old").isVisible(), false);
  held.let();
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.equal(await page.locator(".too-old, .at-first").count(), 0);
  await context.close();

  const old = await newPage(chromium);
  await old.page.addInitScript(() => (CSS.supports = () => false));
  await old.page.route("**/page.css", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: (await answer.text()).replaceAll("light-dark(", "unknown-to-it(") });
  });
  await old.page.goto(server.url);
  await old.page.getByText("This browser is too old").waitFor();
  await old.page.getByText("flagfall play --server").first().waitFor();
  await old.page.waitForLoadState("networkidle");
  assert.equal(await old.page.locator(".skeleton").first().isVisible(), false);
  assert.equal(await old.page.locator("#main").count(), 0);
  await picture(old.page, "states-old");
  assert.deepEqual(old.faults, []);
  await old.context.close();
});

/** Lets the time of a fed page pass until something is shown. @param {import("playwright-core").Locator} wanted */
async function until(wanted) {
  while (await wanted.count() === 0) await wanted.page().evaluate(() => /** @type {any} */ (window).fed.run(20));
}

/** Lets the time of a fed page pass until it has sent something. @param {Page} page @param {string} text */
async function untilSent(page, text) {
  const isSent = () => page.evaluate(async (text) => {
    const { fed } = /** @type {any} */ (window);
    await fed.run(20);
    return fed.log.some((/** @type {string} */ line) => line.includes("send ") && line.includes(text));
  }, text);
  while (!await isSent());
}

/** A live game of others. @param {string} id @param {string} red */
const live = (id, red) => ({
  id, created: BEGIN, phase: "playing", ply: 3, turn: "red", outcome: null,
  players: { red: player("red", red), blue: player("blue", "x") }, terms: { ruleset: "classic", time: { kind: "unlimited" } },
});

test("looking on begins with the game of the strongest players; the games that ended are asked for again if they do not come", async () => {
  const { page, context, hear } = await feedPage(chromium, { url: server.url, rules, settings: {}, path: "/" });
  const [weak, strong] = [live("weakgame0000", "weak"), live("stronggame00", "strong")];
  await page.route("**/api/games?order=rating", (route) => route.fulfill({ json: { games: [strong, weak] } }));
  await page.route("**/api/games?phase=over", (route) => route.fulfill({ status: 503, json: { code: "store_unavailable", message: "away" } }));
  await hear(welcome("public"));
  await page.evaluate(() => (/** @type {any} */ (window).fed.log.length = 0));
  await page.getByRole("link", { name: "Watch", exact: true }).click();
  await until(page.getByRole("heading", { level: 1, name: "Live games" }));
  await untilSent(page, '"open_lobby"');
  await hear({ type: "lobby", games: [weak, strong], players_online: 4, seeks: [] });
  await until(page.locator(".small-game").getByText("weak"));
  await untilSent(page, `"game":"${strong.id}"`);
  await hear({ type: "refused", game: strong.id, code: "too_many", message: "Too many look on.", args: {} });
  await until(page.getByRole("alert").getByText("too_many"));
  await hear({ type: "lobby", games: [], players_online: 4, seeks: [] }, 10_000);
  const alert = page.getByRole("alert").filter({ hasText: "store_unavailable" });
  await until(alert);
  await picture(page, "states-watch-error");
  await page.unroute("**/api/games?phase=over");
  await page.route("**/api/games?phase=over", (route) => route.fulfill({ json: { games: [{ ...weak, phase: "over", outcome: { winner: "red", reason: "resigned" } }] } }));
  await alert.getByRole("button", { name: "Try again" }).click();
  await until(page.getByText("Red wins: Blue resigned."));
  await context.close();
});

test("a bar that stays is read at once, one that comes and goes is not", async () => {
  const { page, faults, context, hear } = await feedPage(chromium, { url: server.url, rules, settings: {}, path: "/" });
  const alert = page.getByRole("alert");
  /** @param {number} ms */
  const pass = (ms) => page.evaluate((ms) => /** @type {any} */ (window).fed.run(ms), ms);
  await hear(welcome("red"));
  const cut = () => page.evaluate(() => /** @type {any} */ (window).fed.socket.onclose({ code: 4000 }));
  await cut();
  await pass(500);
  await page.getByText("The server is restarting").first().waitFor();
  await page.evaluate(() => /** @type {any} */ (window).fed.socket.onopen());
  await hear(welcome("red"), 2_000);
  for (let turn = 0; turn < 2; turn++) {
    assert.equal(await alert.textContent(), "", "a text that stays the same is not read again");
    await cut();
    await pass(1_500);
    assert.match(await alert.textContent() ?? "", /^The server is restarting/);
    await page.evaluate(() => /** @type {any} */ (window).fed.socket.onopen());
    await hear(welcome("red"), 2_000);
  }
  assert.deepEqual(faults, []);
  await context.close();
});

test("the first page says of its player's games only what it knows, and asks again", async () => {
  const { page, context, hear } = await feedPage(chromium, { url: server.url, rules, settings: {}, path: "/" });
  const own = /** @type {any} */ ({ ...live("owngame00000", "ann"), players: { red: player("red"), blue: player("blue") } });
  await hear({ ...welcome("red"), games: [{ ...own, phase: "deploying", turn: null }] });
  const list = page.locator("section", { has: page.getByRole("heading", { name: "Your games" }) });
  await list.getByText("deploying").waitFor();
  await page.evaluate(() => (/** @type {any} */ (window).fed.log.length = 0));
  for (let id = 0; id < 4; id++) await hear({ type: "ping", id, server_time: BEGIN, heads: [] }, 5_000);
  await untilSent(page, '"my_games"');
  await hear({ type: "my_games", games: [own] });
  await list.getByText("Your turn").waitFor();
  await context.close();
});

test("a game that cannot be opened for the moment is asked for again", async () => {
  const { page, faults, context, hear } = await feedPage(chromium, { url: server.url, rules, settings: {} });
  await hear(welcome("red"));
  const asked = () => page.evaluate(() => /** @type {any} */ (window).fed.log.filter((/** @type {string} */ line) => line.includes('"open_game"')).length);
  assert.equal(await asked(), 1);
  await hear({ type: "refused", game: GAME, code: "store_unavailable", message: "", args: {} }, 0);
  await page.getByRole("heading", { name: "This game cannot be shown" }).waitFor();
  await page.getByText("store_unavailable").waitFor();
  await page.evaluate(() => /** @type {any} */ (window).fed.run(3_100));
  assert.equal(await asked(), 2);
  assert.deepEqual(faults, []);
  await context.close();
});

test("settings have a page: pieces, keys and planned moves change at once; letters do nothing on the board when they are off", async () => {
  const { page, faults, context } = await newPage(chromium);
  await page.goto(`${server.url}/rules`);
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  const shapes = page.locator(".shown-pieces path");
  const before = await shapes.count();
  await page.getByLabel("What pieces show").selectOption("glyphs");
  await shapes.nth(before).waitFor();
  await page.getByLabel("Use letters, numbers and symbols as keys on the board").click();
  await page.getByLabel("Let me plan a move on my opponent's turn").click();
  await picture(page, "settings-page", true);
  assert.deepEqual(await page.evaluate(() => {
    const { print, letters, premove } = JSON.parse(localStorage.getItem("settings") ?? "{}");
    return { print, letters, premove };
  }), { print: "glyphs", letters: "off", premove: "off" });
  await page.goto(`${server.url}/deployments/classic`);
  const square = page.locator(".squares [tabindex='0']");
  await square.focus();
  await page.keyboard.press("b");
  assert.equal(await page.locator(".piece").count(), 0);
  await page.evaluate(() => localStorage.setItem("settings", "{}"));
  await page.reload();
  await square.focus();
  await page.keyboard.press("b");
  await page.locator(".piece").waitFor();

  // Another language is spoken once the page is left.
  await page.goto(`${server.url}/settings`);
  await page.getByLabel("Language").selectOption({ label: "Русский" });
  await page.getByRole("button", { name: "Change it now" }).waitFor();
  await page.getByRole("link", { name: "Play", exact: true }).click();
  await page.getByRole("heading", { name: "Начать партию" }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("the player's reports have their states", async () => {
  const token = await newAccount(server.address, "rita");
  const { page, context } = await openAs(chromium, server, token);
  await page.goto(`${server.url}/account`);
  await page.getByText("You have not reported anyone.").waitFor();
  const reports = ["open", "acted", "nothing"].map((state, index) => ({
    game: `d290kyvg7ct${index}`, at: 1_700_000_000_000, reported: { id: "x", name: `eve${index}`, kind: "account" }, reason: "bad words", state,
  }));
  await page.route("**/api/me/reports", (route) => route.fulfill({ json: { reports } }));
  await page.reload();
  for (const text of ["The operators have not decided yet.", "The operators took action.", "The operators saw no reason to act."]) await page.getByText(text).waitFor();
  await picture(page, "states-reports", true);
  await context.close();
});

test("an account that is deleted ends the notices to this browser first, and begins them again if it stays", async () => {
  const token = await newAccount(server.address, "dora");
  const { page, context } = await openAs(chromium, server, token);
  await context.grantPermissions(["notifications"], { origin: server.url });
  await page.addInitScript(() => {
    localStorage.setItem("is-subscribed", localStorage.getItem("is-subscribed") ?? "yes");
    const subscription = {
      endpoint: "https://push.example/dora", toJSON: () => ({ endpoint: "https://push.example/dora", keys: {} }),
      unsubscribe: async () => localStorage.setItem("is-subscribed", "no"),
    };
    const known = () => (localStorage.getItem("is-subscribed") === "yes" ? subscription : null);
    const pushManager = {
      getSubscription: async () => known(),
      subscribe: async () => {
        localStorage.setItem("is-subscribed", "yes");
        return subscription;
      },
    };
    const registration = { pushManager };
    Object.defineProperty(navigator, "serviceWorker", { value: {
      ready: Promise.resolve(registration), getRegistration: async () => registration, register: async () => registration, addEventListener: () => undefined,
    } });
  });
  /** @type {string[]} */
  const asked = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() !== "GET" && pathname.startsWith("/api/")) asked.push(`${request.method()} ${pathname}`);
  });
  await page.route("**/api/push", (route) => route.fulfill({ json: route.request().method() === "GET" ? { key: "k" } : {} }));
  // Whose the subscription is must be known before a page looks at it.
  await page.goto(`${server.url}/rules`);
  const { id } = await page.evaluate(async () => (await (await fetch("/api/account")).json()).player);
  await page.evaluate((id) => localStorage.setItem("push-of", id), id);
  await page.goto(`${server.url}/account`);
  const form = page.getByRole("form", { name: "Delete the account" });
  /** @param {string} password */
  const remove = async (password) => {
    await form.getByLabel("Password").fill(password);
    await form.getByRole("button").click();
    asked.length = 0;
    await page.getByRole("dialog").getByRole("button", { name: "Delete the account" }).click();
  };
  await remove("wrong password");
  await form.getByRole("alert").getByText(/.+/).waitFor();
  assert.deepEqual(asked, ["DELETE /api/push", "DELETE /api/account", "POST /api/push"]);
  assert.equal(await page.evaluate(() => localStorage.getItem("is-subscribed")), "yes");
  await remove(PASSWORD);
  await page.getByRole("form", { name: "Sign up" }).waitFor();
  assert.deepEqual(asked.slice(0, 2), ["DELETE /api/push", "DELETE /api/account"]);
  // The settings stay, and what belongs to the player goes.
  const kept = () => page.evaluate(() => [localStorage.getItem("is-subscribed"), localStorage.getItem("settings")?.includes("theme")]);
  // The server closes the line before it answers, and the page forgets the account at once.
  while ((await kept())[1] === undefined) await page.waitForTimeout(10);
  assert.deepEqual(await kept(), [null, true]);
  await context.close();
});

test("styles or texts that are gone reload the page once, and then it says what to do", async () => {
  for (const gone of ["**/looks.css", "**/words/en-more.ftl"]) {
    const { page, context } = await newPage(chromium);
    let loads = 0;
    page.on("load", () => loads++);
    await page.goto(server.url);
    await page.getByText("Nobody is playing right now.").waitFor();
    // While the server is away, the page stays.
    await page.route(/\/assets\//, (route) => route.abort("connectionrefused"));
    await page.getByRole("link", { name: "Play", exact: true }).click();
    await page.getByRole("heading", { name: "This could not be loaded" }).waitFor();
    await page.getByRole("status").getByText("The server does not answer.").waitFor();
    assert.equal(loads, 1);
    await page.unroute(/\/assets\//);
    await page.goto(server.url);
    await page.getByText("Nobody is playing right now.").waitFor();
    await page.route(gone, (route) => route.fulfill({ status: 404, body: "" }));
    await page.getByRole("link", { name: "Rules", exact: true }).first().click();
    await page.getByRole("button", { name: "Reload" }).waitFor();
    await page.getByText("A part of the page could not be loaded.").waitFor();
    assert.equal(loads, 3, gone);
    await page.unroute(gone);
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("heading", { name: "Quantum" }).waitFor();
    await context.close();
  }
});
