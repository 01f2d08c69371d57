// Makes the pictures of the page in the README: a game against a house player, on a desktop and on
// a phone. The player's moves follow a seed. Look at the pictures before you commit them.
//
//     FLAGFALL_TARGET=… node scripts/pictures.js
//
// With a folder as its argument, it makes pictures of every address and of every ruleset in three
// sizes, for people to look at. What these pages show does not come from a server's games.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newAccount, openAs } from "../tests/accounts.js";
import { API, GREETING, visits } from "../tests/addresses.js";
import { PHONE, launch } from "../tests/browser.js";
import { feedPage, settle } from "../tests/fed.js";
import { chance, listedRules } from "../tests/games.js";
import { GAME, playLong, playPair } from "../tests/pairs.js";
import { Server } from "../tests/programs.js";
import { againstHouse, playMoves } from "../tests/robot.js";

/** @typedef {import("playwright-core").Page} Page */

const FOLDER = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));
const MOST_BYTES = 200 * 1024;
const SEED = 12;
const MOVES = 34;

/** @param {Page} page @param {string} name */
async function save(page, name) {
  await page.mouse.move(0, 0);
  await page.locator(".your-turn").waitFor();
  // A message lies over the board for a while.
  await page.locator(".toast:empty").waitFor({ state: "attached" });
  const picture = await page.screenshot({ animations: "disabled" });
  if (picture.length > MOST_BYTES) throw new Error(`${name} has ${picture.length} bytes`);
  writeFileSync(FOLDER + name, picture);
  console.log(`${name}: ${(picture.length / 1024).toFixed(0)} KB`);
}

/** A computer, a tablet and a phone. @type {[string, import("playwright-core").BrowserContextOptions][]} */
const SIZES = [
  ["desktop", { viewport: { width: 1280, height: 800 }, colorScheme: "light" }],
  ["tablet", { viewport: { width: 820, height: 1180 }, hasTouch: true, colorScheme: "dark" }],
  ["phone", { ...PHONE, colorScheme: "light" }],
];

/** @param {Server} server @param {import("playwright-core").Browser} chromium */
async function forReadme(server, chromium) {
  mkdirSync(FOLDER, { recursive: true });
  const token = await newAccount(server.address, "ann");
  const { page } = await openAs(chromium, server, token, { viewport: { width: 1280, height: 800 }, colorScheme: "light" });
  await againstHouse(page, server.url, "classic", "simple");
  await page.getByRole("button", { name: "Suggest" }).click();
  await page.getByRole("button", { name: "Ready", exact: true }).click();
  await playMoves([{ page, way: "pointer" }], chance(SEED), MOVES);
  await save(page, "page-desktop.png");
  const phone = await openAs(chromium, server, token, { ...PHONE, deviceScaleFactor: 2, colorScheme: "dark" });
  await phone.page.goto(page.url());
  await save(phone.page, "page-phone.png");
}

/** Every address and every ruleset. @param {Server} server @param {import("playwright-core").Browser} chromium @param {string} folder */
async function ofEverything(server, chromium, folder) {
  mkdirSync(folder, { recursive: true });
  const rules = await listedRules();
  const rulesOf = (/** @type {string} */ id) => /** @type {import("../page/game/rules.js").Rules} */ (rules.find((one) => one.id === id));
  const games = await Promise.all(rules.map(async (one) => {
    const messages = one.start === "coins" ? (await playPair(one, { seed: SEED, plies: MOVES })).a.red : await playLong(one, { seed: SEED, plies: MOVES });
    const shown = messages.filter((message) => message.type !== "event" || message.event.kind !== "ended");
    return { name: `in-${one.id}`, path: `/game/${GAME}`, ready: ".piece", messages: shown };
  }));
  for (const visit of [...await visits(rulesOf), ...games]) {
    for (const [size, options] of SIZES) {
      const { page, context, hear } = await feedPage(chromium, {
        url: server.url, rules, path: visit.path, settings: {}, isQuiet: true, api: API, options: { reducedMotion: "reduce", ...options },
      });
      for (const message of [...GREETING, ...visit.messages ?? []]) await hear(message);
      await settle(page, visit.ready);
      await page.screenshot({ path: join(folder, `${visit.name}-${size}.png`), fullPage: true });
      await context.close();
    }
    console.log(visit.name);
  }
}

const server = new Server();
const chromium = await launch();
try {
  await server.start();
  const [, , folder] = process.argv;
  await (folder ? ofEverything(server, chromium, folder) : forReadme(server, chromium));
} finally {
  await chromium.close();
  await server.end();
}
