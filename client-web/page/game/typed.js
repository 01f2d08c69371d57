// Commands as a player types them: `a4a5`, `a1a7+`, `a4a5=g`, `place 9 c3`, `remove c3`, `draw`,
// `resign`.

import { byKeys, byWay, complete } from "./hand.js";
import { colorOf, rankOf } from "./rules.js";
import { choices, freeHomeSquares, targets } from "./reach.js";

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").GameCommand} GameCommand */
/** @typedef {import("./hand.js").Outcome} Outcome */
/** @typedef {import("./rules.js").Rules} Rules */

const MOVE = /^([a-p](?:10|[1-9]))-?([a-p](?:10|[1-9]))([+-])?(?:=([rybg]))?$/;
const PLACE = /^place ([1-9sbfp])(\^)? ([a-p](?:10|[1-9]))(?:=([rybg]))?$/;
const REMOVE = /^remove ([a-p](?:10|[1-9]))$/;

/**
 * The command, or the key of a text that says what is wrong.
 * @param {string} typed @param {Readonly<GameView>} view @param {Rules} rules
 * @param {typeof targets} [reach] `plannedTargets` for a later turn. @returns {Outcome | { wrong: string }}
 */
export function readTyped(typed, view, rules, reach = targets) {
  const text = byKeys(typed.trim().toLowerCase()).replace(/\s+/g, " ");
  /** @type {Record<string, GameCommand>} */
  const words = {
    draw: { kind: view.draw_offer && view.draw_offer !== view.audience ? "accept_draw" : "offer_draw" },
    resign: { kind: "resign" },
    abort: { kind: "abort" },
  };
  const command = words[text];
  if (command) return { command };
  const move = MOVE.exec(text);
  if (move) return readMove(move, view, rules, reach);
  const place = PLACE.exec(text);
  if (place) return readPlacing(place, view, rules);
  const remove = REMOVE.exec(text);
  if (remove?.[1]) return rules.reserve ? { command: { kind: "remove", square: remove[1] } } : { wrong: "refusal-no-reserve" };
  const rank = rankOf(text);
  if (rank && choices(view).includes(rank)) return { command: { kind: "choose", rank } };
  const color = colorOf(text);
  if (color && view.owed_color?.side === view.audience) return { command: { kind: "color", color } };
  return { wrong: "typed-unknown" };
}

/** @param {RegExpExecArray} match @param {Readonly<GameView>} view @param {Rules} rules @param {typeof targets} reach */
function readMove([, from = "", to = "", sign, letter], view, rules, reach) {
  const target = reach(view, rules, from).find((target) => target.square === to);
  const ways = target?.ways.filter((way) => !sign || way.sign === sign) ?? [];
  if (ways.length === 0) return { wrong: view.turn === view.audience || reach !== targets ? "typed-no-move" : "refusal-not-your-turn" };
  const draft = /** @type {const} */ ({ kind: "move", from, to, ways });
  const way = ways[0];
  return complete(letter && way ? byWay(draft, way) : draft, rules, letter ? colorOf(letter) : undefined);
}

/** @param {RegExpExecArray} match @param {Readonly<GameView>} view @param {Rules} rules */
function readPlacing([, letter = "", label, square = "", color], view, rules) {
  const rank = rankOf(letter);
  const side = view.audience;
  if (!rules.reserve || side === "public") return { wrong: "refusal-no-reserve" };
  if (!rank || !freeHomeSquares(view, rules, side).includes(square)) return { wrong: "typed-no-place" };
  return complete({ kind: "place", square, rank, labeled: Boolean(label) }, rules, color ? colorOf(color) : undefined);
}
