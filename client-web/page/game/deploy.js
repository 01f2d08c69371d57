// A deployment while it is being made.

import { homeSquares } from "./rules.js";

/** @typedef {import("./notation.js").Side} Side */
/** @typedef {import("./rules.js").Rules} Rules */

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
