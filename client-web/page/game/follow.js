// What the page knows of games, and how events and messages change it. No DOM, no clock, and no
// rules: everything that rules decide is in an event's change.

import { compareSquares, opponentOf, parseLaid, parseMove, squareOf } from "./rules.js";

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").GameEvent} GameEvent */
/** @typedef {import("../../types/messages").ViewChange} ViewChange */
/** @typedef {import("./rules.js").Side} Side */
/** @typedef {import("./rules.js").ChipColor} ChipColor */
/** @typedef {import("../../types/messages").ServerMessage} ServerMessage */
/** @typedef {import("../../types/messages").ClientMessage} ClientMessage */
/** @typedef {import("../../types/messages").GameSummary} GameSummary */
/** @template T @typedef {import("../../types/messages").PerSide<T>} PerSide */

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
  replace(view, "more_squares", change.more_squares);
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
export function lay(view, squares, color) {
  /** @type {Record<string, string[]>} */
  const chips = {};
  for (const [other, laid] of Object.entries(view.chips ?? {})) {
    const left = laid.filter((square) => !squares.includes(square));
    if (left.length > 0) chips[other] = left;
  }
  chips[color] = [...(chips[color] ?? []), ...squares].sort(compareSquares);
  view.chips = chips;
}

// The open games of a line: how each message changes what the page knows of them. No DOM, no
// clock.

/**
 * A game that is shown.
 * @typedef {object} LoadedGame
 * @property {GameSummary} game
 * @property {GameView} view
 * @property {number} epoch
 * @property {number} seq
 * @property {PerSide<import("../../types/messages").Presence>} presence
 * @property {PerSide<boolean>} left
 * @property {PerSide<number | null | undefined>} claimableAt
 * @property {Side[]} rematch
 * @property {import("../../types/messages").Abort | undefined} abort
 */

/**
 * A game that the page has open.
 * @typedef {object} OpenGame
 * @property {string} id
 * @property {LoadedGame | undefined} loaded Undefined until the first view has come.
 * @property {boolean} isSuperseded True if another tab plays it.
 * @property {boolean} [isStandingStill] True if the server cannot save its moves, but those of other games.
 * @property {boolean} isNewEpoch True if the server lost moves, until the player has seen it.
 * @property {boolean} isAsked True while an answer to `open_game` is on its way.
 * @property {import("../state.js").Refusal | undefined} trouble Why it cannot be shown.
 * @property {Said[]} said
 */

/** @typedef {{ side: Side, said: import("../../types/messages").Said }} Said */

/**
 * What happened, for the board and for those who listen. `event` has the views around it; `view`
 * says that a game must be shown anew, without its events.
 * @typedef {{ kind: "event", game: string, event: GameEvent, change: ViewChange, before: GameView, after: GameView }
 *   | { kind: "view", game: string }
 *   | { kind: "said", game: string, side: Side, said: import("../../types/messages").Said }} GameNews
 */

/** @typedef {Readonly<Record<string, OpenGame>>} Games */
/** @typedef {{ games: Games, news: GameNews[], ask: string[] }} Step `ask`: games to open again. */

/** @param {string} id @returns {OpenGame} */
export function unopened(id) {
  return {
    id, loaded: undefined, isSuperseded: false, isNewEpoch: false, isAsked: false, trouble: undefined, said: [],
  };
}

/** The message that opens a game, with what the page has seen of it. @param {OpenGame} game @returns {ClientMessage} */
export function openMessage(game) {
  const since = game.loaded ? { since: { epoch: game.loaded.epoch, seq: game.loaded.seq } } : {};
  return { type: "open_game", game: game.id, ...since };
}

