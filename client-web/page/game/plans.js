// What a player keeps for later: a planned move, and guesses about enemy pieces.

import { parseMove, parsePiece, squareOf } from "./notation.js";
import { laysChip, sideToMove, targets } from "./reach.js";

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").GameCommand} GameCommand */
/** @typedef {import("../../types/messages").ChipColor} ChipColor */
/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("../../types/messages").GameEvent} GameEvent */

/**
 * @typedef {object} Premove
 * @property {string} move
 * @property {"+" | "-"} [path]
 * @property {ChipColor} [color]
 * @property {string} piece The text of the piece that moves.
 * @property {string | undefined} target The text of the piece on the target.
 */

/**
 * Plans a move. None if no piece stands there.
 * @param {Readonly<GameView>} view @param {string} move
 * @param {{ path?: "+" | "-", color?: ChipColor }} [details] @returns {Premove | undefined}
 */
export function planMove(view, move, details = {}) {
  const { from, to } = parseMove(move);
  const piece = pieceOn(view, from);
  return piece === undefined ? undefined : { move, ...details, piece, target: pieceOn(view, to) };
}

/** True if the plan still holds. @param {Premove} plan @param {Readonly<GameView>} view */
export function holds(plan, view) {
  const { from, to } = parseMove(plan.move);
  return view.phase === "playing"
    && isSamePiece(plan.piece, pieceOn(view, from))
    && isSamePiece(plan.target, pieceOn(view, to));
}

/**
 * The command of a plan whose turn has come. None if it is not the player's turn yet, or if the
 * move is not legal: then `isIllegal` is true.
 * @param {Premove} plan @param {Readonly<GameView>} view @param {Rules} rules
 * @returns {{ command?: GameCommand, isIllegal: boolean }}
 */
export function dueCommand(plan, view, rules) {
  if (!sideToMove(view) || view.owed_color || view.pending_strike || view.paused) return { isIllegal: false };
  const { from, to } = parseMove(plan.move);
  const ways = targets(view, rules, from).find((target) => target.square === to)?.ways ?? [];
  const way = plan.path ? ways.find((way) => way.sign === plan.path) : ways[0];
  if (!way || laysChip(rules, way) !== (plan.color !== undefined)) return { isIllegal: true };
  const path = plan.path ? { path: plan.path } : {};
  const color = plan.color ? { color: plan.color } : {};
  return { command: { kind: "move", move: plan.move, ...path, ...color }, isIllegal: false };
}

/** @param {Readonly<GameView>} view @param {string} square */
function pieceOn(view, square) {
  return view.pieces.find((piece) => squareOf(piece) === square);
}

/**
 * That the opponent learned a rank changes the mark of the player's piece and nothing of the
 * plan.
 * @param {string | undefined} a @param {string | undefined} b
 */
function isSamePiece(a, b) {
  return a?.replace("*", "") === b?.replace("*", "");
}

// A player's guesses about enemy pieces. They stay on the device, follow their piece from event
// to event, and go with it.

/** Guesses by the squares of their pieces. @typedef {Readonly<Record<string, string>>} Notes */

/** The marks that a player can set, in the order of the menu. */
export const MARKS = ["F", "B", "S", "9", "8", "7", "6", "5", "4", "3", "2", "1", "weak", "strong", "watch"];

/** Sets a note, or takes it off. @param {Notes} notes @param {string} square @param {string | undefined} mark @returns {Notes} */
export function note(notes, square, mark) {
  const { [square]: _, ...others } = notes;
  return mark === undefined ? others : { ...others, [square]: mark };
}

/**
 * The notes after an event, given the view after it.
 * @param {Notes} notes @param {GameEvent} event @param {Readonly<GameView>} after @returns {Notes}
 */
export function followNotes(notes, event, after) {
  let followed = notes;
  if (event.kind === "moved") {
    const { from, to } = parseMove(event.move);
    const [mover, struck] = [notes[from], notes[to]];
    followed = note(note(notes, from, undefined), to, undefined);
    const strike = event.strike;
    // Each goes where its piece went.
    if (mover && (!strike || strike.attacker_fate === "advances")) followed = note(followed, to, mover);
    if (mover && strike?.attacker_fate === "stays") followed = note(followed, from, mover);
    if (struck && strike?.defender_fate === "stays") followed = note(followed, to, struck);
    if (struck && strike?.defender_fate === "advances") followed = note(followed, from, struck);
  }
  if (event.kind === "removed") followed = note(notes, event.square, undefined);
  return keepHidden(followed, after);
}

/**
 * The notes that still hold in a view whose events were not seen: only a piece that never moved
 * is surely the one that was noted. With a reserve, not even that.
 * @param {Notes} notes @param {Readonly<GameView>} view @param {boolean} hasReserve @returns {Notes}
 */
export function afterGap(notes, view, hasReserve) {
  if (hasReserve) return {};
  const unmoved = new Set(view.pieces.map(parsePiece).filter((piece) => !piece.moved).map((piece) => piece.square));
  return Object.fromEntries(Object.entries(keepHidden(notes, view)).filter(([square]) => unmoved.has(square)));
}

/** The notes on pieces whose rank is still hidden. @param {Notes} notes @param {Readonly<GameView>} view @returns {Notes} */
export function keepHidden(notes, view) {
  const hidden = new Set(view.pieces.map(parsePiece)
    .filter((piece) => piece.side !== view.audience && (piece.identity === "?" || piece.identity.startsWith("[")))
    .map((piece) => piece.square));
  return Object.fromEntries(Object.entries(notes).filter(([square]) => hidden.has(square)));
}
