// Keys alone, and what a screen reader finds: the focus is never lost, and what happens is said.

import assert from "node:assert/strict";
import test from "node:test";
import { newPage } from "../browser.js";
import { tabTo } from "../player.js";
import { againstHouse, deploy, meet } from "../robot.js";
import { chromium, server } from "../site.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").Locator} Locator */

const open = () => newPage(chromium, { reducedMotion: "reduce" });

/** Waits until this has the focus. @param {Page} page @param {Locator} control */
const focused = (page, control) => control.and(page.locator(":focus")).waitFor({ state: "attached", timeout: 10_000 });

/** Waits until this is said or shown. @param {Page} page @param {"log" | "status"} region @param {string | RegExp} text */
const said = (page, region, text) => page.getByRole(region).filter({ hasText: text }).first().waitFor({ state: "attached", timeout: 10_000 });

/** Goes to a control by Tab, and presses it. @param {Page} page @param {string | RegExp} name @param {"button" | "radio"} [role] */
async function use(page, name, role = "button") {
  await tabTo(page, page.getByRole(role, { name }));
  await page.keyboard.press(role === "radio" ? "Space" : "Enter");
}

/** @param {Page} page */
const square = (page) => page.getByRole("gridcell");

test("a whole game by keys: from the first page to the rematch", async () => {
  const { page, faults, context } = await open();
  await page.goto(server.url);
  await page.getByRole("button", { name: /^Against the house/ }).waitFor();
  await use(page, /^Against the house/);
  await focused(page, square(page));
  const first = page.url();
  await use(page, "Suggest");
  await said(page, "log", "Suggested deployment. All pieces are placed.");
  await use(page, "Ready");
  await focused(page, square(page));
  await page.locator("#status").filter({ hasText: "Your turn." }).waitFor();
  await page.keyboard.press("n");
  await page.keyboard.press("Enter");
  const name = await square(page).and(page.locator(":focus")).getAttribute("aria-label");
  const rank = /your (\w+)/.exec(name ?? "")?.[1];
  await page.keyboard.press("PageUp");
  await page.keyboard.press("Enter");
  await said(page, "status", new RegExp(`^The ${rank} cannot go to [a-j](1|10)\\.$`));
  assert.equal(await page.getByRole("gridcell", { selected: true }).getAttribute("aria-label"), name, "the piece stays in hand");
  await page.keyboard.press("Escape");
  await use(page, "Resign");
  await focused(page, page.getByRole("dialog").getByRole("button", { name: "Keep things as they are" }));
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await focused(page, page.getByRole("button", { name: "Rematch" }));
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => /\/game\//.test(url.href) && url.href !== first);
  await focused(page, square(page));
  assert.deepEqual(faults, []);
  await context.close();
});

test("deploying is said: placing, moving, taking off, and why not", async () => {
  const { page, faults, context } = await open();
  await againstHouse(page, server.url, "barrage");
  await focused(page, square(page));
  /** @type {[string[], "log" | "status", string][]} */
  const steps = [
    [["9"], "log", "Scout on a1, 1 left."],
    [["Enter"], "log", "Scout on a1, in your hand."],
    [["PageUp", "Enter"], "status", "A piece can only go to one of your home squares."],
    [["PageDown", "ArrowRight", "Enter"], "log", "Scout from a1 to b1."],
    [["Delete"], "log", "Scout taken off b1, 2 left."],
    [["f", "ArrowRight", "f"], "status", "No Flag is left to place."],
  ];
  for (const [keys, region, text] of steps) {
    for (const key of keys) await page.keyboard.press(key);
    await said(page, region, text);
  }
  await use(page, "Clear");
  await said(page, "log", "Flag taken off b1, 1 left.");
  assert.deepEqual(faults, []);
  await context.close();
});

test("an offer that is posted is confirmed, can be reached, and leaves the focus a place", async () => {
  const { page, faults, context } = await open();
  await page.goto(`${server.url}/play`);
  await page.getByText("online").waitFor();
  await page.getByRole("radio", { name: "House" }).focus();
  await page.keyboard.press("ArrowRight");
  await use(page, "Post the offer");
  await said(page, "status", "Your offer is posted.");
  await use(page, "Go to your offer");
  await focused(page, page.getByRole("button", { name: "Withdraw" }));
  await page.keyboard.press("Enter");
  await said(page, "status", "Your offer is withdrawn.");
  await focused(page, page.getByRole("heading", { name: "Open offers" }));
  assert.equal(await page.getByText("Your offer is posted.").count(), 0);
  assert.deepEqual(faults, []);
  await context.close();
});

test("a draw is offered, declined, offered again and accepted by keys", async () => {
  const [ann, bob] = await Promise.all([open(), open()]);
  await meet(ann.page, bob.page, server.url, "barrage");
  for (const { page } of [ann, bob]) await deploy(page);
  await Promise.all([ann, bob].map(({ page }) => page.locator(".phase-playing").waitFor()));
  await use(ann.page, "Offer a draw");
  await focused(ann.page, square(ann.page));
  await use(bob.page, "Decline");
  await focused(bob.page, square(bob.page));
  await said(ann.page, "log", /declines/);
  await use(bob.page, "Offer a draw");
  await use(ann.page, "Accept the draw");
  for (const { page } of [ann, bob]) await focused(page, page.getByRole("button", { name: "Rematch" }));
  for (const { faults, context } of [ann, bob]) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});
