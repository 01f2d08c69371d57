// What a first visit costs, and that nothing jumps while it loads.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { newAccount } from "../accounts.js";
import { newPage } from "../browser.js";
import { chance } from "../games.js";
import { chromium, server } from "../program_site.js";
import { Server } from "../programs.js";
import { againstHouse, deploy, idOf, playOn, resign } from "../robot.js";

const KB = 1024;
/** What any first visit may load, with headers and answers of the API. */
const WIRE = 150 * KB;

/** Three below the budget of 30, so that a page can still get a module. */
const MOST_REQUESTS = 27;

/** Counts what a page loads. @param {import("playwright-core").Page} page */
async function count(page) {
  const total = { requests: 0, files: 0, wire: 0 };
  /** The bytes of each answer's headers, if it is a file. @type {Map<string, number>} */
  const heads = new Map();
  const session = await page.context().newCDPSession(page);
  session.on("Network.responseReceived", ({ requestId, response }) => {
    total.requests++;
    // The icon of the tab comes after the page.
    if (!/\/api\/|\/icons\//.test(response.url)) heads.set(requestId, response.encodedDataLength);
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const head = heads.get(requestId);
    total.wire += encodedDataLength;
    if (head !== undefined) total.files += encodedDataLength - head;
  });
  await session.send("Network.enable");
  return total;
}

/**
 * @param {import("node:test").TestContext} t @param {string} name @param {Awaited<ReturnType<typeof count>>} total
 * @param {number} most The bytes of files that the page may load.
 */
function judge(t, name, { requests, files, wire }, most) {
  t.diagnostic(`${name}: ${requests} requests, ${(files / KB).toFixed(1)} KB of files, ${(wire / KB).toFixed(1)} KB on the wire`);
  assert.ok(requests <= MOST_REQUESTS, `${name}: ${requests} requests`);
  assert.ok(files > 0 && files <= most, `${name}: ${files} bytes of files`);
  assert.ok(wire <= WIRE, `${name}: ${wire} bytes`);
}

/** @param {import("playwright-core").Page} page */
const shift = (page) => page.evaluate(() => new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, entry) => sum + /** @type {any} */ (entry).value, 0)))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve(0), 300);
}));

test("a first visit is small, and nothing jumps", async (t) => {
  const { page, context } = await newPage(chromium);
  const total = await count(page);
  await page.goto(server.url);
  await page.getByText("Nobody is playing right now.").waitFor();
  judge(t, "home", total, 60 * KB);
  assert.ok(Number(await shift(page)) < 0.01, `home shifts by ${await shift(page)}`);
  await page.getByRole("button", { name: /Against the house/ }).click();
  await deploy(page);
  await page.locator(".phase-playing").waitFor();
  const address = page.url();
  const fresh = await newPage(chromium);
  const game = await count(fresh.page);
  await fresh.page.goto(address);
  await fresh.page.locator(".piece").first().waitFor();
  judge(t, "game", game, 100 * KB);
  assert.ok(Number(await shift(fresh.page)) < 0.01, `game shifts by ${await shift(fresh.page)}`);
  await fresh.context.close();
  await resign(page);
  await context.close();
});

test("a first visit to a live game and to a record is small, and nothing jumps", async (t) => {
  const { page, context } = await newPage(chromium, { reducedMotion: "reduce" });
  await page.goto(server.url);
  await page.getByRole("button", { name: /Against the house/ }).click();
  await deploy(page);
  await page.locator(".phase-playing").waitFor();
  await playOn(page, chance(3), 3);
  const id = idOf(page);
  /** @param {string} name @param {string} path @param {string} sign */
  const visit = async (name, path, sign) => {
    const fresh = await newPage(chromium);
    const total = await count(fresh.page);
    await fresh.page.goto(server.url + path);
    await fresh.page.locator(sign).first().waitFor();
    await fresh.page.waitForTimeout(500);
    judge(t, name, total, WIRE);
    assert.ok(Number(await shift(fresh.page)) < 0.01, `${name} shifts by ${await shift(fresh.page)}`);
    await fresh.context.close();
  };
  await visit("watch", "/watch", ".watch-large .piece");
  await visit("replay of a running game", `/replay/${id}`, ".replay .piece");
  await resign(page);
  await visit("replay", `/replay/${id}?ply=end`, ".replay .piece");
  await visit("watch, nobody there", "/watch", ".list li");
  await context.close();
});

