// The page of a player's own games: challenges, urgency, and moves queued by mail.

import assert from "node:assert/strict";
import test from "node:test";
import { newAccount, openAs } from "../accounts.js";
import { PHONE, newPage, picture } from "../browser.js";
import { deploy, press, resign } from "../robot.js";
import { chromium, server } from "../site.js";

test("a challenge is accepted, and moves of a game by mail are queued", async () => {
  const [ann, bob] = await Promise.all(["ann", "bob"].map(async (name) => openAs(chromium, server, await newAccount(server.address, name))));
  assert.ok(ann && bob);
  await ann.page.goto(`${server.url}/games`);
  await ann.page.getByRole("heading", { name: "No game is running" }).waitFor();
  await picture(ann.page, "games-empty", true);
  await ann.page.goto(`${server.url}/@/bob`);
  await ann.page.getByRole("button", { name: "Challenge" }).click();
  await ann.page.getByLabel("Rules").selectOption("barrage");
  await ann.page.getByLabel("Clock").selectOption({ label: "3 days a move" });
  await ann.page.getByRole("button", { name: "Send the challenge" }).click();
  await ann.page.waitForURL(/\/challenge#/);
  await bob.page.goto(`${server.url}/games`);
  await bob.page.getByRole("heading", { name: "Challenges for you" }).waitFor();
  await picture(bob.page, "games-challenge", true);
  await bob.page.getByRole("button", { name: "Decline" }).click();
  await bob.page.getByRole("heading", { name: "Challenges for you" }).waitFor({ state: "detached" });
  await ann.page.getByRole("heading", { name: "Your offer was declined" }).waitFor();
  await ann.page.goto(`${server.url}/play?rules=barrage&time=3days&who=player`);
  await ann.page.getByLabel("Name of the player").fill("nobody-here");
  await ann.page.getByRole("button", { name: "Send the challenge" }).click();
  await ann.page.getByText("There is no player with this name.").waitFor();
  await ann.page.getByLabel("Name of the player").fill("Bob");
  await bob.page.goto(server.url);
  await ann.page.getByRole("button", { name: "Send the challenge" }).click();
  await ann.page.getByRole("img", { name: "QR code" }).waitFor();
  await bob.page.getByRole("button", { name: "Accept" }).click();
  await Promise.all([ann, bob].map(({ page }) => page.waitForURL(/\/game\//)));
  await ann.page.goto(`${server.url}/games`);
  await ann.page.getByText("Place your army").waitFor();
  await ann.page.getByRole("link", { name: "Continue" }).click();
  for (const { page } of [ann, bob]) {
    await page.getByRole("button", { name: "Random" }).waitFor();
    await deploy(page);
  }
  await Promise.all([ann, bob].map(({ page }) => page.locator(".phase-playing").waitFor()));
  const isAnn = await ann.page.locator(".your-turn").count() > 0;
  const [mover, other] = isAnn ? [ann, bob] : [bob, ann];
  const game = mover.page.url();
  for (const { page } of [ann, bob]) await page.goto(`${server.url}/games`);
  await mover.page.getByRole("heading", { name: "Your turn" }).waitFor();
  await mover.page.getByText(/2d 23h left|3d 0h left/).waitFor();
  await other.page.getByRole("heading", { name: "Waiting for opponents" }).waitFor();
  const { page } = other;
  await page.getByText("Queued moves").click();
  await page.getByText("Nothing is queued.").waitFor();
  const field = page.getByLabel("Moves, separated by commas");
  await field.fill("nonsense");
  await page.getByRole("button", { name: "Queue these moves" }).click();
  await page.getByText("“nonsense” is not a move.").waitFor();
  await field.fill("a7a6 if d4d5, a6a5");
  await field.press("Enter");
  await page.getByText("a7a6, if they play d4d5").waitFor();
  await picture(page, "games", true);
  await page.setViewportSize({ width: 360, height: 740 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await picture(page, "games-phone", true);
  await page.setViewportSize({ width: 820, height: 1180 });
  await picture(page, "games-tablet", true);
  await page.getByRole("button", { name: "Empty the queue" }).click();
  await page.getByText("Nothing is queued.").waitFor();
  // The game goes on meanwhile: the queue was for a turn that is over.
  await mover.page.goto(game);
  await mover.page.locator(".your-turn").waitFor();
  const pieces = await mover.page.locator(".square.liftable").evaluateAll((cells) =>
    cells.map((cell) => /** @type {HTMLElement} */ (cell).dataset.square ?? ""));
  for (const square of pieces) {
    await press(mover.page, square);
    if (await mover.page.locator(".square.target").count() > 0) break;
  }
  await mover.page.locator(".square.target").first().click();
  await mover.page.getByRole("dialog").getByRole("button", { name: "Move" }).click();
  await mover.page.getByText(/(Red|Blue) moves\./).first().waitFor();
  await field.fill("a7a6");
  await field.press("Enter");
  await page.locator(".toast").getByText(/The game has moved on|It is your turn/).waitFor();
  await page.getByRole("heading", { name: "Your turn" }).waitFor();
  for (const { faults, context } of [ann, bob]) {
    assert.deepEqual(faults.filter((fault) => !/40[0-9]/.test(fault)), []);
    await context.close();
  }
});

test("the first page shows the wait for an opponent at once, and the player's own games first", async () => {
  const { page, faults, context } = await newPage(chromium, PHONE);
  await page.goto(server.url);
  await page.getByRole("button", { name: /^Quick game/ }).click();
  await page.getByText(/^\d s so far/).waitFor();
  await page.goto(`${server.url}/watch`);
  await page.getByRole("link", { name: "Looking for an opponent…" }).click();
  await page.getByRole("button", { name: "Stop waiting" }).click();
  await page.getByText("Looking for an opponent…").waitFor({ state: "detached" });
  await page.goto(server.url);
  await page.getByRole("button", { name: /^Against the house/ }).click();
  await page.getByRole("button", { name: "Random" }).waitFor();
  await page.goto(server.url);
  await page.getByText("deploying").waitFor();
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
  assert.equal(await page.getByText(/simple \(house\)/).count(), 1, "not among the live games");
  assert.ok(await page.evaluate(() => {
    const [own, choices] = [document.querySelector(".list"), document.querySelector(".choices")];
    return own && choices && own.getBoundingClientRect().bottom < choices.getBoundingClientRect().top;
  }));
  await page.getByRole("link", { name: "Continue" }).click();
  await deploy(page);
  await page.locator(".phase-playing").waitFor();
  await resign(page);
  await page.goto(`${server.url}/games`);
  await page.getByRole("link", { name: "Finished games" }).click();
  await page.getByRole("link", { name: "Replay" }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("a link to a challenge that is not open says so", async () => {
  const { page, faults, context } = await newPage(chromium);
  for (const [link, heading] of [["8k2v6m3q9d4w", "This offer is not open"], ["mistyped", "This link is incomplete"], ["", "This link is incomplete"]]) {
    // The part after "#" alone would load nothing anew. The page that is left has loaded, so no
    // request ends early.
    await page.goto("about:blank");
    await page.goto(`${server.url}/challenge#${link}`);
    await page.getByRole("heading", { name: heading ?? "" }).waitFor();
  }
  await picture(page, "challenge-closed");
  assert.deepEqual(faults, []);
  await context.close();
});

test("a visitor without a game sees how to start one", async () => {
  const { page, faults, context } = await newPage(chromium);
  await page.goto(`${server.url}/games`);
  await page.getByRole("link", { name: "Start a game" }).click();
  await page.waitForURL(/\/play$/);
  assert.deepEqual(faults, []);
  await context.close();
});
