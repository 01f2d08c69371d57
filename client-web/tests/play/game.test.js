// Games on the page: every family of rules, and what players do besides moving.

import assert from "node:assert/strict";
import test from "node:test";
import { PHONE, newPage, picture } from "../browser.js";
import { chance } from "../games.js";
import { network } from "../programs.js";
import { act, againstHouse, deploy, drag, playOn, press } from "../robot.js";
import { chromium, server } from "../site.js";

/** @typedef {import("playwright-core").Page} Page */

/** @param {import("playwright-core").BrowserContextOptions} [options] */
const open = (options) => newPage(chromium, { reducedMotion: "reduce", ...options });

test("a piece goes to the reserve and comes back, by drag and by keys", async () => {
  const { page, faults, context } = await open();
  await againstHouse(page, server.url, "shadowflash-1");
  await deploy(page);
  await page.locator(".your-turn").waitFor();
  const count = () => page.locator(".piece").count();
  const full = await count();
  const label = (/** @type {string} */ square) => page.locator(`[data-square="${square}"]`).getAttribute("aria-label");
  const square = (await label("b1"))?.includes("Flag") ? "c1" : "b1";
  await page.locator(`[data-square="${square}"]`).focus();
  await page.keyboard.press("Delete");
  await page.getByText(`Red takes its piece on ${square} off the board`).first().waitFor({ state: "attached" });
  await page.locator(".your-turn").waitFor();
  assert.equal(await label(square), `${square}, empty`);
  await page.getByText(/^Your reserve/).click();
  await page.locator(".reserve .tray-piece:enabled").first().click();
  assert.equal(await page.locator(".square.free").count() >= 1, true);
  await press(page, square);
  await page.getByText(new RegExp(`Red places .* on ${square}`)).first().waitFor({ state: "attached" });
  await page.locator(".your-turn").waitFor();
  assert.ok(Math.abs(await count() - full) <= 2);
  assert.deepEqual(faults, []);
  await context.close();
});

for (const [by, options] of /** @type {const} */ ([["mouse", {}], ["touch", PHONE]])) {
  test(`pieces are dragged from the tray and from the reserve, and explained: ${by}`, async () => {
    const { page, faults, context } = await open(options);
    const square = (/** @type {string} */ name) => page.locator(`[data-square="${name}"]`);
    const label = (/** @type {string} */ name) => square(name).getAttribute("aria-label");
    await againstHouse(page, server.url, "shadowflash-1");
    const miners = page.getByRole("button", { name: /^Miner/ });
    await miners.waitFor();
    const home = await page.locator(".square.free").count();
    assert.equal(home, 64, "home squares are marked before anything is chosen");
    await drag(page, miners, square("c3"), by, async () => {
      assert.equal(await page.locator(".piece.lifted").count(), 1);
      await picture(page, `drag-tray-${by}`);
    });
    assert.equal(await label("c3"), "c3, your Miner");
    assert.equal(await page.locator(".piece").count(), 1);
    assert.equal(await page.locator(".square.free").count(), home - 1);
    assert.equal(await page.locator(".tray-piece.chosen").count(), 0, "the end of a drag chooses nothing");
    await drag(page, miners, square("c6"), by);
    await page.getByText("A piece can only go to one of your home squares.").waitFor();
    assert.equal(await page.locator(".piece").count(), 1);
    await square("c3").click();
    await page.getByText("c3, your Miner. Rank 8: moves one square at a time; removes Bombs; captures a Scout and weaker pieces.").waitFor();
    await picture(page, `explained-deploying-${by}`);
    assert.equal(await page.getByRole("link", { name: "Rules of this game" }).getAttribute("href"), "/rules/shadowflash-1");
    await page.getByRole("button", { name: "Clear" }).click();
    await deploy(page);
    await page.locator(".your-turn").waitFor();
    await square("p10").click();
    await page.getByText("p10, enemy, hidden, never moved. Its rank is hidden until a strike shows it. It has not moved, so it may be a Bomb or the Flag.").waitFor();
    await picture(page, `explained-hidden-${by}`);
    const from = (await label("b1"))?.includes("Flag") ? "c1" : "b1";
    await square(from).click();
    await page.getByText(/Rank \d: moves|Bomb: never moves|Spy: moves|Phoenix: moves/).waitFor();
    await page.getByRole("button", { name: "Take into the reserve" }).click();
    await page.getByText(`Red takes its piece on ${from} off the board`).first().waitFor({ state: "attached" });
    await page.locator(".your-turn").waitFor();
    await page.getByText(/^Your reserve/).click();
    const reserve = page.locator(".reserve .tray-piece:enabled").first();
    await reserve.waitFor();
    await picture(page, `reserve-${by}`);
    await drag(page, reserve, square(from), by);
    await page.getByText(new RegExp(`Red places .* on ${from}`)).first().waitFor({ state: "attached" });
    assert.deepEqual(faults, []);
    await context.close();
  });
}

