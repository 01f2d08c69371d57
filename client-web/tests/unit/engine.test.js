// The page's view of a game and its legal moves agree with the rules engine, in every ruleset.
// FLAGFALL_LONG=1 compares 10,000 positions of each ruleset.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { follow } from "../../page/game/follow.js";
import { learned } from "../../page/game/explain.js";
import * as reach from "../../page/game/reach.js";
import { RANKS, isMovable, letterOf, parseLaid, parseMove, parsePiece, squareOf } from "../../page/game/rules.js";
import { actsBy } from "../acts.js";
import { listedRules, playGames } from "../games.js";
import { IDS } from "../rules.js";

/** @typedef {import("../games.js").Transcript} Transcript */

const isLong = process.env.FLAGFALL_LONG === "1";
const AMOUNT = { seed: 7, plies: isLong ? 600 : 60, games: 1 };
/** In so many positions at least, what a side can do is compared. */
const LEAST = isLong ? 10_000 : 50;

/** Positions that random games rarely reach. @type {Record<string, string[]>} */
const POSITIONS = {
  quantum: [
    // As many unmoved coins as Bombs and Flag in the pool, then one more.
    "quantum red 12 3 bobo.8/.10/.10/.10/.2~2.2~2.2/.2~2.2~2.2/.2ro'b5'*.6/.10/.10/roro.8 F:1,B:1,9:1 F:1,8:1 -",
    "quantum red 12 3 bobo.8/.10/.10/.10/.2~2.2~2.2/.2~2.2~2.2/.2ro'b5'*.6/.10/.10/rororo.7 F:1,B:1,9:1,8:1 F:1,8:1 -",
    "quantum blue 12 3 bobo.8/ro'.9/.10/.10/.2~2.2~2.2/.2~2.2~2.2/.10/.10/.10/roro.8 F:1,B:1,9:1 F:1,B:1 -",
    "quantum red 12 3 bobo.8/ro'.9/.10/.10/.2~2.2~2.2/.2~2.2~2.2/.10/.10/.10/roro.8 F:1,B:1,9:1 F:1,8:1 a9a10",
  ],
  "shadowflash-3": [
    // A Colonel and a Major beside lines of chips, one of them over a joint.
    "shadowflash-3 red 40 2 .15bF/.16/b7'.15/.16/.3~3.4~3.3/.3~3.4~3.3/.16/.16/.1r3'r4'.13/rF.15 B:2,9:1 B:3 "
      + "b2r,c2r,d2g,e2y,f2r,g2r,b3r,b4r,b5y,c3y,c4g,c5g,c6r,c1r,c10y,c9b,a2y,p2r,o2b -",
    "shadowflash-3 red 40 2 .15bF/.16/b7'.15/.16/.3~3.4~3.3/.3~3.4~3.3/.16/.16/.1r2'.1r6'.12/rF.15 B:2,9:1 B:3 "
      + "b2r,c2r,d2g,e2g,f2g,g2g,h2g,i2r,b3r,b4r,d3g,d4g,d1g,a2y,p2r,o2b,d10g,d9g -",
  ],
};

/** Mistakes that the comparison must find, and in which ruleset. @type {[ruleset: string, file: string, right: string, wrong: string][]} */
const FAULTS = [
  ["classic", "follow.js", "if (view.draw_offer === opponentOf(side)) delete view.draw_offer;", ""],
  ["classic", "follow.js", "if (change.captured) view.captured = change.captured;", ""],
  ["quantum", "follow.js", "if (change.pools) view.pools = change.pools;", ""],
  ["shadowflash-2", "follow.js", "laid.filter((square) => !squares.includes(square))", "laid"],
  ["classic", "follow.js", ".sort((a, b) => compareSquares(squareOf(a), squareOf(b)))", ""],
  ["quantum", "follow.js", "[parseMove(event.move).from]", "[]"],
  ["classic", "follow.js", "delete view.own_deployment;\n      view.commitments", "view.commitments"],
  ["shadowflash-2", "follow.js", 'replace(view, "owed_color", change.owed_color);', ""],
  ["classic", "follow.js", "[from, to], pieces", "[from], pieces"],
  ["quantum", "reach.js", "unmoved.size > ", "unmoved.size >= "],
  ["shadowflash-3", "reach.js", "distance <= gait.flash", "distance < gait.flash"],
  ["shadowflash-3", "reach.js", "board.chips.get(to) === color", "board.chips.has(to)"],
  ["original", "reach.js", "gait.runs && rules.strikes_afar", "gait.runs"],
  ["shadowflash-2", "reach.js", "rules.joined_rows.includes(row + 1)", "false"],
  ["quantum", "reach.js", "isUnmoved ? { rank } :", "true ? { rank } :"],
  ["quantum", "reach.js", "(coins.pool.scout ?? 0) > 0", "true"],
  ["shadowflash-3", "reach.js", 'rules.chips && way.by !== "flash"', "rules.chips"],
  ["shadowflash-2", "reach.js", "|| view.owed_color ||", "||"],
  ["shadowflash-1", "reach.js", "!taken.has(square)", "true"],
];

