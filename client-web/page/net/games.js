// The open games of a line: how each message changes what the page knows of them. No DOM, no
// clock.

import { follow } from "../game/follow.js";

/** @typedef {import("../../types/messages").ServerMessage} ServerMessage */
/** @typedef {import("../../types/messages").ClientMessage} ClientMessage */
/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").GameEvent} GameEvent */
/** @typedef {import("../../types/messages").GameSummary} GameSummary */
/** @typedef {import("../../types/messages").ViewChange} ViewChange */
/** @typedef {import("../../types/messages").Side} Side */
/** @template T @typedef {import("../../types/messages").PerSide<T>} PerSide */

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
 * @property {boolean} isNewEpoch True if the server lost moves, until the player has seen it.
 * @property {boolean} isAsked True while an answer to `open_game` is on its way.
 * @property {{ code: string | null, message: string } | undefined} trouble Why it cannot be shown.
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
        return open?.loaded && !open.isAsked && seq > open.loaded.seq;
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
  if (message.seq > before.seq + 1) return { game: open, isBehind: !open.isAsked };
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
