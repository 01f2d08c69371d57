// Deployments as texts: checked, suggested, named, and in files.

import { placesToFill } from "./hand.js";
import { RANKS, columnOf, letterOf, rankOf, rowOf, squareAt } from "./notation.js";
import { homeSquares } from "./rules.js";

/** @typedef {import("./hand.js").Setup} Setup */
/** @typedef {import("./rules.js").Rules} Rules */
/** A saved deployment. @typedef {{ ruleset: string, name: string, setup: string }} Saved */
/**
 * What is wrong with a text, as a refusal says it. @typedef {{ code: string, message: string,
 * args: Record<string, string | number> }} Problem
 */

/** Files and texts that are opened have at most so many bytes. */
export const MOST_BYTES = 1024 * 1024;

/** A text without blanks, in capital letters. @param {string} text */
export function squeeze(text) {
  return text.replace(/\s/g, "").toUpperCase();
}

/**
 * A text with a line for each row, the one nearest the enemy first.
 * @param {string} text @param {Rules} rules
 */
export function inRows(text, rules) {
  const letters = squeeze(text);
  return Array.from({ length: rules.home_rows }, (_, row) =>
    letters.slice(row * rules.columns, (row + 1) * rules.columns)).join("\n");
}

/**
 * Why a text is no deployment. Undefined if it is one.
 * @param {string} text @param {Rules} rules @returns {Problem | undefined}
 */
export function problemOf(text, rules) {
  /** @param {string} code @param {Record<string, string | number>} args @returns {Problem} */
  const problem = (code, args) => ({ code, message: code, args });
  const letters = [...squeeze(text)];
  const squares = homeSquares(rules, "red");
  const lengths = { have: letters.length, want: squares.length };
  const unknown = letters.find((letter) => letter !== "." && !rankOf(letter));
  if (unknown) return problem("setup_unknown_letter", { letter: unknown });
  if (letters.length < squares.length) return problem("setup_too_short", lengths);
  if (letters.length > squares.length) return problem("setup_too_long", lengths);
  for (const rank of RANKS) {
    const letter = letterOf(rank);
    const have = letters.filter((other) => other === letter).length;
    const most = rules.army[letter] ?? 0;
    const mayWait = rules.reserve && letter !== "F";
    if (mayWait && have > most) return problem("setup_too_many", { rank, have, most });
    if (!mayWait && have !== most) return problem("setup_wrong_count", { rank, have, want: most });
  }
  const empty = letters.indexOf(".");
  if (empty >= 0 && !rules.may_leave_empty) return problem("setup_empty_square", { square: squares[empty] ?? "" });
  return undefined;
}

/** True if a deployment can have this name. @param {string} name */
export function isName(name) {
  return /^[A-Za-z0-9_-]{1,30}$/.test(name) && !["random", "suggested"].includes(name.toLowerCase());
}

/** A library as a file, the same as the terminal client's. @param {readonly Saved[]} saved */
export function writeLibrary(saved) {
  /** @type {Record<string, Record<string, string>>} */
  const all = {};
  for (const { ruleset, name, setup } of saved) (all[ruleset] ??= {})[name] = setup;
  return `${JSON.stringify(all, undefined, 2)}\n`;
}

/**
 * Reads a file of a library. All of it is checked before any of it counts.
 * @param {string} text @param {readonly Rules[]} rulesets
 * @returns {{ saved: Saved[] } | { wrong: "file" } | { wrong: "one", ruleset: string, name: string }}
 */
export function readLibrary(text, rulesets) {
  const all = parse(text);
  if (!isRecord(all)) return { wrong: "file" };
  const saved = [];
  for (const [ruleset, named] of Object.entries(all)) {
    const rules = rulesets.find((rules) => rules.id === ruleset);
    if (!isRecord(named)) return { wrong: "file" };
    for (const [name, setup] of Object.entries(named)) {
      if (typeof setup !== "string") return { wrong: "file" };
      if (!rules || !isName(name) || problemOf(setup, rules)) return { wrong: "one", ruleset, name };
      saved.push({ ruleset, name, setup: squeeze(setup) });
    }
  }
  return { saved };
}

/** @param {string} text @returns {unknown} */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * How far behind the front each rank likes to stand, from 0 to 1.
 * @type {Record<string, number>}
 */
const DEPTHS = { P: 0.1, 1: 0.35, 2: 0.3, 3: 0.25, 4: 0.2, 5: 0.25, 6: 0.3, 7: 0.5, 8: 0.8, 9: 0.3, S: 0.6, B: 0.75, F: 1 };

/**
 * A deployment as players make them: the Flag in the last row behind Bombs, strong pieces and
 * Scouts in front, Miners behind.
 * @param {Rules} rules For Red. @param {() => number} random @returns {Setup}
 */
export function suggest(rules, random) {
  const army = chosenArmy(rules, random);
  const last = rules.home_rows - 1;
  const flag = squareAt(Math.floor(random() * rules.columns), 0);
  const setup = /** @type {Record<string, string>} */ ({ [flag]: "F" });
  /** @param {string} letter */
  const take = (letter) => {
    const at = army.indexOf(letter);
    if (at >= 0) army.splice(at, 1);
    return at >= 0;
  };
  take("F");
  for (const square of around(flag, rules)) if (take("B")) setup[square] = "B";
  const free = homeSquares(rules, "red").filter((square) => !setup[square]);
  const wish = (/** @type {string} */ letter) => (DEPTHS[letter] ?? 0.5) + (random() - 0.5) * 0.7;
  const depth = (/** @type {string} */ square) => (last === 0 ? 0 : (last - rowOf(square)) / last);
  if (rules.may_leave_empty) {
    for (const letter of army) {
      const wanted = wish(letter);
      free.sort((a, b) => Math.abs(depth(a) - wanted) - Math.abs(depth(b) - wanted) || columnOf(a) - columnOf(b));
      const near = free.filter((square) => depth(square) === depth(free[0] ?? ""));
      const square = near[Math.floor(random() * near.length)];
      if (!square) continue;
      setup[square] = letter;
      free.splice(free.indexOf(square), 1);
    }
    return setup;
  }
  const squares = free.map((square) => ({ square, order: depth(square) + random() / 100 })).sort((a, b) => a.order - b.order);
  const letters = army.map((letter) => ({ letter, order: wish(letter) })).sort((a, b) => a.order - b.order);
  squares.forEach(({ square }, index) => {
    const letter = letters[index]?.letter;
    if (letter) setup[square] = letter;
  });
  return setup;
}

/**
 * The letters to place: with a reserve, a part of each rank.
 * @param {Rules} rules @param {() => number} random
 */
function chosenArmy(rules, random) {
  const all = Object.entries(rules.army).flatMap(([letter, count]) => Array.from({ length: count }, () => letter));
  const room = placesToFill(rules) - 1;
  // Bombs that wait in reserve do more later; strong pieces do more at once.
  const others = all.filter((letter) => letter !== "F")
    .map((letter) => ({ letter, order: random() + (rules.reserve && letter === "B" ? 0.2 : 0) }));
  others.sort((a, b) => a.order - b.order);
  return ["F", ...others.slice(0, room).map(({ letter }) => letter)];
}

/**
 * The squares beside and before one of the last row.
 * @param {string} square @param {Rules} rules
 */
function around(square, rules) {
  const column = columnOf(square);
  return [
    ...(rules.home_rows > 1 ? [squareAt(column, 1)] : []),
    ...[column - 1, column + 1].filter((other) => other >= 0 && other < rules.columns).map((other) => squareAt(other, 0)),
  ];
}
