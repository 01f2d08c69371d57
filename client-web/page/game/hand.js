// What the player has in hand, and how gestures and typed text become commands.

import { colorOf, rankOf } from "./notation.js";
import { choices, freeHomeSquares, hasJoints, laysChip, targets } from "./reach.js";

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

// Commands as a player types them: `a4a5`, `a1a7+`, `a4a5=g`, `place 9 c3`, `remove c3`, `draw`,
// `resign`.

const MOVE = /^([a-p](?:10|[1-9]))-?([a-p](?:10|[1-9]))([+-])?(?:=([rybg]))?$/;
const PLACE = /^place ([1-9sbfp])(\^)? ([a-p](?:10|[1-9]))(?:=([rybg]))?$/;
const REMOVE = /^remove ([a-p](?:10|[1-9]))$/;

/** Where a Russian layout has the letters of squares and commands. */
const KEYS = new Map([..."йцукенгшщзфывапролдячсмить"].map((letter, index) => [letter, "qwertyuiopasdfghjklzxcvbnm"[index] ?? ""]));

/**
 * The command, or the key of a text that says what is wrong.
 * @param {string} typed @param {Readonly<GameView>} view @param {Rules} rules
 * @returns {Outcome | { wrong: string }}
 */
export function readTyped(typed, view, rules) {
  const text = [...typed.trim().toLowerCase()].map((letter) => KEYS.get(letter) ?? letter).join("").replace(/\s+/g, " ");
  /** @type {Record<string, GameCommand>} */
  const words = {
    draw: { kind: view.draw_offer && view.draw_offer !== view.audience ? "accept_draw" : "offer_draw" },
    resign: { kind: "resign" },
    abort: { kind: "abort" },
  };
  const command = words[text];
  if (command) return { command };
  const move = MOVE.exec(text);
  if (move) return readMove(move, view, rules);
  const place = PLACE.exec(text);
  if (place) return readPlacing(place, view, rules);
  const remove = REMOVE.exec(text);
  if (remove?.[1]) return rules.reserve ? { command: { kind: "remove", square: remove[1] } } : { wrong: "typed-no-reserve" };
  const rank = rankOf(text);
  if (rank && choices(view).includes(rank)) return { command: { kind: "choose", rank } };
  const color = colorOf(text);
  if (color && view.owed_color?.side === view.audience) return { command: { kind: "color", color } };
  return { wrong: "typed-unknown" };
}

/** @param {RegExpExecArray} match @param {Readonly<GameView>} view @param {Rules} rules */
function readMove([, from = "", to = "", sign, letter], view, rules) {
  const target = targets(view, rules, from).find((target) => target.square === to);
  const ways = target?.ways.filter((way) => !sign || way.sign === sign) ?? [];
  if (ways.length === 0) return { wrong: view.turn === view.audience ? "typed-no-move" : "not-your-turn-yet" };
  const draft = /** @type {const} */ ({ kind: "move", from, to, ways });
  const way = ways[0];
  return complete(letter && way ? byWay(draft, way) : draft, rules, letter ? colorOf(letter) : undefined);
}

/** @param {RegExpExecArray} match @param {Readonly<GameView>} view @param {Rules} rules */
function readPlacing([, letter = "", label, square = "", color], view, rules) {
  const rank = rankOf(letter);
  const side = view.audience;
  if (!rules.reserve || side === "public") return { wrong: "typed-no-reserve" };
  if (!rank || !freeHomeSquares(view, rules, side).includes(square)) return { wrong: "typed-no-place" };
  return complete({ kind: "place", square, rank, labeled: Boolean(label) }, rules, color ? colorOf(color) : undefined);
}
