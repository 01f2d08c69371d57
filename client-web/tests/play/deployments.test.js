// The library of deployments and their editor, by pointer, by keys, by touch and as text.

import assert from "node:assert/strict";
import test from "node:test";
import { newPage, picture } from "../browser.js";
import { press } from "../robot.js";
import { chromium, server } from "../site.js";

const CLASSIC = "9394924939\n56691S9575\n574BB7668B\n88BF7B88B9";

/** @param {import("playwright-core").Page} page */
const textOf = async (page) => (await page.getByLabel("As text").inputValue()).replaceAll("\n", "");

test("a deployment is made by keys and pointer, saved, opened again and deleted", async () => {
  const { page, faults, context } = await newPage(chromium, { reducedMotion: "reduce" });
  await page.goto(`${server.url}/deployments`);
  await page.getByRole("heading", { name: "Nothing is saved yet" }).waitFor();
  await page.locator(".setup-picture").first().waitFor();
  assert.equal(await page.locator(".setup-cards li").count(), 3);
  await picture(page, "deployments-empty", true);
  await page.getByLabel("Rules").selectOption("barrage");
  await page.getByRole("button", { name: "New deployment" }).click();
  await page.getByRole("heading", { level: 1, name: "New deployment" }).waitFor();
  assert.equal(await page.locator("[data-square]").count(), 60, "the enemy's home rows are left out");
  await page.locator(".squares [tabindex='0']").focus();
  for (const letter of ["F", "B", "S", "9", "9", "8", "2"]) {
    await page.keyboard.press(letter);
    await page.keyboard.press("ArrowRight");
  }
  await page.locator(".aloud").getByText("General on g1, 0 left.").waitFor({ state: "attached" });
  assert.ok(await page.getByRole("button", { name: "1 piece to place" }).isDisabled());
  // The Marshal from the tray, then by drag to another square.
  await page.getByRole("button", { name: "Marshal, 1 left" }).click();
  assert.equal(await page.locator(".square.free").count(), 33);
  await press(page, "h1");
  assert.equal(await textOf(page), ".".repeat(30) + "FBS99821..");
  const [from, to] = await Promise.all(["h1", "j4"].map((square) => page.locator(`[data-square="${square}"]`).boundingBox()));
  assert.ok(from && to);
  await page.mouse.move(from.x + 20, from.y + 20);
  await page.mouse.down();
  await page.mouse.move(to.x + 20, to.y + 20, { steps: 5 });
  await page.mouse.up();
  assert.equal(await textOf(page), `.........1${".".repeat(20)}FBS9982...`);
  await page.getByRole("button", { name: "Mirror" }).click();
  await page.locator(".aloud").getByText("Mirrored.").waitFor({ state: "attached" });
  assert.equal(await textOf(page), `1.........${".".repeat(20)}...2899SBF`);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByLabel("Name").fill("no good");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("This name is not allowed.").waitFor();
  await page.getByLabel("Name").fill("corner");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/\/deployments\/barrage\/corner$/);
  await picture(page, "deployment", true);
  await page.reload();
  await page.locator(".piece").first().waitFor();
  assert.equal(await textOf(page), `.........1${".".repeat(20)}FBS9982...`);
  await page.getByRole("link", { name: "All deployments" }).click();
  await page.getByRole("heading", { name: "Barrage" }).waitFor();
  await page.getByRole("link", { name: "corner" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "Nothing is saved yet" }).waitFor();
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), []);
  assert.deepEqual(faults, []);
  await context.close();
});

