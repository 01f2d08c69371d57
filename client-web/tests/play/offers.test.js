// Making and answering offers, on pages that are fed with messages.

import assert from "node:assert/strict";
import test from "node:test";
import { bursts, violations } from "../axe.js";
import { PHONE, newPage, picture } from "../browser.js";
import { feedPage, until, welcome } from "../fed.js";
import { chromium, rules, server } from "../fed_site.js";
import { BEGIN, GAME, gameMessage, player } from "../pairs.js";
import { network } from "../programs.js";

/** @typedef {import("playwright-core").Page} Page */

const CODE = "8k2v6m3q9d4w";
const HOUR = 3_600_000;
const rapid = { ruleset: "classic", time: { kind: "fischer", base_s: 600, increment_s: 5 } };

/** @param {string} path @param {import("playwright-core").BrowserContextOptions} [options] */
const open = (path, options = {}) => feedPage(chromium, { url: server.url, rules, path, settings: {}, options });

/** @param {Page} page @param {number} [ms] */
const run = (page, ms = 100) => page.evaluate((ms) => /** @type {any} */ (window).fed.run(ms), ms);

/** Waits for something that comes by HTTP or as a module. @param {Page} page @param {import("playwright-core").Locator} what */
async function appears(page, what) {
  for (let tries = 0; tries < 200 && await what.count() === 0; tries++) {
    await run(page, 1);
    await page.waitForTimeout(10);
  }
  assert.ok(await what.count() > 0, String(what));
}

/** What the page has sent, of one type. @param {Page} page @param {string} type @returns {Promise<any[]>} */
const sent = (page, type) => page.evaluate((type) => /** @type {any} */ (window).fed.log.filter((/** @type {string} */ line) => line.includes(" send {"))
  .map((/** @type {string} */ line) => JSON.parse(line.slice(line.indexOf("{")))).filter((/** @type {any} */ message) => message.type === type), type);

/** Waits until the page has sent something. @param {Page} page @param {string} type @param {number} [count] */
async function sends(page, type, count = 1) {
  for (let tries = 0; tries < 200 && (await sent(page, type)).length < count; tries++) {
    await run(page, 1);
    await page.waitForTimeout(10);
  }
  const all = await sent(page, type);
  assert.equal(all.length, count, `${type}: ${JSON.stringify(all)}`);
  return all.at(-1);
}

/** @param {"red" | "blue"} challenger @param {object} [more] */
const offer = (challenger, more = {}) => ({ type: "challenge", challenge: CODE, challenger: player(challenger), expires: BEGIN + 24 * HOUR, terms: rapid, ...more });

