// What the player waits with for an opponent: a place in the pool, their offers to all, a link for a
// friend. Without a socket or a clock, like the line, which it follows. A hidden tab keeps its line
// meanwhile, because the server soon ends the waits of a player without one. If it does, the page
// says so.

/** @typedef {import("./line.js").Line} Line */
/** @typedef {import("./line.js").Request} Request */
/** @typedef {import("../../types/messages").Terms} Terms */
/** @typedef {import("../../types/messages").Seek} Seek */
/** @typedef {import("../../types/messages").GameSummary} GameSummary */
/** @typedef {import("../../types/messages").ServerMessage} ServerMessage */

/**
 * @typedef {object} Waits
 * @property {string | undefined} player
 * @property {boolean} isUp
 * @property {readonly string[]} games The player's games, as far as the page knows.
 * @property {Line["lobby"]} lobby
 * @property {boolean} isLobbyOld It was sent before the link was lost.
 * @property {readonly Seek[]} seeks The player's own.
 * @property {Line["pool"]} pool
 * @property {boolean} isPoolOld
 * @property {Terms | undefined} terms What the player waits for in the pool, if they have entered it on this page.
 * @property {ServerMessage & { type: "challenge" } | undefined} challenge The player's own that was shown last.
 */

/** `gone`: what has ended. `begun`: games that no message announced. @typedef {{ waits: Waits, gone: Request[], begun: GameSummary[] }} Followed */

/** @type {Waits} */
export const NO_WAITS = {
  player: undefined, isUp: false, games: [], lobby: undefined, isLobbyOld: false, seeks: [], pool: undefined, isPoolOld: false, terms: undefined,
  challenge: undefined,
};

/** The server lists at most this many seeks, so a list of this length may lack some. */
const MOST_SEEKS = 80;

/** @param {Waits} waits @param {number} now By the server's clock. */
export function isWaiting({ pool, seeks, challenge }, now) {
  return pool !== undefined || seeks.length > 0 || (challenge !== undefined && challenge.expires > now);
}

/** Follows a change of the line. @param {Waits} before @param {Line} line @returns {Followed} */
export function follow(before, line) {
  if (line.link !== "up") return { waits: { ...before, isUp: false, isLobbyOld: true, isPoolOld: true }, gone: [], begun: [] };
  const player = line.player?.id;
  const games = line.ownGames.map(({ id }) => id);
  const known = player === before.player ? before : { ...NO_WAITS, player, games, isUp: true };
  const started = line.ownGames.filter(({ id }) => !known.games.includes(id));
  const waits = afterAsked(afterStart(known, started), line);
  const isTold = line.pool !== known.pool;
  // A filter may hide the player's offers.
  const whole = line.lobby?.filter ? undefined : line.lobby;
  const { seeks, gone } = whole && whole !== known.lobby ? compare(waits, whole.seeks) : { seeks: waits.seeks, gone: [] };
  const lobby = whole ?? known.lobby;
  const isPoolGone = isTold && !line.pool && known.isPoolOld;
  return {
    waits: {
      ...waits, isUp: true, games, seeks, lobby, isLobbyOld: waits.isLobbyOld && lobby === known.lobby,
      pool: line.pool, isPoolOld: waits.isPoolOld && !isTold, terms: isTold && !line.pool ? undefined : waits.terms,
    },
    gone: isPoolGone && waits.terms ? [...gone, { type: "enter_pool", terms: waits.terms }] : gone,
    begun: known.isUp || !isWaiting(known, 0) ? [] : started,
  };
}

/** The server does not say which offer has become a game. @param {Waits} waits @param {readonly GameSummary[]} started @returns {Waits} */
function afterStart(waits, started) {
  if (started.length === 0) return waits;
  const taken = started.map(({ terms }) => JSON.stringify(terms));
  return { ...waits, terms: undefined, challenge: undefined, seeks: waits.seeks.filter(({ terms }) => !taken.includes(JSON.stringify(terms))) };
}

/** What the player is about to change. @param {Waits} waits @param {Line} line @returns {Waits} */
function afterAsked(waits, { unanswered }) {
  return unanswered.reduce((waits, { command }) => {
    switch (command.type) {
      case "enter_pool": return { ...waits, terms: command.terms };
      case "leave_pool": return { ...waits, terms: undefined };
      case "cancel_challenge": return { ...waits, challenge: undefined };
      case "cancel_seek": return { ...waits, seeks: waits.seeks.filter(({ id }) => id !== command.seek) };
      default: return waits;
    }
  }, waits);
}

/** @param {Waits} waits @param {readonly Seek[]} listed @returns {{ seeks: readonly Seek[], gone: Request[] }} */
function compare({ player, seeks, isLobbyOld }, listed) {
  if (listed.length >= MOST_SEEKS) return { seeks, gone: [] };
  const own = listed.filter(({ seeker }) => seeker.id === player);
  // As long as there is a link, the player ends offers themselves, or somebody accepts them.
  const missing = isLobbyOld ? seeks.filter(({ id }) => !own.some((seek) => seek.id === id)) : [];
  return { seeks: own, gone: missing.map(again) };
}

/** @param {Seek} seek @returns {Request} */
function again({ terms, side, rating }) {
  return { type: "seek", terms, ...(side && { side }), ...(rating && { rating: { kind: "between", ...rating } }) };
}

/** Follows a message that the line passes on; the lobby, if no page shows it. @param {Waits} waits @param {ServerMessage} message @returns {Followed} */
export function hear(waits, message) {
  const same = { waits, gone: [], begun: [] };
  switch (message.type) {
    case "challenge": return message.challenger.id === waits.player ? { ...same, waits: { ...waits, challenge: message } } : same;
    case "challenge_answered": return message.challenge === waits.challenge?.challenge ? { ...same, waits: { ...waits, challenge: undefined } } : same;
    case "lobby": {
      const { seeks, gone } = compare(waits, message.seeks);
      return { ...same, waits: { ...waits, seeks, isLobbyOld: false }, gone };
    }
    default: return same;
  }
}
