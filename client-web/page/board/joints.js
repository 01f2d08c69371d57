// Strips beyond joined edges: the squares of the far edge, in half tone, so that the way over the
// edge is seen.

import { extent, neighbor, squareIn } from "./geometry.js";

/** @typedef {import("./geometry.js").Geometry} Geometry */
/** @typedef {import("../game/rules.js").Rules} Rules */

/** A place of a strip, in squares from the upper left of the board. @typedef {{ square: string, x: number, y: number }} Ghost */

/** @param {Geometry} geometry @param {Rules} rules @returns {Ghost[]} */
export function ghosts(geometry, rules) {
  const { across, down } = extent(geometry);
  const found = [];
  for (let x = 0; x < across; x++) {
    found.push(ghost(geometry, rules, x, 0, 0, -1), ghost(geometry, rules, x, down - 1, 0, 1));
  }
  for (let y = 0; y < down; y++) {
    found.push(ghost(geometry, rules, 0, y, -1, 0), ghost(geometry, rules, across - 1, y, 1, 0));
  }
  return found.flatMap((one) => one ?? []);
}

/**
 * @param {Geometry} geometry @param {Rules} rules @param {number} x @param {number} y
 * @param {number} dx @param {number} dy @returns {Ghost | undefined}
 */
function ghost(geometry, rules, x, y, dx, dy) {
  const edge = squareIn(geometry, x, y);
  const square = edge && neighbor(geometry, rules, edge, dx, dy);
  return square ? { square, x: x + dx, y: y + dy } : undefined;
}

/** How much room the strips take on each side, in squares. @param {Geometry} geometry @param {Rules} rules */
export function strips(geometry, rules) {
  const [rows, columns] = [rules.joined_rows.length > 0, rules.joined_columns.length > 0];
  const [sides, ends] = geometry.isTurned ? [columns, rows] : [rows, columns];
  return { x: sides ? 0.5 : 0, y: ends ? 0.5 : 0 };
}
