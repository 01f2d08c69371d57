// The library that draws the page, in a browser.

import assert from "node:assert/strict";
import test from "node:test";
import { newPage } from "../browser.js";
import { chance, shuffle } from "../games.js";
import { chromium, server } from "../site.js";

test("lists whose entries come, go and change places are drawn whole and in order", async () => {
  const { page, faults, context } = await newPage(chromium);
  const random = chance(1);
  const lists = Array.from({ length: 2_000 }, () => shuffle([..."abcdefgh"].filter(() => random(5) < 3), random));
  await page.goto(server.url);
  const drawn = await page.evaluate(async ([address, lists]) => {
    const { h, render } = await import(address);
    const host = document.createElement("div");
    return lists.map((keys) => {
      render(h("ul", null, keys.map((key) => h("li", { key }, key))), host);
      return [...host.querySelectorAll("li")].map(({ textContent }) => textContent ?? "");
    });
  }, /** @type {const} */ ([`${await server.assets()}vendor/library.js`, lists]));
  assert.deepEqual(drawn, lists);
  assert.deepEqual(faults, []);
  await context.close();
});
