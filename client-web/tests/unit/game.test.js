// Clocks, planned moves and notes.

import assert from "node:assert/strict";
import test from "node:test";
import { afterGap, dueCommand, followNotes, holds, note, planMove, targets } from "../../page/game/reach.js";
import {
  ServerTime, clockCode, clockText, homeSquares, meaningsOf, nextChange, parseLaid, parsePiece, squareOf,
  timeLeft,
} from "../../page/game/rules.js";
import { readClock } from "../../page/game/setups.js";
import { Words } from "../../page/words.js";
import { withFields } from "../rules.js";
import { texts } from "../texts.js";

/** @typedef {import("../../types/messages").GameView} GameView */

/** @param {string} id */
const rulesOf = (id) => /** @type {import("../../page/game/rules.js").Rules} */ (withFields([{ id }])[0]);
const classic = rulesOf("classic");
const words = new Words("en", texts("en"));

/** @param {Partial<GameView>} fields @returns {GameView} */
function view(fields) {
  return {
    audience: "red", ruleset: "classic", phase: "playing", ready: { red: true, blue: true }, lakes: ["c5"],
    pieces: [], captured: { red: {}, blue: {} }, ply: 4, turn: "red",
    commitments: { red: null, blue: null }, opened: { red: null, blue: null }, ...fields,
  };
}

test("pieces and chips are read as they are written", () => {
  assert.deepEqual(parsePiece("a10r9'*^"),
    { square: "a10", side: "red", identity: "9", moved: true, revealed: true, labeled: true });
  assert.deepEqual(parsePiece("b1b[9P]'"),
    { square: "b1", side: "blue", identity: "[9P]", moved: true, revealed: false, labeled: false });
  assert.equal(squareOf("a10r9"), "a10");
  assert.equal(squareOf("b1b?"), "b1");
  assert.deepEqual(parseLaid("a7a10=g"), { squares: ["a7", "a10"], color: "green" });
  assert.throws(() => parsePiece("a11r9"));
});

test("a deployment starts with the row nearest the enemy, from the player's own left", () => {
  assert.deepEqual([homeSquares(classic, "red")[0], homeSquares(classic, "red").at(-1)], ["a4", "j1"]);
  assert.deepEqual([homeSquares(classic, "blue")[0], homeSquares(classic, "blue").at(-1)], ["j7", "a10"]);
});

test("the changes of a custom game are put into words", () => {
  const options = [{ name: "ties", value: "both", values: [{ name: "attacker", meaning: "if the ranks are equal, the attacker stays" }] }];
  const later = { name: "flags", value: "one", values: [{ name: "two", meaning: "two Flags a side" }] };
  assert.deepEqual(meaningsOf({ ...classic, options: [...options, later] }, "classic,ties=attacker,flags=two,new=on", words),
    ["if the ranks are equal, the attacker stays", "two Flags a side", "new = on"]);
});

test("a clock runs from its moment, free time first", () => {
  const clock = /** @type {const} */ ({
    at: 1_000, remaining_ms: { red: 60_000, blue: 5_000 }, free_ms: { red: 2_000, blue: 0 }, running: "red",
  });
  assert.deepEqual(timeLeft(clock, "red", 500), { ms: 60_000, freeMs: 2_000 });
  assert.deepEqual(timeLeft(clock, "red", 2_500), { ms: 60_000, freeMs: 500 });
  assert.deepEqual(timeLeft(clock, "red", 4_000), { ms: 59_000, freeMs: 0 });
  assert.deepEqual(timeLeft(clock, "blue", 9_000), { ms: 5_000, freeMs: 0 });
  assert.deepEqual(timeLeft({ ...clock, running: "both" }, "blue", 9_000), { ms: 0, freeMs: 0 });
});

test("a clock's text changes when it says", () => {
  const texts = /** @type {[number, string][]} */ ([
    [0, "0:00.0"], [1, "0:00.1"], [9_950, "0:10.0"], [9_900, "0:09.9"], [10_000, "0:10"], [59_001, "1:00"],
    [754_000, "12:34"], [3_600_000, "1:00:00"], [90_000_000, "1d 1h"],
  ]);
  for (const [ms, text] of texts) assert.equal(clockText(ms, words), text);
  for (let ms = 12_345; ms > 0; ms -= nextChange(ms)) {
    assert.notEqual(clockText(ms, words), clockText(ms - nextChange(ms), words), `${ms}`);
  }
});

