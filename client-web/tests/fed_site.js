// The page without a server, the rules and Chromium, for the tests of the file that imports this.
// Such tests feed the page with messages (`fed.js`).

import { after, before } from "node:test";
import { launch } from "./browser.js";
import { listedRules } from "./games.js";
import { serve } from "./serve.mjs";

/** @typedef {import("../page/game/rules.js").Rules} Rules */

/** @type {Rules[]} */
export let rules = [];
/** @type {Awaited<ReturnType<typeof serve>>} */
export let front;
/** @type {import("playwright-core").Browser} */
export let chromium;

before(async () => {
  rules = await listedRules();
  front = await serve({ port: 0, server: "127.0.0.1:1" });
  chromium = await launch();
});
after(async () => {
  await chromium?.close();
  front?.close();
});

/** @param {string} id */
export const rulesOf = (id) => /** @type {Rules} */ (rules.find((one) => one.id === id));
