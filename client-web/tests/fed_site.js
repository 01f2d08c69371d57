// The rules, for tests that feed the page with messages (`fed.js`). The server that they use sends
// only the page.

import { listedRules } from "./games.js";

export { chromium, server } from "./site.js";

/** @typedef {import("../page/game/rules.js").Rules} Rules */

export const rules = await listedRules();

/** @param {string} id */
export const rulesOf = (id) => /** @type {Rules} */ (rules.find((one) => one.id === id));
