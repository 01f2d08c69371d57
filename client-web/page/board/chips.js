// Chips on squares: a pattern and a letter, over the foot of a piece.

import { svg } from "./pieces.js";

/** @typedef {import("../game/notation.js").ChipColor} ChipColor */

/** What tells the colors apart without color, in a box of 40 by 40. @type {Record<ChipColor, string>} */
const PATTERNS = {
  red: "M0 8H40M0 20H40M0 32H40",
  yellow: "M8 0V40M20 0V40M32 0V40",
  blue: "M0 0 40 40M-20 0 20 40M20 0 60 40",
  green: "M40 0 0 40M60 0 20 40M20 0-20 40",
};

/** The letters as strokes, in a box of 20 by 24. @type {Record<ChipColor, string>} */
const LETTERS = {
  red: "M4 22V2H11C19 2 19 13 11 13H4M11 13 17 22",
  yellow: "M3 2 10 12 17 2M10 12V22",
  blue: "M4 2V22H11C19 22 19 12 11 12H4M11 12C18 12 18 2 11 2H4",
  green: "M17 6C12-1 3 2 3 12S13 25 17 19V13H11",
};

/** @param {ChipColor} color */
export function drawChip(color) {
  const picture = svg("svg", { viewBox: "0 0 40 40", class: `chip chip-${color}` });
  picture.append(
    svg("rect", { class: "chip-body", x: 1, y: 1, width: 38, height: 38, rx: 12 }),
    svg("path", { class: "chip-pattern", d: PATTERNS[color] }),
    svg("path", { class: "chip-letter", d: LETTERS[color], transform: "translate(10 8)" }),
  );
  return picture;
}

/** The colors of chips by their squares. @param {Record<string, string[]> | null | undefined} chips @returns {Map<string, ChipColor>} */
export function chipsBySquare(chips) {
  const entries = /** @type {[ChipColor, string[]][]} */ (Object.entries(chips ?? {}));
  return new Map(entries.flatMap(([color, squares]) => squares.map((square) => [square, color])));
}
