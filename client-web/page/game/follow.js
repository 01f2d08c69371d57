// Turns the view before an event into the view after it. It needs no rules: everything that rules
// decide is in the event's change.

import { compareSquares, opponentOf, parseLaid, parseMove, squareOf } from "./notation.js";

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").GameEvent} GameEvent */
/** @typedef {import("../../types/messages").ViewChange} ViewChange */
/** @typedef {import("./notation.js").Side} Side */
/** @typedef {import("./notation.js").ChipColor} ChipColor */

/**
 * The view after an event. The view before is left as it is.
 * @param {Readonly<GameView>} before @param {GameEvent} event @param {ViewChange} change @returns {GameView}
 */
export function follow(before, event, change) {
  const view = { ...before };
  replace(view, "clock", change.clock);
  replace(view, "deploy_deadline", change.deploy_deadline);
  replace(view, "turn", change.turn);
  replace(view, "plies_to_limit", change.plies_to_limit);
  replace(view, "refused_moves", change.refused_moves);
  replace(view, "owed_color", change.owed_color);
  replace(view, "pending_strike", change.pending_strike);
  if (change.captured) view.captured = change.captured;
  if (change.reserve) view.reserve = change.reserve;
  if (change.pools) view.pools = change.pools;
  const pieces = change.pieces ?? [];
  switch (event.kind) {
    case "deployed":
      view.own_deployment = event.setup;
      if (view.audience !== "public") view.ready = { ...view.ready, [view.audience]: true };
      break;
    case "ready":
      view.ready = { ...view.ready, [event.side]: true };
      break;
    case "started":
      view.phase = "playing";
      delete view.own_deployment;
      view.commitments = event.commitments;
      view.pieces = pieces;
      break;
    case "moved": {
      const { kind: _, ...seen } = event;
      const { from, to } = parseMove(event.move);
      if (event.laid) {
        const { squares, color } = parseLaid(event.laid);
        lay(view, squares, color);
      }
      view.last_move = seen;
      delete view.last_exchange;
      endTurn(view, event.side, [from, to], pieces);
      break;
    }
    case "struck":
      put(view, [parseMove(event.move).from], pieces);
      break;
    case "chosen":
      break;
    case "removed":
      delete view.last_move;
      view.last_exchange = event;
      endTurn(view, event.side, [event.square], pieces);
      break;
    case "placed":
      if (event.color) lay(view, [event.square], event.color);
      delete view.last_move;
      view.last_exchange = event;
      endTurn(view, event.side, [event.square], pieces);
      break;
    case "colored":
      lay(view, [event.square], event.color);
      break;
    case "draw_offered":
      view.draw_offer = event.side;
      break;
    case "draw_declined":
      delete view.draw_offer;
      break;
    case "paused":
      view.paused = true;
      break;
    case "resumed":
      delete view.paused;
      break;
    case "ended":
      view.phase = "over";
      delete view.paused;
      delete view.draw_offer;
      delete view.own_deployment;
      view.outcome = event.outcome;
      view.opened = event.opened;
      if (change.pieces) view.pieces = change.pieces;
      break;
    default:
      forgotten(event);
  }
  return view;
}

/** An event of a later version of the protocol changes no more than its change says. @param {never} _ */
function forgotten(_) {}

/**
 * Sets a field that a view has only when it has a value.
 * @template {keyof GameView} K
 * @param {GameView} view @param {K} field @param {GameView[K] | null | undefined} value
 */
function replace(view, field, value) {
  if (value === undefined || value === null) delete view[field];
  else view[field] = value;
}

/** Replaces the pieces on these squares. @param {GameView} view @param {string[]} squares @param {string[]} pieces */
function put(view, squares, pieces) {
  const others = view.pieces.filter((piece) => !squares.includes(squareOf(piece)));
  view.pieces = [...others, ...pieces].sort((a, b) => compareSquares(squareOf(a), squareOf(b)));
}

/**
 * Ends a ply: replaces the pieces on its squares, counts it, and drops the offer that it
 * declines.
 * @param {GameView} view @param {Side} side @param {string[]} squares @param {string[]} pieces
 */
function endTurn(view, side, squares, pieces) {
  put(view, squares, pieces);
  view.ply += 1;
  if (view.draw_offer === opponentOf(side)) delete view.draw_offer;
}

/** Lays chips in place of those that were there. @param {GameView} view @param {string[]} squares @param {ChipColor} color */
function lay(view, squares, color) {
  /** @type {Record<string, string[]>} */
  const chips = {};
  for (const [other, laid] of Object.entries(view.chips ?? {})) {
    const left = laid.filter((square) => !squares.includes(square));
    if (left.length > 0) chips[other] = left;
  }
  chips[color] = [...(chips[color] ?? []), ...squares].sort(compareSquares);
  view.chips = chips;
}