/** @param {object} command */
const keyOf = (command) => JSON.stringify(Object.entries(command).sort());

/**
 * The first difference between the engine's and the page's idea of a game.
 * @param {Transcript} transcript @param {typeof follow} followed @param {ReturnType<typeof actsBy>} actsOf
 */
function difference({ rules, steps, positions }, followed, actsOf) {
  for (const { before, seen, after } of steps) {
    const frozen = JSON.stringify(before);
    const view = seen.reduce((view, { event, change }) => followed(view, event, change), { ...before });
    // Who is shown nothing still sees clocks go on.
    if (seen.length === 0 && after.clock) view.clock = after.clock;
    if (!isDeepStrictEqual(view, after)) return `a view after ${JSON.stringify(seen)}`;
    if (JSON.stringify(before) !== frozen) return "follow changes the view before";
  }
  for (const { view, legal } of positions) {
    const [page, engine] = [actsOf(view, rules).map(keyOf), legal.map(keyOf)].map((keys) => new Set(keys));
    const missing = [...engine ?? []].find((key) => !page?.has(key));
    const extra = [...page ?? []].find((key) => !engine?.has(key));
    if (missing ?? extra) return `ply ${view.ply}: ${missing ? "missing" : "extra"} ${missing ?? extra}`;
  }
  return undefined;
}

/** @type {Transcript[]} */
const transcripts = [];
const listed = await listedRules();

test("the rulesets are the ones of the engine", () => {
  assert.deepEqual(listed.map((rules) => rules.id), IDS);
});

for (const rules of listed) {
  test(`${rules.id}: views and moves are those of the engine`, async (t) => {
    const count = { positions: 0, offers: 0, held: 0 };
    for (let game = 0; count.positions < LEAST; game++) {
      const seed = AMOUNT.seed + game;
      // In long games with a reserve, a position has thousands of placings.
      const plies = rules.reserve && game > 0 ? 150 : AMOUNT.plies;
      const transcript = await playGames(rules, { ...AMOUNT, plies, seed, positions: game === 0 ? POSITIONS[rules.id] ?? [] : [] });
      const lakes = transcript.steps[0]?.before.lakes;
      if (rules.lakes !== "drawn") assert.deepEqual([...rules.lakes].sort(), [...lakes ?? []].sort());
      assert.equal(difference(transcript, follow, actsBy(reach)), undefined, `seed ${seed}`);
      const positions = transcript.positions.filter(({ legal }) => legal.length > 0);
      count.positions += positions.length;
      count.held += positions.filter(({ view }) => view.pieces.some((text) => reach.isHeldByReserveRule(view, squareOf(text)))).length;
      count.offers += transcript.steps.filter(({ after, seen }) => after.draw_offer && seen.length > 0).length;
      if (game === 0) transcripts.push(transcript);
    }
    t.diagnostic(JSON.stringify(count));
    // Offers are made, and late in a game of coins the reserve rule holds some of them.
    assert.ok(count.offers > LEAST / 100, `${count.offers} offers`);
    if (rules.start === "coins") assert.ok(count.held > LEAST / 100, `${count.held} positions with coins that are held`);
  });
}

