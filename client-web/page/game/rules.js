// A ruleset as data, and deployments by it. No part of the page looks at a ruleset's name.

import { squareAt } from "./notation.js";

/** @typedef {import("./notation.js").Side} Side */
/** @typedef {import("./notation.js").Rank} Rank */

/**
 * An option that a custom game may change.
 * @typedef {object} RuleOption
 * @property {string} name
 * @property {string} value The value in the unchanged ruleset.
 * @property {{ name: string, meaning: string }[]} values
 */

/**
 * A ruleset, as `/api/rulesets` lists it.
 * @typedef {object} Rules
 * @property {string} id
 * @property {string} title
 * @property {string} summary
 * @property {number} columns
 * @property {number} rows
 * @property {number} home_rows How many rows each side deploys on.
 * @property {Record<string, number>} army How many pieces a side has, by the letters of their ranks.
 * @property {boolean} may_leave_empty True if home squares may stay empty in a deployment.
 * @property {"deployments" | "coins"} start How a game begins.
 * @property {string[] | "drawn"} lakes Where the lakes are, or that each game draws them.
 * @property {string[]} joined_columns Columns whose top and bottom squares are neighbors.
 * @property {number[]} joined_rows Rows whose first and last squares are neighbors.
 * @property {boolean} strikes_afar True if a piece may strike at the end of a long move.
 * @property {boolean} illegal_act_loses True if an illegal act is accepted and loses.
 * @property {boolean} reserve True if there are more pieces than home squares; the rest waits.
 * @property {boolean} labels
 * @property {boolean} chips True if a piece that lands lays a chip.
 * @property {boolean} supply_lines True if pieces go along lines of chips of one color.
 * @property {Partial<Record<Rank, number>>} flashes The ranks that flash over chips, and how far.
 * @property {RuleOption[]} options
 */

/** The change that an option makes to the movement rules. @type {Record<string, (value: string) => Partial<Rules>>} */
const CHANGES = {
  "scout-strike": (value) => ({ strikes_afar: value === "far" }),
};

/**
 * The rules of a game. A custom game's id lists its changes: `classic,scout-strike=near`.
 * @param {readonly Rules[]} rulesets @param {string} id @returns {Rules | undefined}
 */
export function rulesOf(rulesets, id) {
  const base = rulesets.find((rules) => rules.id === id.split(",")[0]);
  if (!base) return undefined;
  return changesOf(id).reduce((rules, [name, value]) => ({ ...rules, ...CHANGES[name]?.(value) }), base);
}

/** The changes of a custom game's id. @param {string} id @returns {[string, string][]} */
export function changesOf(id) {
  return id.split(",").slice(1).map((change) => {
    const [name = "", value = ""] = change.split("=");
    return [name, value];
  });
}

/** What the changes of a custom game mean, in words. @param {Rules} rules @param {string} id */
export function meaningsOf(rules, id) {
  return changesOf(id).map(([name, value]) => {
    const option = rules.options.find((option) => option.name === name);
    return option?.values.find((known) => known.name === value)?.meaning ?? `${name} = ${value}`;
  });
}

/**
 * A side's home squares in the order of a deployment: the row nearest the enemy first, each row
 * from the player's own left to right.
 * @param {Rules} rules @param {Side} side
 */
export function homeSquares(rules, side) {
  const squares = [];
  for (let depth = 0; depth < rules.home_rows; depth++) {
    for (let place = 0; place < rules.columns; place++) {
      squares.push(side === "red"
        ? squareAt(place, rules.home_rows - 1 - depth)
        : squareAt(rules.columns - 1 - place, rules.rows - rules.home_rows + depth));
    }
  }
  return squares;
}

/** All squares of the board, by rows from Red's back row. @param {Rules} rules */
export function squaresOf({ columns, rows }) {
  return Array.from({ length: columns * rows }, (_, index) => squareAt(index % columns, Math.floor(index / columns)));
}

// A deployment while it is being made.

/** The letters of pieces by their squares. @typedef {Readonly<Record<string, string>>} Setup */

/** Reads a deployment's text. @param {string} text @param {Rules} rules @param {Side} side @returns {Setup} */
export function readSetup(text, rules, side) {
  const letters = [...text.replace(/\s/g, "").toUpperCase()];
  return Object.fromEntries(homeSquares(rules, side).flatMap((square, index) => {
    const letter = letters[index];
    return letter && letter !== "." ? [[square, letter]] : [];
  }));
}

/** @param {Setup} setup @param {Rules} rules @param {Side} side */
export function writeSetup(setup, rules, side) {
  return homeSquares(rules, side).map((square) => setup[square] ?? ".").join("");
}

/** The pieces of a deployment as the texts of a view. @param {Setup} setup @param {Side} side */
export function setupPieces(setup, side) {
  return Object.entries(setup).map(([square, letter]) => `${square}${side === "red" ? "r" : "b"}${letter}`);
}

/** How many pieces of each rank are still to be placed. @param {Setup} setup @param {Rules} rules @returns {Record<string, number>} */
export function tray(setup, rules) {
  const left = { ...rules.army };
  for (const letter of Object.values(setup)) left[letter] = (left[letter] ?? 0) - 1;
  return left;
}

/** How many pieces a deployment has. @param {Rules} rules */
export function placesToFill(rules) {
  const army = Object.values(rules.army).reduce((sum, count) => sum + count, 0);
  return Math.min(army, rules.home_rows * rules.columns);
}

/** True if a deployment can be handed in. @param {Setup} setup @param {Rules} rules */
export function isComplete(setup, rules) {
  const letters = Object.values(setup);
  return letters.length === placesToFill(rules) && letters.includes("F")
    && Object.values(tray(setup, rules)).every((left) => left >= 0);
}

/** Puts a piece on a square, or takes the one there off. @param {Setup} setup @param {string} square @param {string | undefined} letter @returns {Setup} */
export function place(setup, square, letter) {
  const { [square]: _, ...others } = setup;
  return letter ? { ...others, [square]: letter } : others;
}

/** Exchanges what is on two squares. @param {Setup} setup @param {string} a @param {string} b */
export function swap(setup, a, b) {
  return place(place(setup, a, setup[b]), b, setup[a]);
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