test("the server's time is estimated from the fastest message", () => {
  const time = new ServerTime();
  assert.equal(time.at(50), 50);
  time.learn(10_000, 400);
  time.learn(10_900, 1_000);
  time.learn(12_000, 2_500);
  assert.equal(time.at(3_000), 12_900);
});

test("a planned move is sent on the player's turn, as long as nothing has changed", () => {
  const before = view({ turn: "blue", pieces: ["a4r6", "a6b?", "b4rB"] });
  const plan = planMove(before, "a4a5");
  assert.ok(plan);
  assert.equal(planMove(before, "d4d5"), undefined);
  assert.deepEqual(dueCommand(plan, before, classic), { isIllegal: false });
  assert.ok(holds(plan, view({ pieces: ["a4r6*", "b4rB"] })));
  assert.ok(!holds(plan, view({ pieces: ["a4r6", "a5b?'"] })), "something has come to the target");
  assert.ok(!holds(plan, view({ pieces: ["a4b9'*"] })), "the piece is gone");
  assert.deepEqual(dueCommand(plan, view({ pieces: ["a4r6"] }), classic),
    { command: { kind: "move", move: "a4a5" }, isIllegal: false });
  assert.deepEqual(dueCommand(plan, view({ pieces: ["a4r6"], refused_moves: ["a4a5"] }), classic), { isIllegal: true });
});

test("the first way to a square is the one that a command without a path takes", () => {
  const seen = view({ ruleset: "shadowflash-2", lakes: [], pieces: ["a1r9"] });
  const rules = rulesOf("shadowflash-2");
  /** @param {string} to */
  const ways = (to) => targets(seen, rules, "a1").find(({ square }) => square === to)?.ways.map(({ sign }) => sign);
  assert.deepEqual(ways("c1"), ["+", "-"]);
  assert.deepEqual(ways("o1"), ["-", "+"]);
  assert.deepEqual(ways("i1"), ["+", "-"], "equally far: upwards");
  assert.deepEqual(ways("a10"), ["-", "+"], "over the edge");
});

test("notes follow their pieces and go with them", () => {
  const notes = note(note({}, "a7", "B"), "b7", "9");
  /** @param {string} move @param {object} [strike] */
  const moved = (move, strike) => /** @type {import("../../types/messages").GameEvent} */ (
    { kind: "moved", side: "blue", move, piece: "?", ...(strike ? { strike } : {}) });
  assert.deepEqual(followNotes(notes, moved("b7b6"), view({ pieces: ["a7b?", "b6b?'"] })), { a7: "B", b6: "9" });
  const lost = { attacker: "9", attacker_fate: "leaves", defender: "4", defender_fate: "stays" };
  assert.deepEqual(followNotes(notes, moved("b7b6", lost), view({ pieces: ["a7b?", "b6r4"] })), { a7: "B" });
  const won = { attacker: "3", attacker_fate: "leaves", defender: "?", defender_fate: "advances" };
  assert.deepEqual(followNotes(notes, moved("a6a7", won), view({ pieces: ["a6b?'", "b7b?"] })), { a6: "B", b7: "9" });
  assert.deepEqual(followNotes(notes, moved("c7c6"), view({ pieces: ["a7bB*", "b7b?"] })), { b7: "9" }, "known now");
  assert.deepEqual(followNotes(notes, { kind: "removed", side: "blue", square: "a7" }, view({ pieces: ["b7b?"] })), { b7: "9" });
  assert.deepEqual(afterGap(notes, view({ pieces: ["a7b?", "b7b?'"] }), false), { a7: "B" });
  assert.deepEqual(afterGap(notes, view({ pieces: ["a7b?"] }), true), {});
});

test("clocks are written as the terminal client writes them, and only those that the server takes are read", () => {
  for (const code of ["none", "10+5", "90s+2", "20d10", "10s+0", "1440+3600", "3days", "14days"]) {
    const time = readClock(code);
    assert.equal(time && clockCode(time), code);
  }
  assert.deepEqual(readClock("1day"), { kind: "correspondence", days: 1 });
  for (const code of ["", "9s+0", "1441+0", "10+3601", "20d0", "0days", "15days", "10", "10+5x", "1.5+2", "blitz"]) assert.equal(readClock(code), undefined, code);
});