/** The moves over chips, each with what a spectator knew of its piece before and after. @param {Transcript} transcript */
function movesOver({ steps }) {
  const found = [];
  // Each command has a step of Red, of Blue and of the spectators.
  for (let index = 0; index + 2 < steps.length; index += 3) {
    const [red, blue, all] = steps.slice(index, index + 3);
    const event = all?.seen.map(({ event }) => event).find((event) => event.kind === "moved");
    if (!red || !blue || !all || event?.kind !== "moved" || event.strike) continue;
    const { from, to } = parseMove(event.move);
    const identity = (/** @type {import("../games.js").GameView} */ view, /** @type {string} */ square) =>
      view.pieces.map(parsePiece).find((piece) => piece.square === square)?.identity ?? "";
    found.push({
      view: event.side === "red" ? red.before : blue.before, from, to, laid: event.laid ? parseLaid(event.laid) : undefined,
      before: identity(all.before, from), after: identity(all.after, to),
    });
  }
  return found;
}

/** The first move of which the page tells its player something else than the others then know. @param {Transcript} transcript @param {typeof learned} learnedBy */
function wronglyLearned({ rules, ...transcript }, learnedBy) {
  const count = { moves: 0, shows: 0 };
  const movable = RANKS.filter((rank) => isMovable(rank) && (rules.army[letterOf(rank)] ?? 0) > 0).map(letterOf);
  for (const { view, from, to, laid, before, after } of movesOver({ rules, ...transcript })) {
    if (/^[^?[]$/.test(before)) continue;
    const chips = new Map(Object.entries(view.chips ?? {}).flatMap(([color, squares]) => squares.map((square) => [square, color])));
    const ways = reach.targets(view, rules, from).filter(({ square }) => square === to).flatMap(({ ways }) => ways);
    const fitting = ways.filter((way) => {
      const changed = way.by === "flash" ? way.path.filter((square) => chips.get(square) !== chips.get(from)) : laid ? [to] : [];
      return isDeepStrictEqual([...changed].sort(), [...laid?.squares ?? []].sort()) && (way.by !== "flash" || laid?.color === chips.get(from));
    });
    assert.ok(fitting.length > 0, `${from}${to} has a way`);
    for (const way of fitting) {
      const color = /** @type {import("../../page/game/rules.js").ChipColor} */ (laid?.color ?? chips.get(to));
      const told = learnedBy(view, rules, from, way, way.by === "flash" ? undefined : color);
      const letters = (/** @type {string | undefined} */ identity) => (!identity || identity === "?" ? movable : [...identity.replace(/[[\]]/g, "")]);
      const both = letters(before).filter((letter) => letters(told).includes(letter));
      if (both.join("") !== letters(after).join("")) return { count, wrong: `${from}${to}: ${told} of ${before}, not ${after}` };
      count.moves++;
      if (told) count.shows++;
    }
  }
  return { count, wrong: undefined };
}

test("a player is told what the others learn by a move over chips", async (t) => {
  const transcript = /** @type {Transcript} */ (transcripts.find(({ rules }) => rules.id === "shadowflash-3"));
  const { count, wrong } = wronglyLearned(transcript, learned);
  assert.equal(wrong, undefined);
  t.diagnostic(JSON.stringify(count));
  assert.ok(count.shows >= 5 && count.moves > 2 * count.shows, JSON.stringify(count));
});

test("custom games differ from their ruleset by data alone", async () => {
  const { rulesOf } = await import("../../page/game/rules.js");
  const rules = rulesOf(listed, "classic,scout-strike=near");
  assert.ok(rules && !rules.strikes_afar);
  const custom = { ...rules, id: "classic,scout-strike=near" };
  assert.equal(difference(await playGames(custom, { ...AMOUNT, seed: 5 }), follow, actsBy(reach)), undefined);
});

test("planted faults are found", async () => {
  const folder = mkdtempSync(join(tmpdir(), "flagfall-page-"));
  try {
    for (const [index, [ruleset, file, right, wrong]] of FAULTS.entries()) {
      const copy = join(folder, `${index}`);
      cpSync(fileURLToPath(new URL("../../page/game", import.meta.url)), copy, { recursive: true });
      writeFileSync(join(folder, "package.json"), '{"type":"module"}');
      const code = readFileSync(join(copy, file), "utf8");
      assert.ok(code.includes(right), `${file} has no ${right}`);
      writeFileSync(join(copy, file), code.replace(right, wrong));
      const planted = { ...await import(join(copy, "follow.js")), ...await import(join(copy, "reach.js")) };
      const transcript = /** @type {Transcript} */ (transcripts.find(({ rules }) => rules.id === ruleset));
      const found = difference(transcript, planted.follow, actsBy(planted));
      assert.ok(found, `${file}: \`${wrong}\` in place of \`${right}\` is not found`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