/** Pages besides the first one and the game, and a heading that they show. @type {[string, string][]} */
const PAGES = [
  ["/@/ann", "ann"],
  ["/play", "Start a game"],
  ["/rules", "Quantum"],
  ["/rules/shadowflash-3", "The end"],
  ["/leaderboard", "Not enough rated games yet"],
  ["/games", "No game is running"],
  ["/account", "Sign up"],
  ["/settings", "Settings"],
  ["/statistics", "Statistics need an account"],
  ["/deployments", "Nothing is saved yet"],
  ["/deployments/classic", "New deployment"],
];

/**
 * A first visit of any other page.
 * @param {import("node:test").TestContext} t @param {string} name @param {string} address @param {string} heading
 */
async function visitOther(t, name, address, heading) {
  const { page, context } = await newPage(chromium);
  const total = await count(page);
  await page.goto(address);
  await page.getByRole("heading", { name: heading }).first().waitFor();
  await page.waitForLoadState("networkidle");
  judge(t, name, total, WIRE);
  assert.ok(Number(await shift(page)) < 0.01, `${name} shifts by ${await shift(page)}`);
  await context.close();
}

test("a first visit of any other page is small, and nothing jumps", async (t) => {
  await newAccount(server.address, "ann");
  for (const [path, heading] of PAGES) await visitOther(t, path, server.url + path, heading);
});

test("a first visit of a challenge and of the operator's text is small, and nothing jumps", async (t) => {
  const { page, context } = await newPage(chromium);
  await page.goto(server.url);
  await page.getByRole("button", { name: /A friend/ }).click();
  const link = await page.getByLabel("The link").inputValue();
  await visitOther(t, "/challenge", link, "offers you a game");
  await visitOther(t, "/challenge, closed", `${server.url}/challenge#8k2v6m3q9d4w`, "This offer is not open");
  await context.close();
  const other = new Server({ page: "program" });
  t.after(() => other.end());
  const about = join(other.folder, "about.txt");
  writeFileSync(about, `# Contact\n\n${"Write to the operator. ".repeat(200)}\n`);
  other.flags.push("--about", about);
  await other.start();
  await visitOther(t, "/about", `${other.url}/about`, "Contact");
});

test("the largest board stays below its number of nodes wherever it is shown", async (t) => {
  const { page, faults, context } = await newPage(chromium, { reducedMotion: "reduce" });
  await againstHouse(page, server.url, "shadowflash-3");
  await deploy(page);
  await page.locator(".phase-playing").waitFor();
  const judgeNodes = async (/** @type {string} */ what) => {
    const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
    t.diagnostic(`${what}: ${nodes} nodes`);
    assert.ok(nodes <= 1_500, `${what}: ${nodes} nodes`);
  };
  // A question of a turn takes the place of the reserve, so this comes before the first turn.
  await page.getByText(/^Your reserve/).click();
  await judgeNodes("reserve");
  await playOn(page, chance(1), 8);
  await judgeNodes("playing");
  await page.getByRole("tab", { name: "Losses" }).click();
  await judgeNodes("losses");
  await resign(page);
  await page.getByRole("link", { name: "Replay" }).click();
  await page.locator(".replay .piece").first().waitFor();
  await judgeNodes("replay");
  await page.goto(`${server.url}/deployments/shadowflash-3`);
  await page.getByRole("button", { name: "Random" }).click();
  await page.locator(".piece").nth(63).waitFor();
  await judgeNodes("editor");
  assert.deepEqual(faults, []);
  await context.close();
});
