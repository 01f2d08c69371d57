// Everybody can use every page: axe finds nothing, nothing is cut off on narrow screens, and the
// board can be played by ear.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import test from "node:test";
import { newPage, picture } from "../browser.js";
import { deploy } from "../robot.js";
import { chromium, front } from "../site.js";

/** @typedef {import("playwright-core").Page} Page */

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds, in short. @param {Page} page @returns {Promise<string[]>} */
async function violations(page) {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { violations } = await /** @type {any} */ (window).axe.run(document, { resultTypes: ["violations"] });
    return violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes.slice(0, 3).map((/** @type {any} */ node) => node.html.slice(0, 160) + " " + (node.any[0]?.message ?? "")).join(" | ")}`);
  });
}

/** How far the page is wider than its window. @param {Page} page */
const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

/** @type {[string, import("playwright-core").BrowserContextOptions][]} */
const LOOKS = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["forced-colors", { forcedColors: "active" }],
  ["narrow", { viewport: { width: 320, height: 640 } }],
];

for (const [look, options] of LOOKS) {
  test(`axe finds nothing: ${look}`, async () => {
    const { page, faults, context } = await newPage(chromium, { reducedMotion: "reduce", ...options });
    /** @param {string} name */
    const check = async (name) => {
      assert.deepEqual(await violations(page), [], name);
      assert.ok(await overflow(page) <= 0, `${name} is wider than its window`);
      await picture(page, `access-${name}-${look}`);
    };
    await page.goto(front.url);
    await page.getByText("Nobody plays right now.").or(page.getByText("Watch").first()).first().waitFor();
    await check("home");
    await page.goto(`${front.url}/play`);
    await page.getByText("online").waitFor();
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
    for (const tab of ["Losses", "Chat"]) {
      if (!await page.getByRole("tab", { name: tab }).isVisible()) await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("tab", { name: tab }).click();
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
    await page.goto(`${front.url}/replay`);
    await page.getByRole("heading", { name: "Open a record" }).waitFor();
    await check("replay-open");
    await page.goto(`${front.url}/watch`);
    await page.getByText("look at those that ended last").waitFor();
    await check("watch-finished");
    assert.deepEqual(faults, []);
    await context.close();
  });
}

for (const [look, options] of LOOKS) {
  test(`axe finds nothing while games are live: ${look}`, async () => {
    const players = await Promise.all(["barrage", "classic"].map(async (ruleset) => {
      const { page, context } = await newPage(chromium, { reducedMotion: "reduce" });
      await page.goto(`${front.url}/play`);
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
    await page.goto(`${front.url}/watch`);
    await page.locator(".watch-large .piece").first().waitFor();
    await page.locator(".small-game button").waitFor();
    await check("watch");
    const [first] = players;
    const id = /\/game\/(\w+)/.exec(first?.page.url() ?? "")?.[1];
    await page.goto(`${front.url}/replay/${id}`);
    await page.getByText("The other views open when the game is over.").waitFor();
    await check("replay-running");
    await page.goto(`${front.url}/replay/000000000000`);
    await page.getByRole("heading", { name: "This record cannot be shown" }).waitFor();
    await check("replay-trouble");
    assert.deepEqual(faults.filter((fault) => !fault.includes("status of 404")), []);
    for (const one of players) {
      await one.page.getByRole("button", { name: "Resign" }).click();
      await one.page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
      await one.page.locator(".phase-over").waitFor();
      await one.context.close();
    }
    await context.close();
  });
}
