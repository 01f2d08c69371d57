// What axe-core finds on a page, and what is cut off.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { faultsOf } from "./look.js";

/** @typedef {import("playwright-core").Page} Page */

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds, in short. @param {Page} page @returns {Promise<string[]>} */
export async function violations(page) {
  if (!await page.evaluate(() => "axe" in window)) await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe, fed } = /** @type {any} */ (window);
    let isDone = false;
    const running = axe.run(document, { resultTypes: ["violations"] }).finally(() => (isDone = true));
    // Where time is the test's, it must pass.
    while (fed && !isDone) {
      await fed.run(50);
      await fed.draw();
    }
    const { violations } = await running;
    return violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes.slice(0, 3).map((/** @type {any} */ node) => node.html.slice(0, 160) + " " + (node.any[0]?.message ?? "")).join(" | ")}`);
  });
}

/** How far the page is wider than its window. @param {Page} page */
export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

/** Boxes that are narrower than what is in them or leave the screen, and texts that are cut off. @param {Page} page */
export async function bursts(page) {
  const cut = await page.evaluate(() => [...document.body.querySelectorAll("*")].flatMap((element) => {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim());
    if (!hasText || !element.checkVisibility() || element.closest(".aloud, noscript, [hidden], svg")) return [];
    let box = element.getBoundingClientRect();
    for (let around = element.parentElement; around; around = around.parentElement) {
      const { overflowY } = getComputedStyle(around);
      if (overflowY === "visible") continue;
      const frame = around.getBoundingClientRect();
      if (overflowY === "hidden" || overflowY === "clip") {
        if (box.bottom > frame.bottom + 1 || box.top < frame.top - 1) return [`${element.localName}.${element.className} is cut off: ${element.textContent?.slice(0, 60)}`];
      }
      // What scrolls can be read in its frame.
      box = frame;
    }
    return [];
  }));
  return [...cut, ...await faultsOf(page, "(?!)", [])];
}

/**
 * How a page can look. `text`: the size of its root's text.
 * @typedef {{ name: string, media: { colorScheme?: "light" | "dark", forcedColors?: "active" | "none" }, width: number, height: number, text: string }} Look
 */

/** @type {Look} */
const PLAIN = { name: "light", media: { colorScheme: "light", forcedColors: "none" }, width: 1280, height: 800, text: "" };
/** @type {Look[]} */
export const LOOKS = [
  PLAIN,
  { ...PLAIN, name: "dark", media: { colorScheme: "dark", forcedColors: "none" } },
  { ...PLAIN, name: "forced-colors", media: { forcedColors: "active" } },
  { ...PLAIN, name: "narrow", width: 320, height: 640 },
  { ...PLAIN, name: "narrow-dark", media: { colorScheme: "dark", forcedColors: "none" }, width: 320, height: 640 },
  { ...PLAIN, name: "large-text", text: "200%" },
  { ...PLAIN, name: "large-text-phone", width: 640, height: 900, text: "200%" },
];

/** @param {Page} page @param {Look} look */
export async function wear(page, { media, width, height, text }) {
  await page.emulateMedia(media);
  await page.setViewportSize({ width, height });
  await page.evaluate(async (text) => {
    document.documentElement.style.fontSize = text;
    const { fed } = /** @type {any} */ (window);
    await fed?.run(100);
    await fed?.draw();
  }, text);
}
