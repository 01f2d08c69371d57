// What players choose before a game: deployments that are made at random, and deployments as texts,
// checked, named, and in files; the changes of a custom game; and clocks.

import { placesToFill, tray } from "./hand.js";
import { RANKS, homeSquares, letterOf, rankOf } from "./rules.js";

/** @typedef {import("./hand.js").Setup} Setup */
/** @typedef {import("./rules.js").Side} Side */
/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./rules.js").RuleOption} RuleOption */
/** @typedef {import("../../types/messages").Time} Time */
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

/** The deployment as in a mirror. @param {Setup} setup @param {Rules} rules @returns {Setup} */
export function mirror(setup, rules) {
  return Object.fromEntries(Object.entries(setup).map(([square, letter]) => {
    const column = String.fromCharCode(97 + rules.columns - 1 - (square.charCodeAt(0) - 97));
    return [column + square.slice(1), letter];
  }));
}

/**
 * A random deployment: what is placed stays, and the rest is filled. The Flag stands in the last
 * two rows, and Bombs rather behind than in front.
 * @param {Setup} setup @param {Rules} rules @param {Side} side @param {() => number} random @returns {Setup}
 */
export function fillRandomly(setup, rules, side, random) {
  const squares = homeSquares(rules, side).filter((square) => !setup[square]);
  const last = new Set(homeSquares(rules, side).slice(-2 * rules.columns));
  const left = Object.entries(tray(setup, rules)).flatMap(([letter, count]) => Array(Math.max(0, count)).fill(letter));
  const filled = /** @type {Record<string, string>} */ ({ ...setup });
  /** @param {string} letter @param {string[]} among */
  const put = (letter, among) => {
    const free = among.filter((square) => !filled[square]);
    const square = free[Math.floor(random() * free.length)];
    if (square) filled[square] = letter;
  };
  const back = squares.filter((square) => last.has(square));
  if (left.includes("F")) put("F", back.length > 0 ? back : squares);
  const others = left.filter((letter) => letter !== "F").map((letter) => ({ letter, order: random() }));
  others.sort((a, b) => a.order - b.order);
  const room = placesToFill(rules) - Object.keys(filled).length;
  const chosen = others.slice(0, Math.max(0, room)).map(({ letter }) => letter);
  for (const letter of chosen.filter((letter) => letter === "B")) put(letter, random() < 0.75 && back.some((square) => !filled[square]) ? back : squares);
  for (const letter of chosen.filter((letter) => letter !== "B")) put(letter, squares);
  return filled;
}

// The changes of a custom game.

/** The rules that custom games change, in the order of a form. An option that is not named stands last. */
const GROUPS = { strikes: ["ties", "disclosure", "bombs", "scout-strike", "winner"], repetition: ["two-squares", "more-squares"], end: ["quiet"], board: ["islands"] };

/**
 * All options of all rulesets, in groups.
 * @param {readonly Rules[]} rulesets @returns {{ group: string, options: RuleOption[] }[]}
 */
export function groupsOf(rulesets) {
  const known = new Map(rulesets.flatMap(({ options }) => options).map((option) => [option.name, option]));
  const groups = Object.entries(GROUPS).map(([group, names]) => ({ group, options: names.flatMap((name) => known.get(name) ?? []) }));
  const named = Object.values(GROUPS).flat();
  const others = [...known.values()].filter(({ name }) => !named.includes(name));
  return [...groups, { group: "others", options: others }].filter(({ options }) => options.length > 0);
}

/** The value of an option that a ruleset does not let change. @param {Rules} rules @param {string} name @returns {string | undefined} */
export function fixedValue(rules, name) {
  switch (name) {
    case "ties": return rules.ties;
    case "disclosure": return rules.disclosure;
    case "bombs": return rules.bombs;
    case "scout-strike": return rules.strikes_afar ? "far" : "near";
    case "winner": return rules.winner_advances ? "any" : "attacker";
    case "two-squares": return String(rules.two_squares_limit ?? "off");
    case "more-squares": return rules.more_squares ? "on" : "off";
    case "quiet": return String(rules.quiet_limit ?? "off");
    default: return undefined;
  }
}

/**
 * The id of a game by these rules with changes. What a ruleset says already is no change.
 * @param {Rules} rules @param {Readonly<Record<string, string>>} changes
 */
export function customId(rules, changes) {
  const changed = rules.options.flatMap(({ name, value, values }) => {
    const wanted = changes[name];
    return wanted !== undefined && wanted !== value && values.some((one) => one.name === wanted) ? [`${name}=${wanted}`] : [];
  });
  return [rules.id, ...changed].join();
}

// Clocks.

/** The least and the most of each number of a clock, as the server takes them. */
export const BOUNDS = { base_s: [10, 86_400], increment_s: [0, 3_600], free_s: [1, 3_600], days: [1, 14] };

/** Reads the code of a clock. Undefined if the server would not take it. @param {string} code @returns {Time | undefined} */
export function readClock(code) {
  if (code === "none") return { kind: "unlimited" };
  const days = /^(\d+)days?$/.exec(code);
  if (days) return allowed({ kind: "correspondence", days: Number(days[1]) });
  const [, base, unit, kind, more] = /^(\d+)(s?)([+d])(\d+)$/.exec(code) ?? [];
  if (!kind) return undefined;
  const base_s = Number(base) * (unit ? 1 : 60);
  return allowed(kind === "d" ? { kind: "delay", base_s, free_s: Number(more) } : { kind: "fischer", base_s, increment_s: Number(more) });
}

/** A clock if the server takes it. @param {Time} time @returns {Time | undefined} */
export function allowed(time) {
  const isWithin = Object.entries(BOUNDS).every(([name, [least = 0, most = 0]]) => {
    const value = /** @type {Record<string, unknown>} */ (time)[name];
    return value === undefined || (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most);
  });
  return isWithin ? time : undefined;
}
