// The page in Firefox: what everybody opens first, and a short game.

import assert from "node:assert/strict";
import test, { after } from "node:test";
import puppeteer from "puppeteer-core";
import { Server, browser } from "../programs.js";

/** @typedef {import("puppeteer-core").Page} Page */

const server = new Server({ page: "program" });
after(() => server.end());
await server.start();
const firefox = await puppeteer.launch({ browser: "firefox", executablePath: browser("firefox"), headless: true });
after(() => firefox.close());

/** A page in a profile of its own, with everything reported that a page must not do. */
async function open() {
  const context = await firefox.createBrowserContext();
  const page = await context.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  /** @type {string[]} */
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (["error", "warn"].includes(message.type())) faults.push(message.text());
  });
  return { page, faults, context };
}

/** @param {Page} page @param {string} text */
const heading = (page, text) => page.waitForSelector(`h1 ::-p-text(${text}), h1::-p-text(${text}), h2::-p-text(${text})`);
/** @param {Page} page @param {string} name */
const press = (page, name) => page.locator(`::-p-aria([role="button"][name="${name}"])`).click();
/** The squares with one of the marks. @param {Page} page @param {string} selector */
const squares = (page, selector) => page.$$eval(selector, (cells) => cells.map((cell) => /** @type {HTMLElement} */ (cell).dataset.square ?? ""));

test(`home, the rules and live games are shown by ${await firefox.version()}`, async () => {
  const { page, faults, context } = await open();
  const answer = await page.goto(server.url);
  assert.equal(answer?.headers()["content-security-policy"]?.split(";")[0], "default-src 'none'");
  await heading(page, "Hide your Flag.");
  await page.waitForSelector("::-p-text(Nobody is playing right now.)");
  await page.goto(`${server.url}/rules/quantum`);
  await heading(page, "The end");
  assert.ok((await page.$$(".diagram .piece, .diagram svg")).length > 0, "the diagrams are drawn");
  await page.goto(`${server.url}/watch`);
  await page.waitForSelector("::-p-text(Nobody is playing right now)");
  assert.deepEqual(faults, []);
  await context.close();
});

test("a short game is played, looked at by a stranger, and lost", async () => {
  const { page, faults, context } = await open();
  await page.goto(`${server.url}/play`);
  for (const [label, value] of /** @type {const} */ ([["Rules", "barrage"], ["Your side", "red"], ["Level", "random"]])) {
    const field = await page.waitForSelector(`::-p-aria([role="combobox"][name="${label}"])`);
    await field?.select(value);
  }
  await press(page, "Play");
  await press(page, "Random");
  await press(page, "Ready");
  for (let moves = 0; moves < 4 && await page.$(".phase-over") === null; moves++) {
    await page.waitForSelector(".your-turn, .phase-over");
    const listed = (await page.$$(".moves li")).length;
    for (const square of await squares(page, ".square.liftable")) {
      await page.click(`[data-square="${square}"]`);
      const [target] = await squares(page, ".square.strike, .square.target");
      if (!target) continue;
      await page.click(`[data-square="${target}"]`);
      break;
    }
    while ((await page.$$(".moves li")).length === listed) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const eve = await open();
  await eve.page.goto(`${server.url}/watch`);
  await eve.page.waitForSelector(".watch-large .piece");
  if (await page.$(".phase-over") === null) {
    await press(page, "Resign");
    await page.locator('[role="dialog"] ::-p-aria([role="button"][name="Resign"]), dialog ::-p-aria([role="button"][name="Resign"])').click();
  }
  await page.waitForSelector(".phase-over");
  await eve.page.waitForSelector(".watch-large ::-p-text(wins)");
  for (const one of [{ faults, context }, eve]) {
    assert.deepEqual(one.faults, []);
    await one.context.close();
  }
});
