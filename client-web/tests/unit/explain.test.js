// The page explains rulesets as the terminal client does.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { armyOf, boardTexts, readPosition, sectionsOf, startPosition } from "../../page/game/explain.js";
import { parsePiece } from "../../page/game/notation.js";
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

test("a position text has pieces, lakes and chips", () => {
  assert.deepEqual(readPosition(".1~2/rF'*.1b[9P]^ a1r,c2g"), {
    columns: 3, rows: 2, pieces: ["a1rF'*", "c1b[9P]^"], lakes: ["b2", "c2"], chips: { red: ["a1"], green: ["c2"] },
  });
});
