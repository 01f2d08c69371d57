// A player's page and the leaderboards, after rated games.

import assert from "node:assert/strict";
import test from "node:test";
import { newAccount, openAs } from "../accounts.js";
import { newPage, picture } from "../browser.js";
import { chance } from "../games.js";
import { act, deploy } from "../robot.js";
import { chromium, server } from "../site.js";

/** @typedef {import("playwright-core").Page} Page */

/**
 * Both make a move, then one resigns.
 * @param {Page} one @param {Page} other @param {Page} loser
 */
async function playShortly(one, other, loser) {
  const random = chance(5);
  await Promise.all([one, other].map((page) => page.waitForURL(/\/game\//)));
  await Promise.all([one, other].map((page) => deploy(page)));
  await Promise.all([one, other].map((page) => page.locator(".phase-playing").waitFor()));
  for (let done = 0; done < 2;) {
    for (const page of [one, other]) if (await act(page, random)) done++;
    await one.waitForTimeout(30);
  }
  await loser.getByRole("button", { name: "Resign" }).click();
  await loser.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await Promise.all([one, other].map((page) => page.locator(".phase-over").waitFor()));
}

test("a challenge from a profile becomes a rated game, and the profile shows it", async () => {
  const [ann, bob] = await Promise.all(["ann", "bob"].map(async (name) => openAs(chromium, server, await newAccount(server.address, name))));
  assert.ok(ann && bob);
  await ann.page.goto(`${server.url}/@/bob`);
  await ann.page.getByRole("heading", { level: 1, name: "bob" }).waitFor();
  await ann.page.getByText("No rated game has been played yet.").waitFor();
  await ann.page.getByText("No game has been finished yet.").waitFor();
  await ann.page.getByText("You have not finished a game against each other.").waitFor();
  await picture(ann.page, "profile-empty", true);
  for (const loser of [bob, ann]) {
    await ann.page.goto(`${server.url}/@/bob`);
    await ann.page.getByRole("button", { name: "Challenge" }).click();
    await ann.page.getByLabel("Rules").selectOption("barrage");
    await ann.page.getByLabel("Rated").check();
    await ann.page.getByRole("button", { name: "Send the challenge" }).click();
    await ann.page.waitForURL(/\/challenge#/);
    await bob.page.goto(ann.page.url());
    await bob.page.getByRole("button", { name: "Accept" }).click();
    await playShortly(ann.page, bob.page, loser.page);
  }
  const { page } = ann;
  await page.goto(`${server.url}/@/bob`);
  await page.getByText("1 won, 0 drawn, 1 lost").waitFor();
  await page.getByText("A question mark means that a rating is provisional").waitFor();
  await page.getByRole("img", { name: /Rating in Barrage, Rapid|Rating in Barrage, Blitz/ }).waitFor();
  assert.equal(await page.locator(".score-won").count(), 1);
  assert.match(await page.getByRole("link", { name: "Replay" }).first().getAttribute("href") ?? "", /^\/replay\/[0-9a-z]{12}$/);
  await page.getByText("As a table").click();
  assert.equal(await page.locator("details tbody tr").count(), 2);
  await picture(page, "profile", true);
  await page.getByRole("button", { name: "Block" }).click();
  await page.getByRole("button", { name: "Unblock" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Unblock" }).click();
  await page.getByRole("button", { name: "Block", exact: true }).waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.reload();
  await page.locator(".rating-chart").waitFor();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await picture(page, "profile-phone", true);
  await page.setViewportSize({ width: 820, height: 1180 });
  await page.reload();
  await page.locator(".rating-chart").waitFor();
  await picture(page, "profile-tablet", true);
  // Nobody looks on: no acts, and the tally is not theirs.
  const eve = await newPage(chromium);
  await eve.page.goto(`${server.url}/@/BOB`);
  await eve.page.getByRole("heading", { level: 1, name: "bob" }).waitFor();
  await eve.page.getByText("Finished games").waitFor();
  assert.equal(await eve.page.getByRole("button", { name: "Block" }).count(), 0);
  assert.equal(await eve.page.getByText("You and this player").count(), 0);
  await eve.page.goto(`${server.url}/@/nobody-at-all`);
  await eve.page.getByText("There is no player with this name.").waitFor();
  for (const { faults, context } of [ann, bob, eve]) {
    assert.deepEqual(faults.filter((fault) => !fault.includes("404")), []);
    await context.close();
  }
});

test("leaderboards say why they are empty, and list people and bots apart", async () => {
  const { page, faults, context } = await newPage(chromium);
  await page.goto(`${server.url}/leaderboard`);
  await page.getByRole("heading", { name: "Not enough rated games yet" }).waitFor();
  await picture(page, "leaderboard-empty", true);
  await page.getByLabel("Rules").selectOption("barrage");
  await page.waitForURL(/\/leaderboard\/barrage\/rapid$/);
  await page.getByLabel("Speed").selectOption("blitz");
  await page.waitForURL(/\/leaderboard\/barrage\/blitz$/);
  await page.getByText("Bots").click();
  await page.getByRole("heading", { name: "Not enough rated games yet" }).waitFor();
  // Entries take dozens of games between certain players, so they are put into the answer.
  const point = { rating: 1712, deviation: 61 };
  await page.route("**/api/leaderboards/**", (route) => route.fulfill({ json: {
    ruleset: "barrage", speed: "blitz", bots: false,
    entries: ["ann", "<b>bob</b>"].map((name, index) => ({
      place: index + 1, player: { id: `p${index}`, name, kind: "account" }, now: { ...point, rating: 1712 - index * 40 }, games: 48,
    })),
  } }));
  await page.getByText("People").click();
  await page.getByRole("link", { name: "ann" }).waitFor();
  assert.equal(await page.locator("tbody tr").count(), 2);
  await picture(page, "leaderboard", true);
  await page.setViewportSize({ width: 360, height: 740 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await picture(page, "leaderboard-phone", true);
  assert.deepEqual(faults, []);
  await context.close();
});

test("the page says that a server does not answer, and tries again", async () => {
  const { page, context } = await newPage(chromium);
  let fails = true;
  await page.route("**/api/leaderboards/**", (route) => (fails ? route.abort() : route.fallback()));
  await page.goto(`${server.url}/leaderboard`);
  await page.getByText("The server does not answer.").waitFor();
  await picture(page, "leaderboard-error", true);
  fails = false;
  await page.getByRole("heading", { name: "Not enough rated games yet" }).waitFor();
  await context.close();
});
