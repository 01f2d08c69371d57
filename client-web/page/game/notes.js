// A player's guesses about enemy pieces. They stay on the device, follow their piece from event
// to event, and go with it.

import { parseMove, parsePiece } from "./notation.js";

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").GameEvent} GameEvent */

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
