// The page in a language that is 40 % longer, 320 pixels wide: no English is left, and no box
// bursts. The page is fed with messages.

import assert from "node:assert/strict";
import test from "node:test";
import { API, GREETING, served, visits } from "../addresses.js";
import { picture } from "../browser.js";
import { feed, feedPage, settle, welcome } from "../fed.js";
import { chromium, rules, rulesOf, server } from "../fed_site.js";
import { faultsOf } from "../look.js";
import { GAME, playPair } from "../pairs.js";
import { pseudoFluent } from "../pseudo.js";
import { allTexts } from "../texts.js";

/** @typedef {import("playwright-core").Page} Page */

/** @param {string} path */
const open = (path) => feedPage(chromium, {
  url: server.url, rules, path, settings: {}, isQuiet: true, api: API, texts: pseudoFluent(allTexts("en")),
  options: { viewport: { width: 320, height: 640 }, reducedMotion: "reduce" },
});

/** What is English in every language: names, months, an address, and what the server says of the rulesets. */
const known = () => ["Flagfall", "English", "ann", "bob", "Nov", "September", "https://example.org/turns", "ann@example.org", ...rules.flatMap(({ title, summary, options }) =>
  [title, summary ?? "", ...options.flatMap(({ values }) => values.map(({ meaning }) => meaning))])]
  .filter(Boolean).sort((a, b) => b.length - a.length);

/** Words without an accent, and boxes that burst. @param {Page} page */
const look = (page) => faultsOf(page, "(?<![\\p{L}\\d])[b-df-hj-np-tv-z]*[aeiou][a-z]*(?![\\p{L}\\d])", known());

for (const visit of await visits(rulesOf)) {
  test(`${visit.name}: nothing is English, nothing bursts`, async () => {
    const { page, faults, context, hear } = await open(visit.path);
    for (const message of [...GREETING, ...visit.messages ?? []]) await hear(message);
    await settle(page, visit.ready);
    for (const selector of visit.open ?? []) {
      await page.locator(selector).evaluateAll((controls) => controls.forEach((control) => /** @type {HTMLElement} */ (control).click()));
      await settle(page, visit.ready);
    }
    await picture(page, `pseudo-${visit.name}`, true);
    assert.deepEqual(await look(page), []);
    assert.deepEqual(faults.filter((fault) => !/Failed to load resource/.test(fault)), []);
    await context.close();
  });
}

test("every address of the page is looked at", async () => {
  const looked = new Set((await visits(rulesOf)).map(({ of }) => of));
  assert.deepEqual(served().filter((address) => !looked.has(address)), []);
});

test("a game: nothing is English, nothing bursts", async () => {
  const { page, faults, context, hear } = await open(`/game/${GAME}`);
  const ruleset = rulesOf("shadowflash-1");
  const { a } = await playPair(ruleset, { seed: 4, plies: 8 });
  await hear(welcome("red"));
  await feed(page, a.red.slice(0, 1));
  assert.deepEqual(await look(page), [], "deploying");
  await picture(page, "pseudo-deploying");
  await feed(page, a.red.slice(1));
  assert.deepEqual(await look(page), [], "playing");
  await picture(page, "pseudo-playing");
  await page.locator(".who button").click();
  for (let tries = 0; tries < 100 && await page.getByRole("dialog").count() === 0; tries++) {
    await page.waitForTimeout(50);
    await page.evaluate(() => /** @type {any} */ (window).fed.run(100));
  }
  assert.deepEqual(await look(page), [], "settings");
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
  const found = (await look(page)).join("\n");
  assert.match(found, /words in p\.: Nobody/);
  assert.match(found, /p\. bursts/);
  await context.close();
});
