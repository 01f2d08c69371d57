// The text of the server's operator, from the real server: plain text, and a link to it only where
// there is one.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { launch, newPage, picture } from "../browser.js";
import { Server } from "../programs.js";

const TEXT = "Write to <b>club@example.org</b>\nor [call](tel:1).\n\n# Privacy & rules\nGames are kept.\r\n\r\n## Not a heading\n";

const folder = mkdtempSync(join(tmpdir(), "flagfall-about-"));
const file = join(folder, "about.txt");
const [told, silent] = [new Server({ flags: ["--about", file] }), new Server()];
/** @type {import("playwright-core").Browser} */
let chromium;

before(async () => {
  writeFileSync(file, TEXT);
  await Promise.all([told.start(), silent.start()]);
  chromium = await launch();
});
after(async () => {
  await chromium?.close();
  await Promise.all([told.end(), silent.end()]);
  rmSync(folder, { recursive: true });
});

test("the operator's text is shown as text, from the foot of every page", async () => {
  const { page, faults, context } = await newPage(chromium);
  await page.goto(`http://${told.address}/`);
  await page.locator(".page-foot").getByRole("link", { name: "About this server" }).click();
  await page.getByRole("heading", { name: "About this server" }).waitFor();
  await page.getByText("Games are kept.").waitFor();
  const blocks = await page.locator("main .stack > h2, main .stack > p").evaluateAll((all) => all.map((one) => `${one.tagName} ${one.innerHTML}`));
  assert.deepEqual(blocks, [
    "P Write to &lt;b&gt;club@example.org&lt;/b&gt;\nor [call](tel:1).", "H2 Privacy &amp; rules", "P Games are kept.", "P ## Not a heading",
  ]);
  await picture(page, "about");
  assert.deepEqual(faults, []);
  await context.close();
});

test("a server without such a text says so, and has no link to it", async () => {
  const { page, context } = await newPage(chromium);
  await page.goto(`http://${silent.address}/about`);
  await page.getByText("The operator of this server has written nothing about it.").waitFor();
  assert.equal(await page.getByRole("link", { name: "About this server" }).count(), 0);
  await context.close();
});