test("a saved deployment, or a suggestion, is played", async () => {
  const { page, faults, context } = await newPage(chromium, { reducedMotion: "reduce" });
  await page.goto(`${server.url}/deployments/barrage#9....1..9............S........F8B2......`);
  await page.getByLabel("Name").fill("corner");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/\/corner$/);
  await page.goto(`${server.url}/play`);
  await page.getByLabel("Rules").selectOption("barrage");
  await page.getByLabel("Your side").selectOption("blue");
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.getByRole("button", { name: "Suggest" }).click();
  await page.getByRole("button", { name: "Ready", exact: true }).waitFor();
  await page.getByRole("button", { name: "Saved" }).click();
  await picture(page, "deployment-saved-in-game");
  await page.getByRole("dialog").getByRole("button", { name: "corner" }).click();
  // Blue looks at the board from the other side.
  assert.match(await page.locator("[data-square='j10']").getAttribute("aria-label") ?? "", /your Flag/);
  assert.match(await page.locator("[data-square='j7']").getAttribute("aria-label") ?? "", /your Scout/);
  await page.getByRole("button", { name: "Ready", exact: true }).click();
  await page.locator(".phase-playing").waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("texts, links and files are checked before they are used", async () => {
  const { page, faults, context } = await newPage(chromium, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto(`${server.url}/deployments/classic`);
  await page.getByRole("button", { name: "Suggest" }).click();
  await page.locator(".tray-piece:enabled").first().waitFor({ state: "detached" });
  const suggested = await textOf(page);
  await page.getByLabel("As text").fill(CLASSIC.slice(1));
  await page.getByRole("button", { name: "Use this text" }).click();
  await page.getByText("The deployment has 39 characters instead of 40").waitFor();
  await page.getByLabel("As text").fill(CLASSIC.toLowerCase());
  await page.getByRole("button", { name: "Use this text" }).click();
  assert.equal(await textOf(page), CLASSIC.replaceAll("\n", ""));
  await page.getByRole("button", { name: "Undo" }).click();
  assert.equal(await textOf(page), suggested);
  await page.getByRole("button", { name: "Copy the link" }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const files = await page.locator("input[type=file]");
  await files.setInputFiles({ name: "large.txt", mimeType: "text/plain", buffer: Buffer.alloc(1_100_000, "9") });
  await page.getByText("This file is larger than 1 MB.").waitFor();
  await files.setInputFiles({ name: "one.txt", mimeType: "text/plain", buffer: Buffer.from(CLASSIC) });
  await page.getByText("The deployment is on the board.").waitFor();
  assert.equal(await textOf(page), CLASSIC.replaceAll("\n", ""));
  await page.goto("about:blank");
  await page.goto(link);
  await page.locator(".piece").first().waitFor();
  assert.equal(await textOf(page), suggested);
  await page.goto(`${server.url}/deployments`);
  const library = page.locator("input[type=file]");
  await library.setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from("{\"classic\":{\"<b>\":\"9\"}}") });
  await page.getByText("Nothing was saved: <b> (classic) is not a valid deployment here.").waitFor();
  await library.setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify({ classic: { mine: CLASSIC, other: CLASSIC } })) });
  await page.getByText("2 deployments were saved.").waitFor();
  await page.getByRole("link", { name: "mine" }).waitFor();
  await picture(page, "deployments", true);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as a file" }).click();
  assert.equal((await download).suggestedFilename(), "flagfall-deployments.json");
  await page.goto(`${server.url}/deployments/quantum`);
  await page.getByRole("heading", { name: "These rules have no deployments" }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

for (const [size, options] of /** @type {const} */ ([
  ["phone", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }], ["tablet", { viewport: { width: 820, height: 1180 }, hasTouch: true }],
])) {
  test(`the editor works by touch on a ${size}`, async () => {
    const { page, faults, context } = await newPage(chromium, { ...options, reducedMotion: "reduce" });
    for (const ruleset of ["classic", "shadowflash-2"]) {
      await page.goto(`${server.url}/deployments/${ruleset}`);
      await page.getByRole("button", { name: "Scout, " }).tap();
      await page.locator("[data-square='b2']").tap();
      assert.match(await page.locator("[data-square='b2']").getAttribute("aria-label") ?? "", /your Scout/);
      await page.getByRole("button", { name: "Random" }).tap();
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), ruleset);
      await picture(page, `deployment-${ruleset}-${size}`, true);
    }
    assert.deepEqual(faults, []);
    await context.close();
  });
}