test("notes mark hidden pieces and survive a reload; keys tell what can be seen", async () => {
  const { page, faults, context } = await open();
  await againstHouse(page, server.url, "classic");
  await deploy(page);
  await page.locator(".your-turn").waitFor();
  await page.locator("[data-square='a10']").click({ button: "right" });
  await page.getByRole("button", { name: "B Bomb" }).click();
  await page.getByRole("gridcell", { name: /your guess: Bomb$/ }).waitFor();
  assert.equal(await page.locator(".note").textContent(), "B");
  await picture(page, "game-note");
  await playOn(page, chance(4), 2);
  await page.reload();
  await page.locator(".note").waitFor();
  assert.equal(await page.locator(".note").count(), 1);
  await page.locator(".squares [tabindex='0']").focus();
  for (const [key, said] of /** @type {[string, string | RegExp][]} */ ([
    ["t", "Red: "], ["o", "Blue, random (house)"], ["c", "Red has lost"], ["l", /moves [a-j]\d|strikes|captures/],
  ])) {
    await page.keyboard.press(key);
    await page.locator(".aloud").getByText(said).first().waitFor({ state: "attached" });
  }
  await page.keyboard.press("?");
  await page.getByRole("heading", { name: "Keys on the board" }).waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("dialog").count(), 0);
  assert.deepEqual(faults, []);
  await context.close();
});

test("settings change the pieces at once, and stay", async () => {
  const { page, faults, context } = await open();
  await againstHouse(page, server.url, "barrage");
  await page.getByRole("button", { name: "Random" }).click();
  await page.getByRole("button", { name: "Settings" }).click();
  const figures = () => page.locator(".piece .figure").count();
  assert.equal(await figures(), 5);
  await page.getByLabel("Numbers on pieces").selectOption("eu");
  await page.getByLabel("Light or dark").selectOption("dark");
  const square = () => page.locator(".square.odd:not(.lake)").first().evaluate((element) => getComputedStyle(element).backgroundColor);
  const plain = await square();
  await page.getByLabel("Squares of the board").selectOption("checkered");
  assert.notEqual(await square(), plain);
  await picture(page, "settings");
  await page.getByRole("button", { name: "Close" }).click();
  assert.equal(await figures(), 6, "the Marshal is a 10");
  await page.reload();
  await page.locator(".squares .row").first().waitFor();
  assert.deepEqual(await page.evaluate(() => {
    const { theme, board } = document.documentElement.dataset;
    return [theme, board];
  }), ["dark", "checkered"]);
  assert.deepEqual(faults, []);
  await context.close();
});

