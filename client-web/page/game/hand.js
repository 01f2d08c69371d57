// What the player has in hand, and how gestures become commands: a piece of the board or of the
// reserve, then a square, then the way, the color or the choice that the rules ask for.

import { freeHomeSquares, hasJoints, laysChip, targets } from "./reach.js";

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").GameCommand} GameCommand */
/** @typedef {import("./notation.js").Rank} Rank */
/** @typedef {import("./notation.js").ChipColor} ChipColor */
/** @typedef {import("./reach.js").Way} Way */
/** @typedef {import("./rules.js").Rules} Rules */

/** @typedef {{ kind: "board", square: string } | { kind: "reserve", rank: Rank, labeled: boolean }} Hand */

/**
 * A command that lacks something. `ways`: those that are still possible.
 * @typedef {{ kind: "move", from: string, to: string, ways: readonly Way[] }
 *   | { kind: "place", square: string, rank: Rank, labeled: boolean }} Draft
 */

/** What the player is asked next. @typedef {{ kind: "way" | "color", draft: Draft }} Question */
/** @typedef {{ command: GameCommand } | { question: Question } | undefined} Outcome */

/**
 * The piece in hand goes to a square. Undefined if it cannot.
 * @param {Hand} hand @param {string} square @param {Readonly<GameView>} view @param {Rules} rules
 * @returns {Outcome}
 */
export function put(hand, square, view, rules) {
  if (hand.kind === "reserve") {
    const side = view.audience;
    if (side === "public" || !freeHomeSquares(view, rules, side).includes(square)) return undefined;
    return complete({ kind: "place", square, rank: hand.rank, labeled: hand.labeled }, rules);
  }
  const target = targets(view, rules, hand.square).find((target) => target.square === square);
  return target && complete({ kind: "move", from: hand.square, to: square, ways: target.ways }, rules);
}

/**
 * A command, or what is still to be asked for it.
 * @param {Draft} draft @param {Rules} rules @param {ChipColor} [color] @returns {Outcome}
 */
export function complete(draft, rules, color) {
  if (draft.kind === "place") {
    if (rules.chips && !color) return { question: { kind: "color", draft } };
    return {
      command: {
        kind: "place", square: draft.square, rank: draft.rank,
        ...(draft.labeled ? { labeled: true } : {}), ...(color ? { color } : {}),
      },
    };
  }
  const [way, ...others] = draft.ways;
  if (!way) return undefined;
  if (others.length > 0) return { question: { kind: "way", draft } };
  const wantsColor = laysChip(rules, way);
  if (wantsColor && !color) return { question: { kind: "color", draft } };
  return {
    command: {
      kind: "move", move: draft.from + draft.to,
      ...(hasJoints(rules) ? { path: way.sign } : {}), ...(wantsColor && color ? { color } : {}),
    },
  };
}

/** The draft with one way. @param {Draft} draft @param {Way} way @returns {Draft} */
export function byWay(draft, way) {
  return draft.kind === "move" ? { ...draft, ways: [way] } : draft;
}
