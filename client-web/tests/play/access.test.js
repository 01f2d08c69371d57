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

/** Pages that need no player, and what they show when they are ready. @type {[string, string, string][]} */
const PAGES = [
  ["rules-list", "/rules", "Quantum"],
  ["rules", "/rules/classic", "The end"],
  ["rules-chips", "/rules/shadowflash-3", "The end"],
  ["rules-coins", "/rules/quantum", "The end"],
  ["deployments", "/deployments", "Nothing is saved yet"],
  ["deployment", "/deployments/classic#9394924939566915957S574BB7668B88BF7B88B9", "New deployment"],
  ["leaderboard", "/leaderboard", "Not enough rated games yet"],
  ["deployment-chips", "/deployments/shadowflash-2", "New deployment"],
];

for (const [look, options] of LOOKS) {
  test(`axe finds nothing on pages to read: ${look}`, async () => {
    const { page, faults, context } = await newPage(chromium, { reducedMotion: "reduce", ...options });
    for (const [name, path, heading] of PAGES) {
      await page.goto(front.url + path);
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
    assert.deepEqual(faults, []);
    await context.close();
  });
}
