// Chromium for tests, with everything reported that a page must not do.

import { chromium } from "playwright-core";
import { browser } from "./programs.js";

/** @typedef {import("playwright-core").Page} Page */

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

/** Starts Chromium. @param {string[]} [flags] more flags */
export function launch(flags = []) {
  return chromium.launch({ executablePath: browser("chromium"), args: [...FLAGS, ...flags] });
}

/**
 * A page in a browser profile of its own. `faults` lists errors and reports of the content
 * security policy; a test ends with none.
 * @param {import("playwright-core").Browser} chromium
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function newPage(chromium, options = {}) {
  const context = await chromium.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  /** @type {string[]} */
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.stack ?? error.message));
  page.on("console", (message) => {
    const isLostLine = /WebSocket connection to|ERR_CONNECTION|status of 50\d|ERR_EMPTY_RESPONSE/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !isLostLine) faults.push(message.text());
  });
  return { page, faults, context };
}

/** The phone of a newcomer. */
export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/**
 * Makes a page as slow as on a cheap phone: a quarter of the processor, 100 ms to the server, and
 * 1.6 Mbit/s.
 * @param {Page} page
 */
export async function slowDown(page) {
  const session = await page.context().newCDPSession(page);
  const bytes = 1_600_000 / 8;
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", { offline: false, latency: 100, downloadThroughput: bytes, uploadThroughput: bytes });
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
}

/**
 * A picture for people to look at, if FLAGFALL_PICTURES names a folder.
 * @param {Page} page @param {string} name @param {boolean} [fullPage]
 */
export async function picture(page, name, fullPage = false) {
  const folder = process.env.FLAGFALL_PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage });
}
