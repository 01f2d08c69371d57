// Squares, pieces, moves and ranks as the protocol writes them.

/** @typedef {import("../../types/messages").Side} Side */
/** @typedef {import("../../types/messages").Rank} Rank */
/** @typedef {import("../../types/messages").ChipColor} ChipColor */

/**
 * A piece as a viewer knows it. `identity` is a rank's letter, `?`, `o` for a coin, or a list of
 * letters in brackets.
 * @typedef {object} Piece
 * @property {string} square
 * @property {Side} side
 * @property {string} identity
 * @property {boolean} moved
 * @property {boolean} revealed True if its rank is public.
 * @property {boolean} labeled
 */

/** The ranks with their letters, from the Flag to the Phoenix. @type {[Rank, string][]} */
const LETTERS = [
  ["flag", "F"], ["bomb", "B"], ["spy", "S"], ["scout", "9"], ["miner", "8"], ["sergeant", "7"],
  ["lieutenant", "6"], ["captain", "5"], ["major", "4"], ["colonel", "3"], ["general", "2"],
  ["marshal", "1"], ["phoenix", "P"],
];

/** Both sides; Red moves first. @type {readonly Side[]} */
export const SIDES = ["red", "blue"];

/** All ranks, from the Flag to the Phoenix. */
export const RANKS = LETTERS.map(([rank]) => rank);

/** The colors of chips, in the order of their keys. @type {ChipColor[]} */
export const COLORS = ["red", "yellow", "blue", "green"];

const letterByRank = new Map(LETTERS);
const rankByLetter = new Map(LETTERS.map(([rank, letter]) => [letter, rank]));

/** @param {Rank} rank */
export function letterOf(rank) {
  return letterByRank.get(rank) ?? "?";
}

/** The rank of an identity, if it is known. @param {string} identity */
export function rankOf(identity) {
  return rankByLetter.get(identity.toUpperCase());
}

/** The ranks that a piece can have, if its identity is a list of them. @param {string} identity */
export function ranksOf(identity) {
  if (!identity.startsWith("[")) return [];
  return [...identity.slice(1, -1)].flatMap((letter) => rankByLetter.get(letter) ?? []);
}

/** @param {Rank} rank */
export function isMovable(rank) {
  return rank !== "flag" && rank !== "bomb";
}

/** True if pieces of this rank go any distance. @param {Rank} rank */
export function isRunner(rank) {
  return rank === "scout" || rank === "phoenix";
}

const EU_FIGURES = new Map([
  ["9", "2"], ["8", "3"], ["7", "4"], ["6", "5"], ["5", "6"], ["4", "7"], ["3", "8"], ["2", "9"], ["1", "10"],
]);

/** The figure of a rank's letter in either numbering. @param {string} letter @param {"us" | "eu"} numbering */
export function figureOf(letter, numbering) {
  return numbering === "eu" ? EU_FIGURES.get(letter) ?? letter : letter;
}

/** @param {Side} side @returns {Side} */
export function opponentOf(side) {
  return side === "red" ? "blue" : "red";
}

/** The column of a square, from 0. @param {string} square */
export function columnOf(square) {
  return square.charCodeAt(0) - 97;
}

/** The row of a square, from 0. @param {string} square */
export function rowOf(square) {
  return Number(square.slice(1)) - 1;
}

/** @param {number} column @param {number} row */
export function squareAt(column, row) {
  return String.fromCharCode(97 + column) + (row + 1);
}

/** Orders squares by rows from Red's back row, each row from the left. @param {string} a @param {string} b */
export function compareSquares(a, b) {
  return rowOf(a) - rowOf(b) || columnOf(a) - columnOf(b);
}

const PIECE = /^([a-p](?:10|[1-9]))([rb])(\[[^\]]+\]|.)('?)(\*?)(\^?)$/u;

/** @param {string} text @returns {Piece} */
export function parsePiece(text) {
  const match = PIECE.exec(text);
  if (!match) throw new Error(`not a piece: ${text}`);
  const [, square = "", side, identity = "?", moved, revealed, labeled] = match;
  return {
    square,
    side: side === "r" ? "red" : "blue",
    identity,
    moved: moved !== "",
    revealed: revealed !== "",
    labeled: labeled !== "",
  };
}

/** The square of a piece's text. @param {string} text */
export function squareOf(text) {
  return text.startsWith("10", 1) ? text.slice(0, 3) : text.slice(0, 2);
}

const MOVE = /^([a-p](?:10|[1-9]))([a-p](?:10|[1-9]))$/;

/** @param {string} text @returns {{ from: string, to: string }} */
export function parseMove(text) {
  const match = MOVE.exec(text);
  if (!match) throw new Error(`not a move: ${text}`);
  return { from: match[1] ?? "", to: match[2] ?? "" };
}

/** The chips of a move, as in `a7a8=g`. @param {string} text @returns {{ squares: string[], color: ChipColor }} */
export function parseLaid(text) {
  const [squares = "", letter = ""] = text.split("=");
  const color = colorOf(letter);
  if (!color) throw new Error(`not chips: ${text}`);
  return { squares: squares.match(/[a-p](?:10|[1-9])/g) ?? [], color };
}

/** The color with this letter. @param {string} letter */
export function colorOf(letter) {
  return COLORS.find((color) => color[0] === letter.toLowerCase());
}
