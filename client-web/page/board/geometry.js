// Where squares lie on the screen: which side is below, and whether the board is turned.

import { columnOf, rowOf, squareAt } from "../game/notation.js";

/** @typedef {import("../game/rules.js").Rules} Rules */

/**
 * `below` is the side nearest the player. A turned board has that side on the left, so that a wide
 * board fits an upright phone.
 * @typedef {object} Geometry
 * @property {number} columns Of the board.
 * @property {number} rows Of the board.
 * @property {"red" | "blue"} below
 * @property {boolean} isTurned
 */

/** How many squares the board is wide and high on the screen. @param {Geometry} geometry */
export function extent({ columns, rows, isTurned }) {
  return isTurned ? { across: rows, down: columns } : { across: columns, down: rows };
}

/** Where a square is on the screen, from the upper left. @param {Geometry} geometry @param {string} square */
export function place({ columns, rows, below, isTurned }, square) {
  const column = below === "red" ? columnOf(square) : columns - 1 - columnOf(square);
  const row = below === "red" ? rowOf(square) : rows - 1 - rowOf(square);
  return isTurned ? { x: row, y: column } : { x: column, y: rows - 1 - row };
}

/** The square at a place on the screen. @param {Geometry} geometry @param {number} x @param {number} y */
export function squareIn({ columns, rows, below, isTurned }, x, y) {
  const [column, row] = isTurned ? [y, x] : [x, rows - 1 - y];
  if (column < 0 || column >= columns || row < 0 || row >= rows) return undefined;
  return below === "red" ? squareAt(column, row) : squareAt(columns - 1 - column, rows - 1 - row);
}

/**
 * The square next to one in a direction of the screen, through a joint where the board has one.
 * @param {Geometry} geometry @param {Rules} rules @param {string} square @param {number} dx @param {number} dy
 */
export function neighbor(geometry, rules, square, dx, dy) {
  const { x, y } = place(geometry, square);
  const next = squareIn(geometry, x + dx, y + dy);
  if (next) return next;
  const { across, down } = extent(geometry);
  const isAlongRow = (dx !== 0) !== geometry.isTurned;
  const isJoined = isAlongRow
    ? rules.joined_rows.includes(rowOf(square) + 1)
    : rules.joined_columns.includes(square[0] ?? "");
  return isJoined ? squareIn(geometry, (x + dx + across) % across, (y + dy + down) % down) : undefined;
}
