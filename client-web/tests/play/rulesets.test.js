// Whole games of every ruleset between two browsers, one by pointer and the other by keys alone,
// while a third looks on. What the players did is counted against the record.

import assert from "node:assert/strict";
import test from "node:test";
import { newPage, picture } from "../browser.js";
import { chance } from "../games.js";
import { Player, countsOf, occupied, playTurns, seedPage } from "../player.js";
import { idOf, isOver, meet } from "../robot.js";
import { IDS } from "../rules.js";
import { chromium, server } from "../site.js";

/** @typedef {import("../player.js").Kind} Kind */

const isLong = process.env.FLAGFALL_LONG === "1";
const ACTS = isLong ? 300 : 14;

/** @param {number} seed */
async function open(seed) {
  const opened = await newPage(chromium, { reducedMotion: "reduce" });
  await seedPage(opened.context, seed);
  return opened;
}

/** Takes a piece off and puts another one there. @param {Player} player */
function exchange(player) {
  player.plan.push(async () => {
    const square = await player.takeOff();
    player.plan.unshift(() => player.putOn(square));
  });
}

/** What the two do first, where the rules have more than moves. @type {Record<string, (red: Player, blue: Player) => void>} */
const PLANS = {
  "shadowflash-1": (...players) => players.forEach(exchange),
  "shadowflash-2": (...players) => players.forEach((player) => {
    player.plan.push(() => player.strikeOverEdge());
    exchange(player);
  }),
  // Chips are laid for a Major, which then flashes over two of them.
  "shadowflash-3": (red, blue) => {
    for (const [from, to] of /** @type {const} */ ([["a4", "a5"], ["a5", "a6"], ["a6", "b6"], ["b4", "a4"], ["a4", "a6"]])) {
      red.plan.push(() => red.move(from, to));
    }
    for (const player of [red, blue]) {
      player.plan.push(() => player.strikeOverEdge());
      exchange(player);
    }
  },
  // Two coins that have moved meet: both sides choose.
  quantum: (red, blue) => {
    red.plan.push(() => red.move("a4", "a5"), () => red.move("a5", "a6"));
    blue.plan.push(() => blue.move("a7", "a6"));
  },
};

/**
 * Where the sides have pieces of some ranks. A strike over the joined edge must not take a Flag.
 * @type {Record<string, Record<"red" | "blue", Record<string, string>>>}
 */
const PLACES = {
  "shadowflash-2": { red: { h3: "Flag" }, blue: { h8: "Flag" } },
  "shadowflash-3": { red: { a4: "Captain", b4: "Major", h3: "Flag" }, blue: { h8: "Flag" } },
};

/** What each side has done at least. @type {Record<string, Partial<Record<Kind, number>>>} */
const LEAST = {
  "shadowflash-1": { removed: 1, placed: 1 },
  "shadowflash-2": { removed: 1, placed: 1 },
  "shadowflash-3": { removed: 1, placed: 1 },
  quantum: { chosen: 2 },
};

for (const [index, ruleset] of IDS.entries()) {
  test(`${ruleset} is played by pointer and by keys while a third looks on`, async (t) => {
    const [ann, bob, eve] = await Promise.all([1, 2, 3].map((n) => open(10 * index + n)));
    assert.ok(ann && bob && eve);
    const red = new Player(ann.page, "pointer", chance(index));
    const blue = new Player(bob.page, "keys", chance(100 + index));
    const players = [red, blue];
    await meet(ann.page, bob.page, server.url, ruleset, { side: "red", accept: (button) => blue.use(button) });
    const id = idOf(ann.page);
    if (ruleset !== "quantum") {
      await red.deploy(PLACES[ruleset]?.red);
      await blue.deploy(PLACES[ruleset]?.blue);
    }
    await Promise.all(players.map(({ page }) => page.locator(".phase-playing").waitFor()));
    await eve.page.goto(ann.page.url());
    await eve.page.locator(".piece").first().waitFor();
    PLANS[ruleset]?.(red, blue);
    await playTurns(players, ACTS);
    await picture(ann.page, `whole-${ruleset}`);
    if (ruleset === "course" && !await isOver(ann.page)) {
      while (!(await blue.look()).isTurn) await playTurns(players, 1);
      await blue.actIllegally();
    }
    if (!await isOver(ann.page)) await /** @type {Player} */ (players[index % 2]).resign();
    await Promise.all([ann, bob, eve].map(({ page }) => page.locator(".phase-over").waitFor()));
    const counts = await countsOf(server, id);
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual({ red: red.done, blue: blue.done }, counts, "every act was made once");
    for (const { done } of players) {
      for (const [kind, least] of Object.entries(LEAST[ruleset] ?? {})) assert.ok(done[/** @type {Kind} */ (kind)] >= least, `${done[/** @type {Kind} */ (kind)]} ${kind}`);
    }
    const squares = await occupied(ann.page);
    assert.deepEqual(await occupied(bob.page), squares);
    assert.deepEqual(await occupied(eve.page), squares);
    for (const { faults, context } of [ann, bob, eve]) {
      assert.deepEqual(faults, []);
      await context.close();
    }
  });
}
