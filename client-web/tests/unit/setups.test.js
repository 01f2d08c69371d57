// Deployments as texts and files, held against the terminal client.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { inRows, isName, problemOf, readLibrary, squeeze, writeLibrary } from "../../page/game/setups.js";
import { Words } from "../../page/words.js";
import { program } from "../programs.js";
import { IDS, withFields } from "../rules.js";
import { allTexts } from "../texts.js";

/** @typedef {import("../../page/game/rules.js").Rules} Rules */

const words = new Words("en", allTexts("en"));
const rulesets = withFields(IDS.map((id) => ({ id }))).filter(({ start }) => start === "deployments");
/** @param {string} id */
const rulesFor = (id) => /** @type {Rules} */ (rulesets.find((rules) => rules.id === id));
const CLASSIC = "9394924939 56691S9575 574BB7668B 88BF7B88B9";

test("what is wrong with a text is what the terminal client says", () => {
  const folder = mkdtempSync(join(tmpdir(), "flagfall-setups-"));
  /** @param {string} ruleset @param {string} text */
  const theirs = (ruleset, text) => {
    const args = ["deployments", "save", ruleset, "one", text, "--config-dir", folder];
    const { status, stderr } = spawnSync(program("flagfall"), args, { encoding: "utf8" });
    return status === 0 ? undefined : stderr.replace(/\s+/g, " ");
  };
  const wrong = /** @type {[string, string][]} */ ([
    ["classic", CLASSIC], ["classic", squeeze(CLASSIC)], ["classic", CLASSIC.slice(1)], ["classic", `${CLASSIC}9`],
    ["classic", CLASSIC.replace("F", "X")], ["classic", CLASSIC.replace("F", "B")], ["classic", CLASSIC.replace("F", ".")],
    ["barrage", "9....1..9. .......... .S........ F8B2......"], ["barrage", "9....1..9. .......... .S........ F8B......."],
    ["barrage", "9....1..9. .......... .S........ F8BB......"], ["pbm-small", CLASSIC],
    ["shadowflash-1", "9".repeat(64)], ["shadowflash-1", `F${"9".repeat(63)}`], ["shadowflash-1", `F${"9".repeat(24)}${"B".repeat(15)}${"8".repeat(15)}777777777`],
  ]);
  for (const [ruleset, text] of wrong) {
    const problem = problemOf(text, rulesFor(ruleset));
    const answer = theirs(ruleset, text);
    assert.equal(problem === undefined, answer === undefined, `${ruleset} ${text}: ${answer}`);
    if (!problem) continue;
    const sentence = words.say(`refusal-${problem.code.replaceAll("_", "-")}`, problem.args);
    assert.ok(answer?.includes(sentence), `${sentence} / ${answer}`);
  }
  // A library goes from the page to the terminal and back.
  const saved = [{ ruleset: "classic", name: "corner", setup: squeeze(CLASSIC) }, { ruleset: "barrage", name: "Two_2", setup: "9....1..9............S........F8B2......" }];
  const file = join(folder, "library.json");
  writeFileSync(file, writeLibrary(saved));
  const fresh = join(folder, "fresh");
  assert.equal(spawnSync(program("flagfall"), ["deployments", "import", file, "--config-dir", fresh]).status, 0);
  const exported = spawnSync(program("flagfall"), ["deployments", "export", "--config-dir", fresh], { encoding: "utf8" });
  const read = readLibrary(exported.stdout, rulesets);
  assert.ok("saved" in read);
  assert.deepEqual(read.saved.map(({ name }) => name).sort(), ["Two_2", "corner"]);
  assert.deepEqual(readLibrary(writeLibrary(saved), rulesets), { saved });
  rmSync(folder, { recursive: true });
});

test("a wrong file is refused whole", () => {
  for (const text of ["", "[]", "7", "{\"classic\":[]}", "{\"classic\":{\"a\":7}}"]) assert.deepEqual(readLibrary(text, rulesets), { wrong: "file" });
  const one = JSON.stringify({ classic: { good: squeeze(CLASSIC), bad: "9" } });
  assert.deepEqual(readLibrary(one, rulesets), { wrong: "one", ruleset: "classic", name: "bad" });
  assert.deepEqual(readLibrary("{\"__proto__\":{\"a\":\"9\"}}", rulesets), { wrong: "one", ruleset: "__proto__", name: "a" });
  assert.deepEqual(readLibrary(JSON.stringify({ classic: { random: squeeze(CLASSIC) } }), rulesets), { wrong: "one", ruleset: "classic", name: "random" });
});

test("names and rows", () => {
  for (const name of ["a", "Corner-2", "x_y", "z".repeat(30)]) assert.ok(isName(name));
  for (const name of ["", "a b", "ä", "z".repeat(31), "random", "Suggested", "../x"]) assert.ok(!isName(name));
  assert.equal(inRows(squeeze(CLASSIC), rulesFor("classic")), CLASSIC.replaceAll(" ", "\n"));
});
