// The page in a browser that prefers Russian, on a phone and on a desk: nothing is said in Latin
// letters, and no box bursts.

import assert from "node:assert/strict";
import test from "node:test";
import { newPage, picture } from "../browser.js";
import { feed, feedPage, tree, welcome } from "../fed.js";
import { chromium, rules, rulesOf, server } from "../fed_site.js";
import { faultsOf } from "../look.js";
import { GAME, playPair } from "../pairs.js";

/** @typedef {import("playwright-core").Page} Page */

const SIZES = { phone: { width: 360, height: 740 }, desk: { width: 1280, height: 800 } };
/** Names, the keys of a keyboard, and the code of an error. */
const KNOWN = ["Flagfall", "ann", "bob", "English", "unreachable", "Page Up", "Page Down", "Home", "End", "Delete", "Enter", "Esc"];
/** What is typed. */
const TYPED = ["place 9 c3", "remove c3", "draw, resign", "random", "suggested"];

/** @param {Page} page */
const look = (page) => faultsOf(page, "[a-z]{3,}", [...TYPED, ...KNOWN]);

/** @param {string} path @param {{ width: number, height: number }} viewport */
const open = (path, viewport) => feedPage(chromium, {
  url: server.url, rules, path, settings: {}, isQuiet: true, options: { viewport, locale: "ru-RU", reducedMotion: "reduce" },
});

/** Text that is written for a screen reader alone. @param {Page} page */
const draw = (page) => page.evaluate(() => /** @type {any} */ (window).fed.draw());

const lobby = { type: "lobby", games: [], players_online: 3, seeks: [] };
/** @type {[string, string][]} */
const PAGES = [
  ["home", "/"], ["play", "/play"], ["unknown", "/nowhere"], ["watch", "/watch"], ["rules", "/rules"], ["ruleset", "/rules/shadowflash-3"],
  ["coins", "/rules/quantum"], ["account", "/account"], ["settings", "/settings"], ["editor", "/deployments/classic"],
];

for (const [size, viewport] of Object.entries(SIZES)) {
  for (const [name, path] of PAGES) {
    test(`${name} on a ${size}: nothing is Latin, nothing bursts`, async () => {
      const { page, faults, context, hear } = await open(path, viewport);
      await hear(welcome("red"));
      await hear(lobby);
      await draw(page);
      assert.equal(await page.locator("html").getAttribute("lang"), "ru");
      await picture(page, `ru-${name}-${size}`, true);
      assert.deepEqual(await look(page), []);
      assert.match(await page.locator("h1").first().textContent() ?? "", /[а-яё]/i);
      // Without a server, what a page asks of the API fails.
      assert.deepEqual(faults.filter((fault) => !/Failed to load resource/.test(fault)), []);
      await context.close();
    });
  }

  test(`a game on a ${size}: nothing is Latin, nothing bursts`, async () => {
    const { page, faults, context, hear } = await open(`/game/${GAME}`, viewport);
    const { a } = await playPair(rulesOf("shadowflash-2"), { seed: 4, plies: 12 });
    await hear(welcome("red"));
    await feed(page, a.red.slice(0, 1));
    await picture(page, `ru-deploying-${size}`, true);
    assert.deepEqual(await look(page), [], "deploying");
    await feed(page, a.red.slice(1));
    await picture(page, `ru-playing-${size}`, true);
    assert.deepEqual(await look(page), [], "playing");
    // What a screen reader finds on the board.
    const names = (await tree(page)).split("\n").filter((line) => /^gridcell/.test(line));
    assert.ok(names.length >= 160 && names.every((line) => /[а-яё]{4}/.test(line)), names[0]);
    await page.locator(".who button").click();
    for (let tries = 0; tries < 100 && await page.getByRole("dialog").count() === 0; tries++) {
      await page.waitForTimeout(50);
      await page.evaluate(() => /** @type {any} */ (window).fed.run(100));
    }
    await picture(page, `ru-settings-${size}`);
    assert.deepEqual(await look(page), [], "settings");
    assert.deepEqual(faults, []);
    await context.close();
  });
}

test("the language is chosen in the settings, kept on the device, and the only one that is loaded", async () => {
  const { page, context } = await newPage(chromium, { locale: "en-US" });
  await page.route("**/api/rulesets", (route) => route.fulfill({ json: { rulesets: rules, house_players: [] } }));
  /** @type {string[]} */
  const loaded = [];
  page.on("request", (request) => {
    const name = /words\/(.+)\.ftl$/.exec(request.url())?.[1];
    if (name) loaded.push(name);
  });
  await page.goto(`${server.url}/replay`);
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByLabel("Language").waitFor();
  assert.deepEqual(loaded.splice(0).sort(), ["en", "en-more"]);
  await page.getByLabel("Language").selectOption({ label: "Русский" });
  await page.getByText("The language changes when you close the settings.").waitFor();
  await page.setViewportSize({ width: 360, height: 400 });
  const box = await page.getByRole("button", { name: "Close" }).boundingBox();
  assert.ok(box && box.y + box.height <= 400, "Close is in sight");
  await page.mouse.click(5, 5);
  await page.getByRole("button", { name: "Настройки" }).waitFor();
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.deepEqual(loaded.splice(0).sort(), ["ru", "ru-more"]);
  assert.equal(await page.locator("html").getAttribute("lang"), "ru");
  await page.goto(`${server.url}/rules`);
  await page.getByRole("heading", { name: "Квантовая игра" }).waitFor();
  assert.deepEqual(loaded.sort(), ["ru", "ru-more"]);
  await page.setViewportSize({ width: 320, height: 640 });
  const header = await page.getByRole("banner").boundingBox();
  assert.ok(header && header.height < 70, "the header has one row");
  await context.close();
});