test("a move is planned on the opponent's turn and made when the turn comes; a draw and a rematch are agreed on", async () => {
  const [ann, bob] = await Promise.all([open(), open()]);
  await ann.page.goto(server.url);
  await ann.page.getByRole("button", { name: /A friend/ }).click();
  await bob.page.goto(await ann.page.getByLabel("The link").inputValue());
  await bob.page.getByRole("button", { name: "Accept" }).click();
  await Promise.all([ann, bob].map(({ page }) => page.waitForURL(/\/game\//)));
  await Promise.all([ann, bob].map(({ page }) => deploy(page)));
  await ann.page.locator(".phase-playing").waitFor();
  await bob.page.locator(".phase-playing").waitFor();
  const [first, second] = await ann.page.locator(".your-turn").count() > 0 ? [ann, bob] : [bob, ann];
  await first.page.locator(".your-turn").waitFor();
  const forward = await second.page.locator(".square.liftable").evaluateAll((cells) =>
    cells.map((cell) => /** @type {HTMLElement} */ (cell).dataset.square ?? ""));
  for (const square of forward) {
    await press(second.page, square);
    if (await second.page.locator(".square.target").count() > 0) break;
  }
  await second.page.locator(".square.target").first().click();
  await second.page.locator(".planned-arrow").waitFor({ state: "attached" });
  while (!await act(first.page, chance(6))) await first.page.waitForTimeout(10);
  await second.page.getByText(/Blue moves/).first().waitFor({ state: "attached" });
  assert.equal(await second.page.locator(".planned-arrow").count(), 0);
  await ann.page.getByRole("button", { name: "Offer a draw" }).click();
  await bob.page.getByRole("button", { name: "Accept the draw" }).click();
  await ann.page.getByText("A draw: both sides agreed.").first().waitFor();
  const old = bob.page.url();
  await ann.page.getByRole("button", { name: "Rematch" }).click();
  await bob.page.getByRole("button", { name: "Accept the rematch" }).click();
  await ann.page.waitForURL((url) => url.href !== old);
  for (const { faults, context } of [ann, bob]) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test("two tabs, a line that is cut, and a game that is not there", async (t) => {
  const { page, faults, context } = await open();
  const between = await network(server);
  t.after(() => between.close());
  await againstHouse(page, between.url, "barrage");
  await deploy(page);
  await page.locator(".your-turn").waitFor();
  const second = await context.newPage();
  await second.goto(page.url());
  await page.locator(".bar").getByText("You are playing this game in another tab.").waitFor();
  assert.equal(await page.locator(".your-turn").count(), 0);
  await page.getByRole("button", { name: "Play here" }).click();
  await page.locator(".your-turn").waitFor();
  await second.locator(".bar").getByText("You are playing this game in another tab.").waitFor();
  await second.close();
  const again = page.waitForEvent("websocket");
  between.cut();
  await again;
  await page.locator(".your-turn").waitFor();
  await playOn(page, chance(2), 2);
  // A page that is opened later lists the same moves.
  const moves = () => page.locator(".moves li").filter({ hasText: /moves|strike/ }).allTextContents();
  await page.locator(".your-turn").waitFor();
  const listed = await moves();
  assert.ok(listed.length >= 2, `${listed.length} moves`);
  await page.reload();
  await page.locator(".moves li").nth(listed.length).waitFor();
  assert.deepEqual(await moves(), listed);
  await page.goto(`${between.url}/game/000000000000`);
  await page.getByRole("heading", { name: "This game cannot be shown" }).waitFor();
  assert.deepEqual(faults, []);
  const missing = await page.goto(`${between.url}/nowhere`);
  assert.equal(missing?.status(), 404);
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  await context.close();
});

test("typed commands move, and say what is wrong", async () => {
  const { page, faults, context } = await open();
  await againstHouse(page, server.url, "barrage");
  await page.getByRole("button", { name: "Random" }).click();
  await page.getByRole("button", { name: "Clear" }).click();
  await page.locator(".squares [tabindex='0']").focus();
  // Columns a to h of row 1 by the letters of the ranks.
  for (const letter of ["F", "B", "S", "9", "9", "8", "2", "1"]) {
    await page.keyboard.press(letter);
    await page.keyboard.press("ArrowRight");
  }
  await page.getByRole("button", { name: "Ready", exact: true }).click();
  await page.locator(".your-turn").waitFor();
  const field = page.getByLabel("Type a move");
  await field.fill("b1b2");
  await field.press("Enter");
  await page.getByText("b1b2 is not possible now.").waitFor();
  await field.fill("d1d4");
  await field.press("Enter");
  await page.getByText("Red moves d1d4.").first().waitFor({ state: "attached" });
  await page.locator(".your-turn").waitFor();
  await field.fill("resign");
  await field.press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await page.getByText("Blue wins: Red resigned.").first().waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});
