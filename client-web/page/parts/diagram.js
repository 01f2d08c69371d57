// Positions as pictures on the page, drawn by the board.

import { Board } from "../board/board.js";
import { readPosition } from "../game/explain.js";
import { allWords, settings } from "../state.js";
import { h, useLayoutEffect, useRef } from "../vendor/library.js";

/** @typedef {import("../game/explain.js").Text} Text */
/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../board/board.js").Marks} Marks */

/** @param {Text} text */
export function sayText({ id, args }) {
  return allWords().say(id, args);
}

const NOTHING = {
  press: () => undefined, ask: () => undefined, mayLift: () => false, drop: () => undefined, letGo: () => undefined,
  movable: () => [], key: () => false,
};

/**
 * A position to look at. What it shows is said beside it.
 * @param {{ position: string, targets?: Record<string, "go" | "strike"> | undefined }} props
 */
export function Position({ position, targets }) {
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  const { numbering, print } = settings.value;
  const { columns, rows } = readPosition(position);
  useLayoutEffect(() => {
    if (!host.current) return;
    const { lakes, pieces, chips } = readPosition(position);
    const board = new Board(host.current, NOTHING);
    board.setMotion("none");
    board.layOut(boardOf(columns, rows), "red", false, "");
    board.restyle({ numbering, print });
    board.show(/** @type {any} */ ({ audience: "public", phase: "playing", pieces, lakes, chips }));
    board.mark({ targets: Object.entries(targets ?? {}).map(([square, kind]) => ({ square, kind })) });
  }, [position, numbering, print]);
  return h("div", { class: "position", style: { "--columns": columns, "--rows": rows } },
    h("div", { class: "board-host", ref: host, inert: true, "aria-hidden": "true" }));
}

/**
 * Rules of a plain board of any size, for the board module.
 * @param {number} columns @param {number} rows @returns {Rules}
 */
function boardOf(columns, rows) {
  return /** @type {Rules} */ ({ columns, rows, joined_columns: /** @type {string[]} */ ([]), joined_rows: /** @type {number[]} */ ([]) });
}

/** @param {{ diagram: import("../game/explain.js").Diagram }} props */
export function DiagramFigure({ diagram }) {
  const { caption, positions, targets } = diagram;
  return h("figure", { class: "diagram" },
    h("div", { class: "positions" }, positions.map((position, index) => [
      index > 0 ? h("span", { class: "then", "aria-hidden": "true" }, "→") : null,
      h(Position, { key: index, position, targets: index === 0 ? targets : undefined }),
    ])),
    h("figcaption", { class: "small" }, sayText(caption)));
}
