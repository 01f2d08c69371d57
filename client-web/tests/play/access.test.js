// Everybody can use every page: axe finds nothing, nothing is cut off on narrow screens, and the
// board can be played by ear.

import assert from "node:assert/strict";
import test from "node:test";
import { PASSWORD, newAccount, openAs } from "../accounts.js";
import { overflow, violations } from "../axe.js";
import { newPage, picture } from "../browser.js";
import { deploy, idOf, resign } from "../robot.js";
import { chromium, server } from "../site.js";

/** @typedef {import("playwright-core").Page} Page */

const isLong = process.env.FLAGFALL_LONG === "1";

/** @type {[string, import("playwright-core").BrowserContextOptions][]} */
const LOOKS = [
  ["light", { colorScheme: "light" }],
  ["narrow", { viewport: { width: 320, height: 640 }, colorScheme: "dark" }],
];
/** @type {typeof LOOKS} */
const OTHERS = [["dark", { colorScheme: "dark" }], ["forced-colors", { forcedColors: "active" }]];
if (isLong) LOOKS.push(...OTHERS);

/** Pages that need no player, and what they show when they are ready. @type {[string, string, string][]} */
const PAGES = [
  ["rules-list", "/rules", "Quantum"],
  ["rules", "/rules/classic", "The end"],
  ["rules-chips", "/rules/shadowflash-3", "The end"],
  ["rules-coins", "/rules/quantum", "The end"],
  ["deployments", "/deployments", "Nothing is saved yet"],
  ["deployment", "/deployments/classic#9394924939566915957S574BB7668B88BF7B88B9", "New deployment"],
  ["leaderboard", "/leaderboard", "Not enough rated games yet"],
  ["games-nobody", "/games", "No game is running"],
  ["account-nobody", "/account", "Sign up"],
  ["settings", "/settings", "Settings"],
  ["statistics-nobody", "/statistics", "Statistics need an account"],
  ["deployment-chips", "/deployments/shadowflash-2", "New deployment"],
];