/** @param {Games} games @param {ServerMessage} message @returns {Step} */
export function hear(games, message) {
  switch (message.type) {
    case "game": return change(games, message.game.id, (game) => shown(game, message));
    case "event": return change(games, message.game, (game) => happened(game, message));
    case "presence": return changeLoaded(games, message.game, (loaded) => ({
      ...loaded,
      presence: { ...loaded.presence, [message.side]: message.presence },
      left: { ...loaded.left, [message.side]: message.left ?? false },
    }));
    case "claimable": return changeLoaded(games, message.game, (loaded) => ({
      ...loaded, claimableAt: { ...loaded.claimableAt, [message.gone]: message.at },
    }));
    case "rematch_offered": return changeLoaded(games, message.game, (loaded) => ({
      ...loaded, rematch: [...loaded.rematch.filter((side) => side !== message.side), message.side],
    }));
    case "rematch_withdrawn": return changeLoaded(games, message.game, (loaded) => ({
      ...loaded, rematch: loaded.rematch.filter((side) => side !== message.side),
    }));
    case "superseded": return change(games, message.game, (game) => ({ game: { ...game, isSuperseded: true } }));
    case "said": return change(games, message.game, (game) => {
      const said = { side: message.side, said: message.said };
      return { game: { ...game, said: [...game.said.slice(-199), said] }, news: [{ kind: "said", game: game.id, ...said }] };
    });
    case "game_unavailable": return change(games, message.game, (game) => ({
      game: { ...game, isAsked: false, trouble: { code: message.code ?? null, message: message.message } },
    }));
    case "ping": {
      const behind = message.heads.filter(({ game, seq }) => {
        const open = games[game];
        return open?.loaded && !open.isAsked && !open.isSuperseded && seq > open.loaded.seq;
      });
      return { games, news: [], ask: behind.map(({ game }) => game) };
    }
    default: return { games, news: [], ask: [] };
  }
}

/**
 * @param {Games} games @param {string} id
 * @param {(game: OpenGame) => { game: OpenGame, news?: GameNews[], isBehind?: boolean }} how @returns {Step}
 */
function change(games, id, how) {
  const open = games[id];
  if (!open) return { games, news: [], ask: [] };
  const { game, news = [], isBehind = false } = how(open);
  return { games: { ...games, [id]: game }, news, ask: isBehind ? [id] : [] };
}

/** @param {Games} games @param {string} id @param {(loaded: LoadedGame) => LoadedGame} how */
function changeLoaded(games, id, how) {
  return change(games, id, (game) => ({ game: game.loaded ? { ...game, loaded: how(game.loaded) } : game }));
}

/** @param {OpenGame} open @param {ServerMessage & { type: "game" }} message */
function shown(open, message) {
  const before = open.loaded;
  const none = { red: undefined, blue: undefined };
  /** @type {LoadedGame} */
  const loaded = {
    game: message.game,
    view: message.view,
    epoch: message.epoch,
    seq: message.seq,
    presence: message.presence,
    left: message.left ?? { red: false, blue: false },
    claimableAt: { ...none, ...message.claimable_at },
    rematch: message.rematch ?? [],
    abort: message.abort ?? undefined,
  };
  const isNewEpoch = before !== undefined && before.epoch !== message.epoch;
  const isSeat = message.audience !== "public";
  const game = {
    ...open,
    loaded,
    isAsked: false,
    trouble: undefined,
    isSuperseded: isSeat && !message.driving,
    isNewEpoch: isNewEpoch || (open.isNewEpoch && before?.seq === message.seq),
  };
  return { game, news: [/** @type {GameNews} */ ({ kind: "view", game: open.id })] };
}

/** @param {OpenGame} open @param {ServerMessage & { type: "event" }} message */
function happened(open, message) {
  const before = open.loaded;
  if (!before || message.seq <= before.seq) return { game: open };
  if (message.seq > before.seq + 1) return { game: open, isBehind: !open.isAsked && !open.isSuperseded };
  const { event, change: changed } = message;
  const view = follow(before.view, event, changed);
  /** @type {LoadedGame} */
  const loaded = {
    ...before,
    view,
    seq: message.seq,
    game: { ...before.game, phase: view.phase, ply: view.ply, turn: view.turn, outcome: view.outcome },
    abort: message.abort ?? before.abort,
  };
  const news = /** @type {GameNews} */ ({
    kind: "event", game: open.id, event, change: changed, before: before.view, after: view,
  });
  return { game: { ...open, loaded, isNewEpoch: false }, news: [news] };
}
