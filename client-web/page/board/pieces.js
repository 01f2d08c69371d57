// Pieces and chips as SVG, built by script. The pictures are paths of our own, so that they look
// the same with every font.

import { figureOf } from "../game/rules.js";

/** @typedef {import("../game/rules.js").Piece} Piece */
/** @typedef {import("../game/rules.js").ChipColor} ChipColor */

const SVG = "http://www.w3.org/2000/svg";

/** Figures as strokes in a box of 40 by 60. @type {Readonly<Record<string, string>>} */
export const FIGURES = {
  0: "M20 4C-1 4-1 56 20 56S41 4 20 4Z",
  1: "M8 15 22 4V56",
  2: "M5 17C5-1 35 0 35 17 35 30 11 40 5 56H36",
  3: "M6 9C15-1 34 2 34 16 34 27 24 29 17 29 26 29 36 32 36 43 36 59 13 60 5 50",
  4: "M29 56V4L4 41H38",
  5: "M33 4H10L7 28C15 22 36 22 36 40 36 58 14 60 5 51",
  6: "M31 4C14 9 4 25 4 39 4 62 36 61 36 40 36 22 9 22 4 38",
  7: "M4 4H36C26 20 18 37 16 56",
  8: "M20 28C5 27 5 4 20 4S35 27 20 28C1 30 1 56 20 56S39 30 20 28Z",
  9: "M9 56C26 51 36 35 36 21 36-2 4-1 4 20 4 38 31 38 36 22",
};

/**
 * Glyphs of ranks without a figure, in a box of 60 by 60: what is filled, and what is a stroke.
 * @type {Readonly<Record<string, { fill?: string, line?: string }>>}
 */
export const GLYPHS = {
  // A round bomb with a fuse and a spark.
  B: {
    fill: "M26 18a20 20 0 1 0 .1 0ZM34 10l8-3 6 10-8 5Z",
    line: "M45 12C47 2 56 2 57 11",
  },
  // A pennant on its pole.
  F: { fill: "M16 5 52 17 16 32Z", line: "M14 4V57M6 57H23" },
  // An eye that watches.
  S: {
    fill: "M30 21a9.5 9.5 0 1 0 .1 0Z",
    line: "M3 31C14 11 46 11 57 31 46 50 14 50 3 31Z",
  },
  // A bird that rises from a flame.
  P: {
    fill: "M30 8c4 4 5 8 4 13 8 0 17-4 23-13 0 17-7 27-19 29 2 6 0 13-8 21-8-8-10-15-8-21C10 35 3 25 3 8c6 9 15 13 23 13-1-5 0-9 4-13Z",
  },
};

/**
 * Glyphs of ranks with a figure, for those who prefer them: a crown, a star, crossed swords, a
 * sword, two bars, a bar, chevrons, a pickaxe and an arrow that goes far. In the same box.
 * @type {Readonly<Record<string, { fill?: string, line?: string }>>}
 */
const SYMBOLS = {
  1: { fill: "M4 12 18 27 30 6 42 27 56 12 51 46H9ZM9 50H51V57H9Z" },
  2: { fill: "M30 3 37.1 22.3 57.6 23 41.4 35.7 47 55.5 30 44 13 55.5 18.6 35.7 2.4 23 22.9 22.3Z" },
  3: { line: "M7 4 47 48M53 4 13 48M36 55 54 38M24 55 6 38" },
  4: { line: "M30 3V57M15 39H45" },
  5: { fill: "M10 6H25V54H10ZM35 6H50V54H35Z" },
  6: { fill: "M22 6H38V54H22Z" },
  7: { line: "M6 21 30 6 54 21M6 38 30 23 54 38M6 55 30 40 54 55" },
  8: { line: "M10 57 43 17M16 6Q46 3 57 40" },
  9: { line: "M5 9 26 30 5 51M31 9 52 30 31 51" },
};

/** The outlines of the sides in a box of 100 by 100: a shield and a tower. */
export const SHAPES = {
  red: "M50 95C24 85 10 67 10 42V17Q10 12 15 12C28 12 39 9 47 5Q50 3.5 53 5C61 9 72 12 85 12Q90 12 90 17V42C90 67 76 85 50 95Z",
  blue: "M10 11Q10 7 14 7H24Q28 7 28 11V17H39V11Q39 7 43 7H57Q61 7 61 11V17H72V11Q72 7 76 7H86Q90 7 90 11V35L84 42V80L91 86V90Q91 95 86 95H14Q9 95 9 90V86L16 80V42L10 35Z",
};