for (const [look, options] of LOOKS) {
  test(`axe finds nothing on a player's pages: ${look}`, async () => {
    const name = `eve-${look}`;
    const token = await newAccount(server.address, name);
    await newAccount(server.address, `other-${look}`);
    const { page, faults, context } = await openAs(chromium, server, token, options);
    /** @param {string} state */
    const check = async (state) => {
      assert.deepEqual(await violations(page), [], state);
      assert.ok(await overflow(page) <= 0, `${state} is wider than its window`);
      await picture(page, `access-${state}-${look}`, true);
    };
    // Ratings take games that others play; these are put into the answers.
    const point = { rating: 1_540, deviation: 160, provisional: true };
    const opponent = { id: "x", name: "x", kind: "account" };
    await page.route(`**/api/players/other-${look}`, (route) => route.fulfill({ json: {
      player: { id: "y", name: `other-${look}`, kind: "account" }, created: 1_790_000_000_000,
      ratings: ["classic", "barrage"].map((ruleset) => ({ ruleset, speed: "rapid", now: point, games: 7, last: 1_790_000_000_000 })),
    } }));
    await page.route("**/ratings/*/*", (route) => route.fulfill({ json: { games: [2, 1].map((number) => ({
      game: `00000000000${number}`, at: 1_790_000_000_000 + number, opponent, score: "won", before: point, after: { ...point, rating: 1_500 + number * 60 },
    })) } }));
    await page.route(`**/api/players/other-${look}/games?*`, (route) => route.fulfill({ json: { next: "more", games: ["won", "drawn", "lost"].map((score, index) => ({
      game: `00000000000${index}`, ended: 1_790_000_000_000, ruleset: "classic", time: { kind: "correspondence", days: 3 }, side: "red", opponent, score,
      reason: "resigned", plies: 40, rated: true,
    })) } }));
    await page.goto(`${server.url}/@/other-${look}`);
    await page.locator(".rating-chart").waitFor();
    await page.locator("summary").click();
    await check("profile");
    await page.getByRole("button", { name: "Challenge" }).click();
    await check("profile-challenge");
    await page.goto(`${server.url}/account`);
    await page.getByText("this browser").waitFor();
    await page.locator("summary", { hasText: "New token for a program" }).click();
    await page.route("**/api/me/webhook", (route) => route.fulfill({ json: { url: "https://example.org/turns", created: 0, active: false, lost: 5, waiting: 1 } }));
    await page.getByText("Address and results").click();
    await page.getByText("https://example.org/turns").waitFor();
    await check("account");
    const password = page.getByRole("form", { name: "Recovery code" });
    await password.getByLabel("Password").fill(PASSWORD);
    await password.getByRole("button").click();
    await page.locator(".secret").waitFor();
    await check("account-code");
    const tally = { won: 2, drawn: 1, lost: 1 };
    await page.route("**/api/me/statistics", (route) => route.fulfill({ json: { rulesets: [{
      ruleset: "barrage", by_side: { red: tally, blue: { won: 0, drawn: 0, lost: 0 } }, by_deployment: [{ setup: "9....1..9............S........F8B2......", tally }],
    }] } }));
    page.on("dialog", (dialog) => void dialog.accept());
    await page.goto(`${server.url}/statistics`);
    await page.getByText("By deployment").click();
    await page.locator(".setup-picture").waitFor();
    await page.getByText("62 %").first().waitFor();
    await check("statistics");
    await page.route("**/api/me/games", (route) => route.fulfill({ json: { server_time: 0, games: [true, false].map((isTurn) => ({
      side: "red", to_act: isTurn, deadline: Date.now() + 5_000_000, draw_offered: isTurn,
      game: {
        id: isTurn ? "000000000001" : "000000000002", phase: "playing", ply: 7, turn: isTurn ? "red" : "blue", created: 0,
        players: { red: { id: "z", name, kind: "account" }, blue: opponent }, terms: { ruleset: "classic,ties=attacker", time: { kind: "correspondence", days: 3 } },
      },
    })) } }));
    await page.route("**/queue", (route) => route.fulfill({ json: { game: "000000000002", ply: 8, moves: [{ command: { kind: "move", move: "a4a5" }, if: "b7b6" }] } }));
    page.on("dialog", (dialog) => void dialog.accept());
    await page.goto(`${server.url}/games`);
    await page.locator("summary").click();
    await page.getByText("a4a5, if they play b7b6").waitFor();
    await check("games");
    assert.deepEqual(faults, []);
    await context.close();
  });

  test(`axe finds nothing on pages to read: ${look}`, async () => {
    const { page, faults, context } = await newPage(chromium, { reducedMotion: "reduce", ...options });
    for (const [name, path, heading] of PAGES) {
      await page.goto(server.url + path);
      await page.getByRole("heading", { name: heading }).first().waitFor();
      assert.deepEqual(await violations(page), [], name);
      assert.ok(await overflow(page) <= 0, `${name} is wider than its window`);
      await picture(page, `access-${name}-${look}`, true);
    }
    assert.deepEqual(faults, []);
    await context.close();
  });

  test(`axe finds nothing: ${look}`, async () => {
    const { page, faults, context } = await newPage(chromium, { reducedMotion: "reduce", ...options });
    /** @param {string} name */
    const check = async (name) => {
      assert.deepEqual(await violations(page), [], name);
      assert.ok(await overflow(page) <= 0, `${name} is wider than its window`);
      await picture(page, `access-${name}-${look}`);
    };
    await page.goto(server.url);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByText("Nobody is playing right now.").or(page.getByRole("link", { name: "All live games" })).first().waitFor();
    await check("home");
    await page.getByRole("button", { name: /^A friend/ }).click();
    await page.getByRole("img", { name: "QR code" }).waitFor();
    await check("challenge");
    await page.getByRole("button", { name: "Withdraw" }).click();
    await page.goto(`${server.url}/play`);
    await page.getByText("online").waitFor();
    await page.getByText("More choices").click();
    await check("play");
    await page.getByLabel("Rules").selectOption("barrage");
    await page.getByLabel("Your side").selectOption("red");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.getByRole("button", { name: "Random" }).waitFor();
    await check("deploying");
    await deploy(page);
    await page.locator(".your-turn").waitFor();
    await page.locator(".squares [tabindex='0']").focus();
    await page.keyboard.press("n");
    await page.keyboard.press("Enter");
    await check("playing");
    for (const tab of ["Losses", "Notes", "Chat"]) {
      if (!await page.getByRole("tab", { name: tab }).isVisible()) await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("tab", { name: tab }).click();
      await page.locator(".panel-body > *").first().waitFor();
      await check(tab.toLowerCase());
    }
    await page.getByRole("button", { name: "Resign" }).click();
    await check("question");
    await page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
    await page.locator(".phase-over").waitFor();
    await check("over");
    await page.getByRole("link", { name: "Replay" }).click();
    await page.locator(".replay .square").first().waitFor();
    await page.keyboard.press("ArrowRight");
    for (const name of ["As a table", "Losses by rank"]) await page.getByText(name, { exact: true }).first().click();
    await check("replay");
    await page.goto(`${server.url}/replay`);
    await page.getByRole("heading", { name: "Open a record" }).waitFor();
    await check("replay-open");
    await page.goto(`${server.url}/watch`);
    await page.getByText("look at the latest finished games").waitFor();
    await check("watch-finished");
    assert.deepEqual(faults, []);
    await context.close();
  });
}

for (const [look, options] of LOOKS) {
  test(`axe finds nothing while games are live: ${look}`, async () => {
    const players = await Promise.all(["barrage", "classic"].map(async (ruleset) => {
      const { page, context } = await newPage(chromium, { reducedMotion: "reduce" });
      await page.goto(`${server.url}/play`);
      await page.getByLabel("Rules").selectOption(ruleset);
      await page.getByLabel("Your side").selectOption("red");
      await page.getByRole("button", { name: "Play", exact: true }).click();
      await deploy(page);
      await page.locator(".your-turn").waitFor();
      return { page, context };
    }));
    const { page, faults, context } = await newPage(chromium, { reducedMotion: "reduce", ...options });
    /** @param {string} name */
    const check = async (name) => {
      assert.deepEqual(await violations(page), [], name);
      assert.ok(await overflow(page) <= 0, `${name} is wider than its window`);
      await picture(page, `access-${name}-${look}`);
    };
    await page.goto(`${server.url}/watch`);
    await page.locator(".watch-large .piece").first().waitFor();
    await page.locator(".small-game button").waitFor();
    await check("watch");
    const [first] = players;
    await page.goto(`${server.url}/replay/${first ? idOf(first.page) : ""}`);
    await page.getByText("The other views open when the game is over.").waitFor();
    await check("replay-running");
    await page.goto(`${server.url}/replay/000000000000`);
    await page.getByRole("heading", { name: "This record cannot be shown" }).waitFor();
    await check("replay-trouble");
    assert.deepEqual(faults.filter((fault) => !fault.includes("status of 404")), []);
    for (const one of players) {
      await resign(one.page);
      await one.context.close();
    }
    await context.close();
  });
}
