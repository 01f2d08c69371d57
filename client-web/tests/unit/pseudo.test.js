// No string for people is written into code, and the longer language has every text.

import assert from "node:assert/strict";
import test from "node:test";
import { Words } from "../../page/words.js";
import { modules, pseudoFluent, spoken } from "../pseudo.js";
import { allTexts } from "../texts.js";

/** What is said before there are any texts, and the name of the game. @type {Record<string, string[]>} */
const ALLOWED = {
  "main.js": ["Flagfall cannot start here. Load the page again, or play in a terminal: flagfall play", "Flagfall"],
  "app.js": ["Flagfall"],
};

test("no module has a string for people", () => {
  for (const { name, code } of modules()) {
    assert.deepEqual(spoken(code).filter((text) => !(ALLOWED[name] ?? []).includes(text)), [], name);
  }
  for (const planted of ['h("p", null, "Nobody plays here")', "show(`Your ${rank} is lost`)", 'h("a", { "aria-label": "next game" })', 'h("b", null, "Red")']) {
    assert.equal(spoken(planted).length, 1, planted);
  }
});

test("the longer language has all texts, and is 40 % longer", () => {
  const texts = allTexts("en");
  const [plain, longer] = [new Words("en", texts), new Words("en", pseudoFluent(texts))];
  const ids = [...texts.matchAll(/^([a-z][\w-]*) *=/gm)].map(([, id]) => id ?? "");
  assert.ok(ids.length > 300);
  let [sum, longerSum] = [0, 0];
  for (const id of ids) {
    assert.ok(longer.has(id), id);
    const [text, long] = [plain, longer].map((words) => words.say(id, { count: 2, side: "red", rank: "miner", color: "red", square: "a1", squares: "a1a2" }));
    sum += text?.length ?? 0;
    longerSum += long?.length ?? 0;
    assert.doesNotMatch((long ?? "").replace(/\{[^}]*\}/g, ""), /\b[b-df-hj-np-tv-z]*[aeiou][a-z]{4,}\b(?=.*[áéíóúý])/i, `${id}: ${long}`);
  }
  assert.ok(longerSum / sum >= 1.35, `${longerSum / sum}`);
});
