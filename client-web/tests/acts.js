// Everything that a side can do by the page's own idea of it, to compare with the rules engine.

import { COLORS, RANKS, parsePiece } from "../page/game/rules.js";

/** @typedef {import("../types/messages").GameView} GameView */
/** @typedef {import("../types/messages").GameCommand} GameCommand */
/** @typedef {import("../page/game/rules.js").Rules} Rules */
/** @typedef {Pick<typeof import("../page/game/reach.js"), "targets" | "choices" | "freeHomeSquares" | "laysChip" | "hasJoints" | "sideToMove">} Reach */

/** What the viewer may do on the board now, as commands. @param {Reach} reach */
export function actsBy(reach) {
  /** @param {Readonly<GameView>} view @param {Rules} rules @returns {GameCommand[]} */
  return (view, rules) => {
    if (view.pending_strike) return reach.choices(view).map((rank) => ({ kind: "choose", rank }));
    const side = reach.sideToMove(view);
    if (!side) return [];
    const own = view.pieces.map(parsePiece).filter((piece) => piece.side === side);
    const moves = own.flatMap(({ square }) => reach.targets(view, rules, square).flatMap(({ ways }) => ways).flatMap((way) => {
      const move = { kind: /** @type {const} */ ("move"), move: square + way.to, ...(reach.hasJoints(rules) ? { path: way.sign } : {}) };
      return reach.laysChip(rules, way) ? COLORS.map((color) => ({ ...move, color })) : [move];
    }));
    if (view.owed_color) return [...moves, ...COLORS.map((color) => /** @type {const} */ ({ kind: "color", color }))];
    return [...moves, ...exchanges(reach, view, rules, side)];
  };
}

/**
 * The turns between board and reserve.
 * @param {Reach} reach @param {Readonly<GameView>} view @param {Rules} rules @param {"red" | "blue"} side @returns {GameCommand[]}
 */
function exchanges(reach, view, rules, side) {
  const reserve = view.reserve?.[side];
  if (!rules.reserve || !reserve) return [];
  const own = view.pieces.map(parsePiece).filter((piece) => piece.side === side && piece.identity !== "F");
  /** @type {GameCommand[]} */
  const removals = own.map(({ square }) => ({ kind: "remove", square }));
  const colors = rules.chips ? COLORS.map((color) => ({ color })) : [{}];
  const kinds = [
    ...RANKS.filter((rank) => (reserve.unlabeled?.[rank] ?? 0) > 0).map((rank) => ({ rank })),
    ...RANKS.filter((rank) => (reserve.labeled?.[rank] ?? 0) > 0).map((rank) => ({ rank, labeled: true })),
  ];
  /** @type {GameCommand[]} */
  const placings = reach.freeHomeSquares(view, rules, side).flatMap((square) =>
    kinds.flatMap((kind) => colors.map((color) => /** @type {const} */ ({ kind: "place", square, ...kind, ...color }))));
  return [...removals, ...placings];
}
