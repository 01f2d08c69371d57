// Pieces as SVG, built by script.

import { figureOf } from "../game/notation.js";
import { FIGURES, GLYPHS, MIDDLE, SHAPES } from "./art.js";

/** @typedef {import("../game/notation.js").Piece} Piece */

const SVG = "http://www.w3.org/2000/svg";

/** How pieces are drawn. @typedef {{ numbering: "us" | "eu", print: "normal" | "large" }} Style */

/** @type {Style} */
export const PLAIN_STYLE = { numbering: "us", print: "normal" };

/** @param {string} name @param {Record<string, string | number>} attributes */
export function svg(name, attributes = {}) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** @type {Map<string, SVGElement>} */
const drawn = new Map();

/**
 * The picture of a piece. Pieces that look alike are copies of one picture.
 * @param {Omit<Piece, "square">} piece @param {Style} style
 */
export function drawPiece(piece, style = PLAIN_STYLE) {
  const { side, identity, moved, revealed, labeled } = piece;
  const hidden = identity === "?" ? (moved ? "moved" : "unmoved") : "";
  const key = [side, identity, hidden, revealed, labeled, style.numbering, style.print].join();
  const picture = drawn.get(key) ?? draw(piece, style);
  drawn.set(key, picture);
  return /** @type {SVGElement} */ (picture.cloneNode(true));
}

/** @param {Omit<Piece, "square">} piece @param {Style} style */
function draw(piece, style) {
  const picture = svg("svg", { viewBox: "0 0 100 100", class: `art ${piece.side}` });
  picture.append(svg("path", { class: "shape", d: SHAPES[piece.side] }));
  if (piece.labeled) picture.append(svg("path", { class: "label-mark", d: "M0 0H34L0 34Z" }));
  picture.append(...inside(piece, style));
  // The diamond of a rank that everybody knows.
  if (piece.revealed) picture.append(svg("path", { class: "public-mark", d: "M85 0 100 15 85 30 70 15Z" }));
  return picture;
}

/** @param {Omit<Piece, "square">} piece @param {Style} style @returns {SVGElement[]} */
function inside({ side, identity, moved }, style) {
  const { x, y } = MIDDLE[side];
  if (identity === "?") {
    return [moved
      ? svg("circle", { class: "hidden-mark", cx: x, cy: y, r: 8 })
      : svg("rect", { class: "hidden-mark", x: x - 17, y: y - 5, width: 34, height: 10, rx: 5 })];
  }
  if (identity === "o") {
    return [
      svg("circle", { class: "coin", cx: x, cy: y, r: 26 }),
      svg("circle", { class: "coin-ring", cx: x, cy: y, r: 18 }),
      ...(moved ? [] : [svg("rect", { class: "coin-bar", x: x - 9, y: y - 3, width: 18, height: 6, rx: 3 })]),
    ];
  }
  if (identity.startsWith("[")) return severalOf([...identity.slice(1, -1)], side, style);
  return [picture(identity, x, y, style.print === "large" ? 66 : 54, style)];
}

/** Some of several ranks, as small pictures in a block. @param {string[]} letters @param {"red" | "blue"} side @param {Style} style */
function severalOf(letters, side, style) {
  const { x, y } = MIDDLE[side];
  const columns = letters.length <= 2 ? letters.length : Math.ceil(letters.length / 2);
  const rows = Math.ceil(letters.length / columns);
  const height = rows === 1 ? 36 : Math.min(28, 68 / columns);
  return letters.map((letter, index) => {
    const column = (index % columns) - (columns - 1) / 2;
    const row = Math.floor(index / columns) - (rows - 1) / 2;
    return picture(letter, x + column * height * 0.86, y + row * height * 1.15, height, style);
  });
}

/** A rank's figure or glyph around a middle. @param {string} letter @param {number} x @param {number} y @param {number} height @param {Style} style */
function picture(letter, x, y, height, style) {
  const glyph = GLYPHS[letter];
  const scale = height / 60;
  if (glyph) {
    const group = svg("g", { transform: `translate(${x - 30 * scale} ${y - 30 * scale}) scale(${scale})` });
    if (glyph.line) group.append(svg("path", { class: "glyph-line", d: glyph.line }));
    if (glyph.fill) group.append(svg("path", { class: "glyph", d: glyph.fill }));
    return group;
  }
  const figures = [...figureOf(letter, style.numbering)];
  const step = 40;
  const width = 40 + (figures.length - 1) * step;
  const squeeze = figures.length > 1 ? 0.86 : 1;
  const group = svg("g", {
    transform: `translate(${x - (width / 2) * scale * squeeze} ${y - 30 * scale}) scale(${scale * squeeze} ${scale})`,
  });
  group.append(...figures.map((figure, index) =>
    svg("path", { class: "figure", d: FIGURES[figure] ?? "", transform: `translate(${index * step} 0)` })));
  return group;
}
