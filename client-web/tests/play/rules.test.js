// The rules of every ruleset, in words and diagrams.

import assert from "node:assert/strict";
import test from "node:test";
import { newPage, picture } from "../browser.js";
import { IDS } from "../rules.js";
import { chromium, server } from "../site.js";

test("the rules that are read are the rules that are offered", async () => {
  const { page, faults, context } = await newPage(chromium);
  await page.goto(`${server.url}/rules/barrage`);
  await page.getByRole("main").getByRole("link", { name: "Play" }).click();
  assert.equal(await page.getByLabel("Rules").inputValue(), "barrage");
  await page.goto(`${server.url}/play?rules=nothing`);
  assert.equal(await page.getByLabel("Rules").inputValue(), "classic");
  assert.deepEqual(faults, []);
  await context.close();
});

test("every ruleset is listed and explained", async () => {
  const { page, faults, context } = await newPage(chromium);
  await page.goto(server.url);
  await page.getByRole("navigation").getByRole("link", { name: "Rules" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Rules" }).waitFor();
  assert.equal(await page.locator(".ruleset-card").count(), IDS.length);
  await picture(page, "rules-list");
  for (const id of IDS) {
    await page.goto(`${server.url}/rules/${id}`);
    await page.getByRole("heading", { name: "The end" }).waitFor();
    assert.ok(await page.locator(".diagram").count() >= 4, id);
    assert.doesNotMatch(await page.locator("main").innerText(), /\{|rules-|picture-|diagram-/, id);
    await picture(page, `rules-${id}`, true);
  }
  await page.goto(`${server.url}/rules/nothing`);
  await page.getByRole("heading", { name: "There are no such rules here" }).waitFor();
  await page.getByRole("link", { name: "All rules" }).click();
  await page.getByRole("link", { name: "Quantum" }).click();
  await page.getByRole("heading", { level: 1, name: "Quantum" }).waitFor();
  assert.equal(await page.title(), "Quantum · Flagfall");
  assert.deepEqual(faults, []);
  await context.close();
});

for (const [size, viewport] of /** @type {const} */ ([["phone", { width: 360, height: 740 }], ["tablet", { width: 820, height: 1180 }]])) {
  test(`rules fit a ${size}`, async () => {
    const { page, faults, context } = await newPage(chromium, { viewport });
    for (const id of ["classic", "shadowflash-3"]) {
      await page.goto(`${server.url}/rules/${id}`);
      await page.getByRole("heading", { name: "The end" }).waitFor();
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), id);
      await picture(page, `rules-${id}-${size}`, true);
    }
    assert.deepEqual(faults, []);
    await context.close();
  });
}