/** Where the picture lies in a shape: its middle, and how high a figure is. */
const MIDDLE = { red: { x: 50, y: 47 }, blue: { x: 50, y: 56 } };

/** How pieces are drawn. @typedef {{ numbering: "us" | "eu", print: "normal" | "large" | "glyphs" }} Style */

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
  const symbol = style.print === "glyphs" ? SYMBOLS[identity] : undefined;
  // The figure stands below, for those who are still learning the glyphs.
  if (symbol) return [glyphAround(symbol, x, y - 11, 48, "symbol"), picture(identity, x, y + 25, 22, style)];
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
  if (glyph) return glyphAround(glyph, x, y, height);
  const scale = height / 60;
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

/** @param {{ fill?: string, line?: string }} glyph @param {number} x @param {number} y @param {number} height @param {string} [look] */
function glyphAround({ fill, line }, x, y, height, look = "") {
  const scale = height / 60;
  const group = svg("g", { class: look, transform: `translate(${x - 30 * scale} ${y - 30 * scale}) scale(${scale})` });
  if (line) group.append(svg("path", { class: "glyph-line", d: line }));
  if (fill) group.append(svg("path", { class: "glyph", d: fill }));
  return group;
}

// Chips: a pattern and a letter.

/** The body of a chip, in a box of 40 by 40. */
const BODY = "M13 1H27C33.6 1 39 6.4 39 13V27C39 33.6 33.6 39 27 39H13C6.4 39 1 33.6 1 27V13C1 6.4 6.4 1 13 1Z";

/** What tells the colors apart without color, in the box of the body. @type {Record<ChipColor, string>} */
const PATTERNS = {
  red: "M0 8H40M0 20H40M0 32H40",
  yellow: "M8 0V40M20 0V40M32 0V40",
  blue: "M4 4 36 36M1 21 19 39M21 1 39 19",
  green: "M36 4 4 36M39 21 21 39M19 1 1 19",
};

/** The letters as strokes, in the box of the body. @type {Record<ChipColor, string>} */
const LETTERS = {
  red: "M14 30V10H21C29 10 29 21 21 21H14M21 21 27 30",
  yellow: "M13 10 20 20 27 10M20 20V30",
  blue: "M14 10V30H21C29 30 29 20 21 20H14C28 20 28 10 21 10H14",
  green: "M27 14C22 7 13 10 13 20S23 33 27 27V21H21",
};

/** A square in units of a chip's box, and where the chip lies in it: over the foot of a piece. */
export const CHIP_SQUARE = 111;
const CHIP_CORNER = 68;

/** A path elsewhere. @param {string} path @param {number} dx @param {number} dy */
function shifted(path, dx, dy) {
  return path.replace(/([A-Z])([^A-Z]*)/g, (_, /** @type {string} */ letter, /** @type {string} */ numbers) => {
    const values = numbers.match(/-?[\d.]+/g) ?? [];
    return letter + values.map((value, at) => {
      const isAcross = letter === "H" || (letter !== "V" && at % 2 === 0);
      return Math.round((Number(value) + (isAcross ? dx : dy)) * 10) / 10;
    }).join(" ");
  });
}

/**
 * All chips of a color as three paths, so that a board full of chips has few nodes.
 * @param {ChipColor} color @param {readonly { x: number, y: number }[]} places Their squares.
 */
export function drawChips(color, places) {
  const corners = places.map(({ x, y }) => [x * CHIP_SQUARE + CHIP_CORNER, y * CHIP_SQUARE + CHIP_CORNER]);
  return chipOf(color, (path) => corners.map(([x = 0, y = 0]) => shifted(path, x, y)).join(""));
}

/** One chip, alone. @param {ChipColor} color */
export function drawChip(color) {
  const picture = svg("svg", { viewBox: "0 0 40 40", class: "chip" });
  picture.append(chipOf(color, (path) => path));
  return picture;
}

/** @param {ChipColor} color @param {(path: string) => string} where */
function chipOf(color, where) {
  const group = svg("g", { class: `chip-${color}` });
  group.append(
    svg("path", { class: "chip-body", d: where(BODY) }),
    svg("path", { class: "chip-pattern", d: where(PATTERNS[color]) }),
    svg("path", { class: "chip-letter", d: where(LETTERS[color]) }),
  );
  return group;
}

/** The colors of chips by their squares. @param {Record<string, string[]> | null | undefined} chips @returns {Map<string, ChipColor>} */
export function chipsBySquare(chips) {
  const entries = /** @type {[ChipColor, string[]][]} */ (Object.entries(chips ?? {}));
  return new Map(entries.flatMap(([color, squares]) => squares.map((square) => [square, color])));
}
