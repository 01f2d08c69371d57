// The page in a language that is 40 % longer, 320 pixels wide: no English is left, and no box
// bursts. The page is fed with messages.

import assert from "node:assert/strict";
import test from "node:test";
import { picture } from "../browser.js";
import { feed, feedPage, welcome } from "../fed.js";
import { chromium, rules, rulesOf, server } from "../fed_site.js";
import { GAME, playPair } from "../pairs.js";
import { pseudoFluent } from "../pseudo.js";
import { allTexts } from "../texts.js";

/** @typedef {import("playwright-core").Page} Page */

/** @param {string} path */
const open = (path) => feedPage(chromium, {
  url: server.url, rules, path, settings: {}, isQuiet: true, texts: pseudoFluent(allTexts("en")),
  options: { viewport: { width: 320, height: 640 }, reducedMotion: "reduce" },
});

/** Words without an accent, and boxes that are narrower than what is in them. @param {Page} page @param {string[]} known */
function look(page, known) {
  return page.evaluate((known) => {
    /** @type {string[]} */
    const faults = [];
    const isShown = (/** @type {Element} */ element) => element.checkVisibility() && !element.closest(".aloud, noscript, [hidden]");
    /** @param {string} text @param {string} where */
    const read = (text, where) => {
      const rest = known.reduce((rest, word) => rest.replaceAll(word, " "), text);
      const english = rest.match(/(?<![\p{L}\d])[b-df-hj-np-tv-z]*[aeiou][a-z]*(?![\p{L}\d])/giu)?.filter((word) => word.length > 2);
      if (english && english.length > 0) faults.push(`English in ${where}: ${english.join(" ")}`);
    };
    for (const element of document.body.querySelectorAll("*")) {
      if (["SCRIPT", "STYLE", "NOSCRIPT"].includes(element.tagName)) continue;
      const where = `${element.localName}.${element.getAttribute("class") ?? ""}`;
      for (const node of element.childNodes) if (node.nodeType === 3) read(node.nodeValue ?? "", where);
      for (const name of ["aria-label", "placeholder", "title", "alt"]) read(element.getAttribute(name) ?? "", `${where} ${name}`);
      if (!(element instanceof HTMLElement) || !isShown(element) || element.closest(".board, .panel-body")) continue;
      const box = element.getBoundingClientRect();
      // What only screen readers read is one pixel wide.
      if (box.width <= 1) continue;
      if (box.right > innerWidth + 1 || box.left < -1) faults.push(`${where} leaves the screen: ${box.left} to ${box.right}, ${element.textContent?.slice(0, 60)}`);
      const isCut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && getComputedStyle(element).display !== "inline";
      if (isCut && !["SELECT", "INPUT"].includes(element.tagName)) faults.push(`${where} bursts: ${element.scrollWidth} in ${element.clientWidth}, ${element.textContent?.slice(0, 60)}`);
    }
    if (document.documentElement.scrollWidth > innerWidth) faults.push(`the page is ${document.documentElement.scrollWidth} wide`);
    return faults;
  }, known);
}

/** What is English in every language: names, and the rules' titles and summaries, which the server sends. */
const known = () => ["Flagfall", "ann", "bob", ...rules.flatMap(({ title, summary }) => [title, summary ?? ""])]
  .filter(Boolean).sort((a, b) => b.length - a.length);

const lobby = { type: "lobby", games: [], players_online: 3, seeks: [] };

for (const [name, path] of [["home", "/"], ["play", "/play"], ["unknown", "/nowhere"]]) {
  test(`${name}: nothing is English, nothing bursts`, async () => {
    const { page, context, hear } = await open(path ?? "/");
    await hear(welcome("red"));
    await hear(lobby);
    await page.evaluate(() => /** @type {any} */ (window).fed.draw());
    assert.deepEqual(await look(page, known()), []);
    await picture(page, `pseudo-${name}`);
    await context.close();
  });
}

test("a game: nothing is English, nothing bursts", async () => {
  const { page, faults, context, hear } = await open(`/game/${GAME}`);
  const ruleset = rulesOf("shadowflash-1");
  const { a } = await playPair(ruleset, { seed: 4, plies: 8 });
  await hear(welcome("red"));
  await feed(page, a.red.slice(0, 1));
  assert.deepEqual(await look(page, known()), [], "deploying");
  await picture(page, "pseudo-deploying");
  await feed(page, a.red.slice(1));
  assert.deepEqual(await look(page, known()), [], "playing");
  await picture(page, "pseudo-playing");
  await page.locator(".who button").click();
  for (let tries = 0; tries < 100 && await page.getByRole("dialog").count() === 0; tries++) {
    await page.waitForTimeout(50);
    await page.evaluate(() => /** @type {any} */ (window).fed.run(100));
  }
  assert.deepEqual(await look(page, known()), [], "settings");
  await picture(page, "pseudo-settings");
  assert.deepEqual(faults, []);
  await context.close();
});

test("English in the code, and a box that bursts, are found", async () => {
  const { page, context, hear } = await open("/");
  await hear(welcome("red"));
  await page.evaluate(() => {
    const planted = document.createElement("p");
    planted.style.whiteSpace = "nowrap";
    planted.append("Nobody is here to play, and this line does not break anywhere at all");
    document.querySelector("main")?.append(planted);
  });
  const found = (await look(page, known())).join("\n");
  assert.match(found, /English in p\.: Nobody/);
  assert.match(found, /p\. bursts/);
  await context.close();
});
