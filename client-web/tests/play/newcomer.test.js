// A stranger with a cheap phone opens the server's address. What can be read aloud leads into a
// game: nothing is found here by anything else.

import assert from "node:assert/strict";
import test from "node:test";
import { PHONE, newPage, picture, slowDown } from "../browser.js";
import { chromium, server } from "../program_site.js";

/** From the address to the first move. */
const MOST_SECONDS = 30;

test("a newcomer on a phone is in a game and has moved within 30 seconds", async (t) => {
  const { page, faults, context } = await newPage(chromium, PHONE);
  await slowDown(page);
  const begun = performance.now();
  /** @type {string[]} */
  const times = [];
  const note = (/** @type {string} */ what) => times.push(`${what} ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  await page.goto(server.url);
  await page.getByRole("button", { name: /^Against the house/ }).tap();
  await page.getByRole("button", { name: "Suggest" }).tap();
  note("in a game");
  await page.getByText("All pieces are placed. Press “Ready”.").waitFor();
  await page.getByRole("button", { name: "Ready" }).tap();
  await page.getByRole("grid", { name: /below/ }).waitFor();
  while (!/Your turn/.test(await page.title())) await page.waitForTimeout(20);
  note("own turn");
  const target = page.getByRole("gridcell", { name: /you can go here/ }).first();
  for (const piece of await page.getByRole("gridcell", { name: /^[a-j][47], your (?!Bomb|Flag)/ }).all()) {
    await piece.tap();
    if (await target.count() > 0) break;
  }
  await target.tap();
  await page.getByRole("log").filter({ hasText: /(Red|Blue) moves|strikes|captures/ }).first().waitFor({ state: "attached" });
  note("first move made");
  const seconds = (performance.now() - begun) / 1_000;
  t.diagnostic(times.join(", "));
  await picture(page, "newcomer");
  assert.ok(seconds <= MOST_SECONDS, `${seconds.toFixed(1)} s`);
  assert.deepEqual(faults, []);
  await context.close();
});
