// The page explains rulesets as the terminal client does.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { armyOf, boardTexts, explainPiece, readPosition, sectionsOf, startPosition, whyNot } from "../../page/game/explain.js";
import { letterOf, parsePiece, rulesOf } from "../../page/game/rules.js";
import { Words } from "../../page/words.js";
import { program } from "../programs.js";
import { IDS, withFields } from "../rules.js";
import { allTexts } from "../texts.js";

const words = new Words("en", allTexts("en"));
const rulesets = withFields(IDS.map((id) => ({ id, options: [] })));

/** @param {import("../../page/game/explain.js").Text} text */
const say = ({ id, args }) => {
  assert.ok(words.has(id), id);
  return words.say(id, args);
};
/** @param {string} text */
const plain = (text) => text.replace(/(\d),(\d{3})/g, "$1$2").replace(/\s+/g, " ").trim();

for (const rules of rulesets) {
  test(`${rules.id}: every paragraph is one of the terminal client's`, () => {
    const page = execFileSync(program("flagfall"), ["rules", rules.id], { encoding: "utf8" });
    const theirs = plain(page);
    for (const { rank, count, note } of armyOf(rules)) {
      const line = plain(`${say({ id: "rank", args: { rank } })} x${count} ${note ? say(note) : ""}`);
      assert.ok(theirs.includes(line), line);
    }
    const sections = sectionsOf(rules);
    const texts = [...boardTexts(rules), ...sections.flatMap(({ title, paragraphs }) => [title, ...paragraphs])];
    for (const text of texts) assert.ok(theirs.includes(plain(say(text))), say(text));
    const titles = sections.map(({ title }) => say(title));
    const theirTitles = page.split("\n").filter((line) => titles.includes(line));
    assert.deepEqual(titles, theirTitles, "all sections, in the same order");
    const shared = sections.flatMap(({ diagrams }) => diagrams).map(({ caption }) => caption).filter(({ id }) => id.startsWith("picture-"));
    for (const caption of shared) assert.ok(theirs.includes(plain(say(caption))), say(caption));
  });

  test(`${rules.id}: diagrams are positions`, () => {
    const start = readPosition(startPosition(rules));
    assert.deepEqual([start.columns, start.rows], [rules.columns, rules.rows]);
    assert.equal(start.pieces.length, 2 * rules.columns * rules.home_rows);
    if (rules.lakes !== "drawn") assert.deepEqual(start.lakes.sort(), [...rules.lakes].sort());
    for (const { positions, caption } of sectionsOf(rules).flatMap(({ diagrams }) => diagrams)) {
      assert.notEqual(say(caption), caption.id);
      const read = positions.map(readPosition);
      for (const { columns, rows, pieces } of read) {
        assert.deepEqual([columns, rows], [read[0]?.columns, read[0]?.rows], "all positions have one size");
        pieces.forEach(parsePiece);
      }
    }
  });
}

test("a piece is explained by the rules of its game, and a hidden one by what can be seen", () => {
  for (const rules of rulesets) {
    for (const { rank, note } of armyOf(rules)) {
      const text = explainPiece({ identity: letterOf(rank), moved: false }, rules, "us", words);
      assert.match(text, /^(Rank \d|[A-Z][a-z]+): (?:[a-z].+\.)$/);
      if (note) assert.ok(text.includes(say(note)), text);
    }
  }
  /** @param {string} id @param {string} identity @param {boolean} [moved] @param {"us" | "eu"} [numbering] */
  const explain = (id, identity, moved = false, numbering = "us") => {
    const rules = rulesOf(rulesets, id);
    assert.ok(rules);
    return explainPiece({ identity, moved }, rules, numbering, words);
  };
  assert.equal(explain("classic", "8", false, "eu"), "Rank 3: moves one square at a time; removes Bombs; captures a Scout and weaker pieces.");
  assert.equal(explain("shadowflash-3", "2"), "Rank 2: moves one square at a time; flashes up to 2 squares; captures a Colonel and weaker pieces.");
  assert.equal(explain("classic", "B"), "Bomb: never moves; beats every attacker except the Miner.");
  assert.equal(explain("classic,bombs=leave", "B"), "Bomb: never moves; leaves with any attacker except the Miner.");
  assert.notEqual(explain("classic", "9"), explain("classic,scout-strike=near", "9"));
  assert.match(explain("classic", "?"), /may be a Bomb or the Flag/);
  assert.match(explain("classic", "?", true), /neither a Bomb nor the Flag/);
  assert.match(explain("shadowflash-3", "[9P]"), /Scout or Phoenix/);
});

test("a move that a repetition rule forbids names the rule, if the view tells which", () => {
  const before = /** @type {any} */ ({ audience: "red", pieces: ["a4r5"], lakes: [], refused_moves: ["a4a5", "a4b4"] });
  const view = { ...before, more_squares: ["a4a5"] };
  const why = (/** @type {string} */ square, seen = view) => whyNot(seen, { kind: "board", square: "a4" }, square, words);
  assert.match(why("a5"), /^More-squares rule: /);
  assert.match(why("b4"), /^Two-squares rule: /);
  assert.equal(why("a5", before), "A repetition rule forbids this move on this turn.", "an older server");
  assert.equal(why("a6"), "The Captain cannot go to a6.");
});

test("a position text has pieces, lakes and chips", () => {
  assert.deepEqual(readPosition(".1~2/rF'*.1b[9P]^ a1r,c2g"), {
    columns: 3, rows: 2, pieces: ["a1rF'*", "c1b[9P]^"], lakes: ["b2", "c2"], chips: { red: ["a1"], green: ["c2"] },
  });
});
