// A move that is planned for the player's next turn. It holds as long as nothing that it was
// planned with has changed: the piece that moves, and what stands on its target.

import { parseMove, squareOf } from "./notation.js";
import { laysChip, sideToMove, targets } from "./reach.js";

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").GameCommand} GameCommand */
/** @typedef {import("../../types/messages").ChipColor} ChipColor */
/** @typedef {import("./rules.js").Rules} Rules */

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