test("one's own offer has the whole link, also to be scanned, and tells what becomes of it", async () => {
  for (const [name, options] of /** @type {const} */ ([["desktop", {}], ["phone", { ...PHONE, viewport: { width: 390, height: 844 }, colorScheme: "dark" }]])) {
    const { page, faults, context, hear } = await open(`/challenge#${CODE}`, options);
    await hear(welcome("red"));
    await run(page, 3_000);
    await page.getByText("Waiting for the server…").waitFor();
    await hear(offer("red", { your_side: "blue", expires: BEGIN + (name === "phone" ? 15_000 : 24 * HOUR) }));
    await appears(page, page.getByRole("img", { name: "QR code" }));
    const link = `${server.url}/challenge#${CODE}`;
    assert.equal(await page.getByLabel("The link").inputValue(), link);
    const { qrCode, qrPath } = await import("../../page/parts/qr.js");
    assert.equal(await page.locator(".scan path").getAttribute("d"), qrPath(qrCode(link)));
    await page.getByText("You play Red, and move first.").waitFor();
    await picture(page, `challenge-own-${name}`, true);
    if (name === "desktop") {
      await hear({ type: "challenge_answered", challenge: CODE, accepted: false, by: player("blue") });
      await page.getByRole("heading", { name: "Your offer was declined" }).waitFor();
    } else {
      await run(page, 15_000);
      await page.getByRole("heading", { name: "This offer has expired" }).waitFor();
    }
    assert.equal(await page.getByRole("link", { name: "Make a new link" }).getAttribute("href"), "/play?rules=classic&time=10%2B5&who=friend");
    await picture(page, `challenge-ended-${name}`, true);
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test("a friend's offer says why it cannot be accepted: no account, taken meanwhile, no store, no such link", async () => {
  const { page, faults, context, hear } = await open(`/challenge#${CODE}`);
  await hear(welcome("red"));
  const bob = { ...player("blue"), kind: "account" };
  await hear({ type: "refused", code: "store_unavailable", message: "" });
  await page.getByRole("heading", { name: "Offers cannot be read right now" }).waitFor();
  await run(page, 3_000);
  assert.equal((await sent(page, "show_challenge")).length, 2, "the page asks again");
  await hear(offer("blue", { challenger: bob, terms: { ...rapid, rated: true } }));
  await page.getByRole("heading", { name: "bob offers you a game" }).waitFor();
  const accept = page.getByRole("button", { name: "Accept" });
  assert.ok(await accept.isDisabled());
  await page.getByText("This game is rated, so you need an account").waitFor();
  await picture(page, "challenge-account", true);
  await hear(offer("blue", { challenger: bob }));
  await page.getByLabel("Keep my deployment secret after the game").check();
  await run(page);
  await accept.click();
  const { cmd_id, secret } = await sends(page, "accept_challenge");
  assert.equal(secret, true);
  await hear({ type: "refused", cmd_id, code: "no_such_challenge", message: "" });
  await sends(page, "show_challenge", 3);
  await hear({ type: "refused", code: "no_such_challenge", message: "" });
  await page.getByText("It was withdrawn, or somebody else accepted it.").waitFor();
  await page.evaluate(() => (location.hash = "#mistyped"));
  await run(page);
  await page.getByRole("heading", { name: "This link is incomplete" }).waitFor();
  await page.evaluate(() => (location.hash = "#000000000000"));
  await run(page);
  await sends(page, "show_challenge", 4);
  await hear({ type: "refused", code: "no_such_challenge", message: "" });
  await page.getByRole("heading", { name: "This offer is not open" }).waitFor();
  // The server remembers for a day how an offer was closed.
  for (const [index, [reason, heading]] of [["taken", "This offer is taken"], ["withdrawn", "This offer was withdrawn"]].entries()) {
    await page.evaluate((index) => (location.hash = `#00000000000${index + 1}`), index);
    await run(page);
    await sends(page, "show_challenge", 5 + index);
    await hear({ type: "refused", code: "no_such_challenge", args: { reason }, message: "" });
    await page.getByRole("heading", { name: heading }).waitFor();
  }
  assert.deepEqual(faults, []);
  await context.close();
});

test("an offer takes its own clock and what the address says, and says why a choice is greyed", async () => {
  const { page, faults, context, hear } = await open("/play?rules=barrage,ties=attacker&time=90s%2B2&who=anybody&side=red&rated");
  await hear(welcome("red"));
  assert.equal(await page.getByLabel("Rules").inputValue(), "barrage");
  await page.getByText("This game changes the rules:").waitFor();
  await page.getByText("Not with changed rules.").waitFor();
  assert.equal(await page.getByLabel("Minutes each").inputValue(), "1.5");
  await page.getByText("Speed: Bullet").waitFor();
  await page.getByLabel("Minutes each").fill("2000");
  await run(page);
  await page.getByRole("alert").filter({ hasText: "From 10 seconds" }).waitFor();
  await picture(page, "play-clock", true);
  await page.getByRole("button", { name: "Post the offer" }).click();
  await run(page);
  assert.deepEqual(await sent(page, "seek"), []);
  assert.ok(await page.getByLabel("Minutes each").evaluate((field) => field === document.activeElement));
  await page.getByLabel("How time counts").selectOption("delay");
  await page.getByLabel("Minutes each").fill("0.5");
  await run(page);
  await page.getByRole("button", { name: "Post the offer" }).click();
  const { terms, side } = await sends(page, "seek");
  assert.deepEqual({ terms, side }, { terms: { ruleset: "barrage,ties=attacker", time: { kind: "delay", base_s: 30, free_s: 2 } }, side: "red" });
  await page.getByLabel("Clock").selectOption("none");
  await page.getByLabel("Equal ranks").selectOption("both", { force: true });
  await run(page);
  await page.getByText("Only with a clock.").waitFor();
  await page.getByText("Pairing", { exact: true }).click();
  await run(page);
  assert.ok(await page.getByLabel("Your side").isDisabled());
  await page.getByText("The server chooses the sides.").waitFor();
  await page.getByText("House", { exact: true }).click();
  await run(page);
  await page.getByText("Not against the house.").waitFor();
  await picture(page, "play-house", true);
  assert.deepEqual(faults, []);
  await context.close();
});

test("a challenge by name that is refused leaves no offer, and says why beside the name", async () => {
  const { page, faults, context, hear } = await open("/play?who=player&name=carol", { ...PHONE, viewport: { width: 390, height: 844 } });
  const answers = [
    { status: 404, json: { code: "no_such_player", message: "" } },
    { status: 409, json: { code: "blocked", message: "", args: { reason: "offer" } } },
    { json: { challenge: CODE } },
  ];
  await page.route("**/api/me/challenges", (route) => route.fulfill(/** @type {any} */ (answers.shift())));
  await hear(welcome("red"));
  const name = page.getByLabel("Name of the player");
  const send = page.getByRole("button", { name: "Send the challenge" });
  await name.fill("Ann");
  await run(page);
  await send.click();
  await appears(page, page.getByText("This is your own name."));
  await name.fill("carol");
  await run(page);
  for (const [index, text] of ["There is no player with this name.", "one of you has blocked the other"].entries()) {
    await send.click();
    const made = await sends(page, "challenge", index + 1);
    await hear({ type: "accepted", cmd_id: made.cmd_id, outcome: { kind: "challenge", challenge: CODE, expires: BEGIN + HOUR } });
    const taken = await sends(page, "cancel_challenge", index + 1);
    await hear({ type: "accepted", cmd_id: taken.cmd_id, outcome: { kind: "done" } });
    await appears(page, page.getByRole("alert").filter({ hasText: text }));
    assert.ok(await name.evaluate((field) => field === document.activeElement));
  }
  await picture(page, "play-name", true);
  await send.click();
  const made = await sends(page, "challenge", 3);
  await hear({ type: "accepted", cmd_id: made.cmd_id, outcome: { kind: "challenge", challenge: CODE, expires: BEGIN + HOUR } });
  await appears(page, page.getByRole("heading", { name: "A game offer" }));
  assert.equal(new URL(page.url()).hash, `#${CODE}`);
  assert.deepEqual(faults.filter((fault) => !/status of 4/.test(fault)), []);
  await context.close();
});

test("a saved deployment that is chosen with the offer is offered by the game", async () => {
  const setup = "9394924939566915957S574BB7668B88BF7B88B9";
  const { page, faults, context, hear } = await open("/play", { storageState: {
    cookies: [], origins: [{ origin: server.url, localStorage: [{ name: "deployments", value: JSON.stringify([{ ruleset: "classic", name: "Fortress", setup }]) }] }],
  } });
  await hear(welcome("red"));
  await page.getByLabel("Your deployment").selectOption("Fortress");
  await run(page);
  await hear({ type: "game_started", game: /** @type {any} */ (gameMessage(/** @type {any} */ ({ audience: "red", ruleset: "classic", phase: "deploying" }), 0)).game, side: "red" });
  await sends(page, "open_game");
  await hear(gameMessage(/** @type {any} */ ({
    audience: "red", ruleset: "classic", phase: "deploying", ready: { red: false, blue: false }, lakes: [], pieces: [], captured: { red: {}, blue: {} },
    ply: 0, commitments: { red: null, blue: null }, opened: { red: null, blue: null },
  }), 1));
  await appears(page, page.getByRole("button", { name: "Place “Fortress”" }));
  await page.getByRole("button", { name: "Place “Fortress”" }).click();
  await appears(page, page.getByRole("button", { name: "Ready", exact: true }).and(page.locator(":enabled")));
  await picture(page, "deploy-chosen");
  await page.getByRole("button", { name: "Ready", exact: true }).click();
  assert.equal((await sends(page, "command")).command.setup, setup);
  assert.deepEqual(faults, []);
  await context.close();
});

test("the first page has challenges to answer, ways to change its terms, and the game that ended last", async () => {
  for (const [name, options] of /** @type {const} */ ([["desktop", {}], ["phone", { ...PHONE, viewport: { width: 390, height: 844 }, colorScheme: "dark" }]])) {
    const { page, faults, context, hear } = await open("/", options);
    const invitation = { challenge: CODE, challenger: player("blue"), expires: BEGIN + HOUR, terms: rapid, your_side: "red" };
    let open_ = [invitation];
    await page.route("**/api/me/challenges", (route) => route.fulfill({ json: { challenges: open_ } }));
    await page.route("**/api/me/challenges/*", (route) => {
      open_ = open_.filter(({ challenge }) => !route.request().url().endsWith(challenge));
      return route.fulfill({ status: 204, body: "" });
    });
    const last = { ...(/** @type {any} */ (gameMessage(/** @type {any} */ ({ audience: "public", ruleset: "classic", phase: "over", ply: 40 }), 0))).game, outcome: { winner: "red", reason: "flag_captured" } };
    await page.route("**/api/games?*", (route) => route.fulfill({ json: { games: [last] } }));
    await hear(welcome("red"));
    await appears(page, page.getByRole("heading", { name: "Challenges for you" }));
    await hear({ type: "challenged", invitation: { ...invitation, challenge: "000000000001", challenger: player("blue", "carol") } });
    await hear({ type: "lobby", games: [], seeks: [], players_online: 2 });
    await appears(page, page.getByRole("link", { name: "Replay" }));
    assert.equal(await page.getByRole("link", { name: "Replay" }).getAttribute("href"), `/replay/${GAME}`);
    assert.equal(await page.getByRole("link", { name: "Change: Quick game" }).getAttribute("href"), "/play?rules=classic&time=10%2B5&who=pool");
    assert.equal(await page.getByRole("link", { name: "Post an offer" }).getAttribute("href"), "/play?rules=classic&time=10%2B5&who=anybody");
    await run(page, 8_000);
    await picture(page, `home-${name}`, true);
    const [bob, carol] = ["bob", "carol"].map((name) => page.getByRole("listitem").filter({ hasText: name }).filter({ has: page.getByRole("button", { name: "Decline" }) }));
    assert.ok(bob && carol);
    await hear({ type: "challenge_gone", challenge: "000000000001", challenger: player("blue", "carol"), reason: "withdrawn" });
    assert.equal(await carol.count(), 0);
    await until(page, page.locator(".toast", { hasText: "The player who made this challenge has withdrawn it." }));
    await bob.getByRole("button", { name: name === "phone" ? "Accept" : "Decline" }).click();
    if (name === "phone") assert.equal((await sends(page, "accept_challenge")).challenge, CODE);
    else {
      for (let tries = 0; tries < 200 && await bob.count() > 0; tries++) {
        await run(page, 1);
        await page.waitForTimeout(10);
      }
      assert.equal(await page.getByRole("heading", { name: "Challenges for you" }).count(), 0);
    }
    assert.deepEqual(faults, []);
    await context.close();
  }
});

/** Offers games of these rulesets as a new guest, as long as the page is open. @param {Page} page @param {string[]} rulesets */
const offers = (page, rulesets) => page.evaluate((rulesets) => /** @type {Promise<void>} */ (new Promise((resolve) => {
  const line = new WebSocket(`${location.origin.replace("http", "ws")}/ws`);
  const send = (/** @type {object} */ message) => line.send(JSON.stringify(message));
  let open = 0;
  line.onopen = () => send({ type: "hello", protocol: 1, client: "test" });
  line.onmessage = ({ data }) => {
    const { type, id } = JSON.parse(data);
    if (type === "ping") send({ type: "pong", id });
    if (type === "welcome") rulesets.forEach((ruleset) => send({ type: "seek", cmd_id: crypto.randomUUID(), terms: { ruleset, time: { kind: "unlimited" } } }));
    if (type === "accepted" && ++open === rulesets.length) resolve();
  };
})), rulesets);

test("open offers are filtered, also after the line was cut", async (t) => {
  const between = await network(server);
  t.after(() => between.close());
  const others = await newPage(chromium);
  await others.page.goto(server.url);
  const { page, faults, context } = await newPage(chromium, { ...PHONE, viewport: { width: 360, height: 640 } });
  /** The rulesets in each list that came. @type {string[]} */
  const lists = [];
  page.on("websocket", (line) => line.on("framereceived", ({ payload }) => {
    const { type, seeks } = JSON.parse(String(payload));
    if (type === "lobby") lists.push(seeks.map((/** @type {any} */ { terms }) => terms.ruleset).sort().join(" "));
  }));
  await page.goto(between.url);
  const section = page.locator("section").filter({ has: page.getByRole("heading", { name: "Open offers" }) });
  const rows = section.getByRole("listitem");
  await offers(others.page, ["classic", "classic", "barrage"]);
  await rows.nth(2).waitFor();
  assert.equal(await section.getByRole("button", { name: "Filter" }).count(), 0, "few offers need no filter");
  await offers(others.page, ["classic", "classic", "barrage"]);
  await section.getByRole("button", { name: "Filter" }).press("Enter");
  const rules = section.getByLabel("Rules");
  await rules.and(page.locator(":focus")).waitFor();
  await rules.selectOption("barrage");
  await page.getByRole("log").filter({ hasText: "2 open offers fit." }).waitFor({ state: "attached" });
  const shown = () => rows.locator(".small").allTextContents();
  assert.deepEqual(await shown(), ["Barrage, no clock", "Barrage, no clock"]);
  await picture(page, "home-filter-phone", true);
  const before = lists.length;
  between.cut();
  while (lists.length === before) await page.waitForTimeout(10);
  assert.equal(lists.at(-1), "barrage barrage");
  await offers(others.page, ["classic", "barrage"]);
  await rows.nth(2).waitFor();
  assert.deepEqual(await shown(), ["Barrage, no clock", "Barrage, no clock", "Barrage, no clock"]);
  // Another page has all offers; the filter waits for the way back.
  await page.getByRole("link", { name: "All rules, clocks and opponents" }).click();
  await page.getByText("Classic, no clock").nth(4).waitFor();
  await page.goBack();
  await rows.nth(2).waitFor();
  assert.equal(await rules.inputValue(), "barrage");
  await section.getByLabel("Speed").selectOption("Blitz");
  await section.getByText("No open offer fits.").waitFor();
  await section.getByLabel("Speed").selectOption("Any");
  await rows.nth(2).waitFor();
  await section.getByLabel("Rated").selectOption("Yes");
  await section.getByText("No open offer fits.").waitFor();
  assert.deepEqual([...await violations(page), ...await bursts(page)], []);
  await picture(page, "home-filter-none", true);
  await section.getByRole("button", { name: "Show all" }).click();
  await rows.nth(7).waitFor();
  assert.equal(await rules.inputValue(), "");
  assert.deepEqual(faults, []);
  await Promise.all([others, { context }].map(({ context }) => context.close()));
});
