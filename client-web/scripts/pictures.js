// Makes the pictures of the page in the README: a game against a house player, on a desktop and on
// a phone. The player's moves follow a seed. Look at the pictures before you commit them.
//
//     FLAGFALL_TARGET=… node scripts/pictures.js

import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { newAccount, openAs } from "../tests/accounts.js";
import { PHONE, launch } from "../tests/browser.js";
import { chance } from "../tests/games.js";
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
  const picture = await page.screenshot({ animations: "disabled" });
  if (picture.length > MOST_BYTES) throw new Error(`${name} has ${picture.length} bytes`);
  writeFileSync(FOLDER + name, picture);
  console.log(`${name}: ${(picture.length / 1024).toFixed(0)} KB`);
}

const server = new Server();
const chromium = await launch();
try {
  mkdirSync(FOLDER, { recursive: true });
  await server.start();
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
} finally {
  await chromium.close();
  await server.end();
}
