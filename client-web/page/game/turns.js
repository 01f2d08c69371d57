// Small questions about turns.

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("./notation.js").Side} Side */

/** A game can be called off until the player's own first turn. @param {Readonly<GameView>} view @param {Side} side */
export function canAbort(view, side) {
  if (view.phase === "deploying") return true;
  return view.phase === "playing" && view.ply <= (side === "red" ? 0 : 1);
}
