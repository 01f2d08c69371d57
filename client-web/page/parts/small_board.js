// A board as one small picture: few nodes, so that many fit on a page. Pieces that look alike are
// one path.

import { FIGURES, GLYPHS, svg } from "../board/pieces.js";
import { extent, place } from "../board/screen.js";
import { figureOf, parseMove, parsePiece } from "../game/rules.js";
import { settings } from "../state.js";
import { h, useLayoutEffect, useRef } from "../vendor/library.js";

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").Side} Side */
/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../board/screen.js").Geometry} Geometry */

/** The outlines of the sides, and what a hidden piece shows, in a square of 10 by 10. */
const SHAPES = {
  red: "m1.2 1.4h7.6v4q0 2.6-3.8 3.8-3.8-1.2-3.8-3.8z",
  blue: "m1.2 1.2h2v1.2h.8v-1.2h2v1.2h.8v-1.2h2v7.6h-7.6z",
};
const MARKS = { moved: "m5 4.2a.9.9 0 1 0 .01 0z", unmoved: "m3.4 4.6h3.2v1h-3.2z" };
const SQUARE = "h10v10h-10z";

/**
 * A board as one small picture.
 * @param {{ rules: Rules, view: Readonly<GameView>, below?: Side, label: string }} props
 */
export function SmallBoard({ rules, view, below = "red", label }) {
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  const { numbering } = settings.value;
  useLayoutEffect(() => host.current?.replaceChildren(drawSmallBoard(rules, view, below, numbering)), [rules, view, below, numbering]);
  const shape = rules.columns > rules.rows ? " wide" : "";
  return h("span", { ref: host, class: `small-board${shape}`, role: "img", "aria-label": label });
}

/**
 * @param {Rules} rules @param {Readonly<GameView>} view @param {Side} below
 * @param {"us" | "eu"} numbering
 */
function drawSmallBoard(rules, view, below, numbering) {
  const geometry = { columns: rules.columns, rows: rules.rows, below, isTurned: false };
  const { across, down } = extent(geometry);
  const picture = svg("svg", { viewBox: `0 0 ${across * 10} ${down * 10}`, class: "small-squares" });
  /** @param {string} name @param {readonly string[]} squares @param {string} path */
  const draw = (name, squares, path) => {
    if (squares.length === 0) return;
    picture.append(svg("path", { class: name, d: squares.map((square) => `${corner(geometry, square)}${path}`).join("") }));
  };
  picture.append(svg("rect", { class: "small-even", width: across * 10, height: down * 10 }));
  const odd = Array.from({ length: across * down }, (_, index) => [index % across, Math.floor(index / across)])
    .filter(([x = 0, y = 0]) => (x + y) % 2 === 1);
  picture.append(svg("path", { class: "small-odd", d: odd.map(([x = 0, y = 0]) => `M${x * 10} ${y * 10}${SQUARE}`).join("") }));
  draw("small-lake", view.lakes, SQUARE);
  for (const [color, squares] of Object.entries(view.chips ?? {})) draw(`small-chip ${color}`, squares, SQUARE);
  draw("small-last", lastSquares(view), SQUARE);
  const pieces = view.pieces.map(parsePiece);
  for (const side of /** @type {const} */ (["red", "blue"])) {
    const own = pieces.filter((piece) => piece.side === side);
    const hidden = own.filter(({ identity }) => identity === "?" || identity === "o");
    /** @param {boolean} moved */
    const marked = (moved) => hidden.filter((piece) => piece.moved === moved).map(({ square }) => square);
    draw(`small-piece ${side}`, own.map(({ square }) => square), SHAPES[side]);
    draw(`small-mark ${side}`, marked(true), MARKS.moved);
    draw(`small-mark ${side}`, marked(false), MARKS.unmoved);
    for (const { square, identity } of own) picture.append(...smallRank(geometry, square, side, identity, numbering));
  }
  return picture;
}

/** @param {Geometry} geometry @param {string} square */
function corner(geometry, square) {
  const { x, y } = place(geometry, square);
  return `M${x * 10} ${y * 10}`;
}

/** The squares of the last turn. @param {Readonly<GameView>} view */
function lastSquares(view) {
  const move = view.pending_strike ?? view.last_move;
  return move ? Object.values(parseMove(move.move)) : view.last_exchange ? [view.last_exchange.square] : [];
}

/**
 * A known rank: its figure, or its glyph.
 * @param {Geometry} geometry @param {string} square @param {Side} side @param {string} identity
 * @param {"us" | "eu"} numbering
 */
function smallRank(geometry, square, side, identity, numbering) {
  const { x, y } = place(geometry, square);
  const glyph = GLYPHS[identity];
  if (glyph) {
    const transform = `translate(${x * 10 + 2.2} ${y * 10 + 2.1}) scale(0.094)`;
    return [
      ...(glyph.line ? [svg("path", { class: `small-line ${side}`, d: glyph.line, transform })] : []),
      ...(glyph.fill ? [svg("path", { class: `small-mark ${side}`, d: glyph.fill, transform })] : []),
    ];
  }
  const figures = [...figureOf(identity, numbering)].filter((figure) => FIGURES[figure]);
  const left = x * 10 + 5 - figures.length * 1.6;
  return figures.map((figure, index) => svg("path", {
    class: `small-line ${side}`, d: FIGURES[figure] ?? "", transform: `translate(${left + index * 3.2} ${y * 10 + 2.6}) scale(0.08)`,
  }));
}
