// Accounts for tests, made without the page.

import { newPage } from "./browser.js";

export const PASSWORD = "horse battery 9 staple";

/**
 * Makes an account, and returns its token.
 * @param {string} server @param {string} name @param {boolean} [bot] @returns {Promise<string>}
 */
export async function newAccount(server, name, bot = false) {
  const answer = await fetch(`http://${server}/api/account`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name, password: PASSWORD, ...(bot ? { bot } : {}) }),
  });
  const { token, message } = /** @type {any} */ (await answer.json());
  if (!answer.ok) throw new Error(message);
  return token;
}

/**
 * A page in a browser that has the session of a token.
 * @param {import("playwright-core").Browser} chromium @param {import("./programs.js").Server} server
 * @param {string} token @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function openAs(chromium, server, token, options = {}) {
  const opened = await newPage(chromium, { reducedMotion: "reduce", ...options });
  await opened.context.addCookies([{ name: server.cookie, value: token, url: server.url, httpOnly: true, sameSite: "Strict" }]);
  return opened;
}

/**
 * What the server's API answers.
 * @param {string} server @param {string} token @param {string} path @param {object} [body]
 */
export async function api(server, token, path, body) {
  const answer = await fetch(`http://${server}${path}`, {
    method: body ? "POST" : "GET",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }, ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return /** @type {any} */ (await answer.json());
}
