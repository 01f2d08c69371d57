// Names of squares, for those who hear the board.

import { parsePiece, rankOf, ranksOf } from "../game/notation.js";
import { chipsBySquare } from "./chips.js";

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../game/notation.js").Piece} Piece */
/** @typedef {import("../game/reach.js").Target} Target */
/** @typedef {import("../words.js").Words} Words */

/** The name of what is known of a rank. @param {Words} words @param {string} identity */
export function rankName(words, identity) {
  const rank = rankOf(identity) ?? (identity === "o" ? "coin" : undefined);
  if (rank) return words.say("rank", { rank });
  const names = ranksOf(identity).map((rank) => words.say("rank", { rank }));
  if (names.length === 0) return words.say("rank", { rank: "hidden" });
  return names.slice(1).reduce((first, last) => words.say("list-or", { first, last }), names[0] ?? "");
}

/**
 * The names of all squares.
 * @param {Readonly<GameView>} view @param {Words} words
 * @param {{ from: string, targets: readonly Target[] } | undefined} reach What the piece in hand can do.
 * @returns {(square: string) => string}
 */
export function squareNames(view, words, reach) {
  const pieces = new Map(view.pieces.map(parsePiece).map((piece) => [piece.square, piece]));
  const chips = chipsBySquare(view.chips);
  const lakes = new Set(view.lakes);
  const targets = new Map(reach?.targets.map((target) => [target.square, target]));
  return (square) => {
    const piece = pieces.get(square);
    const what = piece ? pieceName(piece, view.audience, words)
      : words.say(lakes.has(square) ? "square-lake" : "square-empty");
    const chip = chips.get(square);
    const way = targets.get(square)?.ways[0];
    const parts = [square, what];
    if (chip) parts.push(words.say("square-chip", { color: chip }));
    if (reach?.from === square) parts.push(words.say("square-chosen"));
    if (way) parts.push(words.say("square-target", { by: way.by, strikes: way.strikes ? "yes" : "no" }));
    return parts.join(", ");
  };
}

/** @param {Piece} piece @param {"red" | "blue" | "public"} audience @param {Words} words */
function pieceName(piece, audience, words) {
  const { side, identity, moved, revealed, labeled } = piece;
  const whose = audience === "public" ? side : audience === side ? "own" : "enemy";
  const isHidden = identity === "?";
  const rank = rankName(words, identity);
  const name = isHidden
    ? words.say("square-hidden", { whose, moved: moved ? "yes" : "no" })
    : words.say("square-piece", { whose, rank, moved: moved ? "yes" : "no" });
  const marks = [name];
  if (labeled) marks.push(words.say("square-labeled"));
  else if (revealed && whose === "own") marks.push(words.say("square-known"));
  return marks.join(", ");
}
