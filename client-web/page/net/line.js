// The line to the server, without a socket, a DOM or a clock: messages, gestures and the time
// come in as inputs; what is to be done goes out as effects. state.js carries them out.

import { hear, openMessage, unopened } from "../game/follow.js";

/** @typedef {import("../../types/messages").ServerMessage} ServerMessage */
/** @typedef {import("../../types/messages").ClientMessage} ClientMessage */
/** @typedef {import("../../types/messages").Player} Player */
/** @typedef {import("../../types/messages").GameSummary} GameSummary */
/** @typedef {import("../../types/messages").Seek} Seek */
/** @typedef {import("../../types/messages").BriefSeek} BriefSeek */
/** @typedef {import("../game/follow.js").GameNews} GameNews */

/** A message that changes something and waits for its answer. @typedef {Extract<ClientMessage, { cmd_id: string }>} Command */
/** @typedef {{ command: Command, by: string | undefined, retryAt: number | undefined, refused?: { code: string, pause: number } }} Unanswered */

/**
 * @template T
 * @typedef {T extends { cmd_id: string } ? Omit<T, "cmd_id"> : never} WithoutId
 */

/** What the page asks for; the line adds the id. @typedef {WithoutId<Command>} Request */

/**
 * `down`: no link; `asleep`: closed on purpose because nobody looks.
 * @typedef {"down" | "connecting" | "greeting" | "up" | "asleep"} Link
 */

/**
 * @typedef {object} Line
 * @property {Link} link
 * @property {number} failures Failed tries since the last welcome.
 * @property {number} retryAt When to try next.
 * @property {number | undefined} lostAt Since when there is no link.
 * @property {boolean} isLost The bar says so.
 * @property {number} heardAt When the server was last heard.
 * @property {number | undefined} lastClose The code that ended the last link.
 * @property {string | undefined} fatal Why the page does not try again.
 * @property {boolean} isOffline
 * @property {number | undefined} hiddenAt
 * @property {boolean} isAwaiting A hidden tab is to hear of games and challenges.
 * @property {boolean} isStoreAway
 * @property {number} lead How far the server's clock is ahead.
 * @property {Player | undefined} player Undefined until the player's first act.
 * @property {string | undefined} page The hash of the page that the server has, if it says so.
 * @property {"none" | "asked" | "made"} session How far the making of a session is.
 * @property {number} claimSeconds
 * @property {boolean | undefined} hasAbout The server has a text of its operator.
 * @property {readonly Unanswered[]} unanswered
 * @property {import("../game/follow.js").Games} games
 * @property {readonly GameSummary[]} ownGames
 * @property {boolean} wantsLobby
 * @property {boolean} hasLobbyChanges The server can send changes of the lobby.
 * @property {import("../../types/messages").LobbyFilter} [filter]
 * @property {(ServerMessage & { type: "lobby", filter?: Line["filter"] }) | undefined} lobby
 * @property {import("../../types/messages").PoolStatus | undefined} pool
 */

/**
 * @typedef {{ kind: "opened" } | { kind: "closed", code: number } | { kind: "message", message: ServerMessage }
 *   | { kind: "tick" } | { kind: "online" } | { kind: "offline" } | { kind: "shown" } | { kind: "hidden" } | { kind: "await", isAwaiting: boolean }
 *   | { kind: "session", ok: boolean } | { kind: "ask", request: Request, id: string }
 *   | { kind: "open_game", game: string } | { kind: "close_game", game: string }
 *   | { kind: "seen_epoch", game: string } | { kind: "open_lobby", filter?: Line["filter"] } | { kind: "close_lobby" } | { kind: "retry" }
 *   | { kind: "look", message: ClientMessage }} Input
 */

/**
 * @typedef {{ kind: "connect" } | { kind: "disconnect" } | { kind: "send", message: ClientMessage }
 *   | { kind: "make_session" } | { kind: "server_time", time: number }
 *   | { kind: "answer", command: Command, message: ServerMessage & { type: "accepted" | "refused" } }
 *   | { kind: "message", message: ServerMessage } | { kind: "news", news: GameNews }} Effect
 */

/** @typedef {{ line: Line, effects: Effect[] }} Step */
/** The time, and a random number from 0 to 1. @typedef {{ now: number, random: number }} Moment */

/** A link on which nothing came for so long is lost. */
const SILENCE_MS = 10_000;
/** A tab that comes back trusts a link that it heard within this time. */
const FRESH_MS = 5_000;
/** A hidden tab without a live game closes its line after this time. */
const HIDDEN_MS = 60_000;
/** A command is repeated after this time at most if the server could not take it. Pauses double from 100 ms. */
const REPEAT_MS = 2_000;
/** A lost link, or a command that is not saved, is shown after this time. */
const BAR_MS = 1_000;

/** Refusals of the moment: the same is asked again. */
export const TEMPORARY = new Set(["store_unavailable", "stopping", "paused", "timed_out", "unreachable"]);
/** The time after which a page asks a question again that was refused for the moment. */
export const AGAIN_MS = 3_000;
/** Refusals that say that the page's view is out of date. */
const STALE = new Set(["stale_ply", "stale_epoch", "superseded"]);

/** @param {number} now @returns {Line} */
export function newLine(now) {
  return {
    link: "down", failures: 0, retryAt: now, lostAt: now, isLost: false, heardAt: now, lastClose: undefined, fatal: undefined,
    isOffline: false, hiddenAt: undefined, isAwaiting: false, isStoreAway: false, lead: 0, player: undefined, page: undefined, session: "none", claimSeconds: 60, hasAbout: undefined,
    unanswered: [], games: {}, ownGames: [], wantsLobby: false, hasLobbyChanges: false,
    lobby: undefined, pool: undefined,
  };
}

/** @param {Line} line @param {Input} input @param {Moment} moment @returns {Step} */
export function step(line, input, moment) {
  const { now } = moment;
  switch (input.kind) {
    case "tick": return tick(line, moment);
    case "opened": return {
      line: { ...line, link: "greeting", heardAt: now },
      effects: [send({ type: "hello", protocol: 1, client: "page", .../** @type {object} */ ({ session: true }) })],
    };
    case "closed": return closed(line, input.code, moment);
    case "message": return heard({ ...line, heardAt: now }, input.message, moment);
    case "offline": return { line: { ...line, isOffline: true, link: "down", lostAt: line.lostAt ?? now }, effects: [{ kind: "disconnect" }] };
    case "online": return tick({ ...line, isOffline: false, retryAt: now, failures: 0 }, moment);
    case "hidden": return { line: { ...line, hiddenAt: now }, effects: [] };
    case "await": return { line: { ...line, isAwaiting: input.isAwaiting }, effects: [] };
    case "shown": return lookedAt({ ...line, hiddenAt: undefined }, moment);
    case "retry": return tick({ ...line, fatal: undefined, retryAt: now, failures: 0 }, moment);
    case "session": return input.ok ? renew({ ...line, session: "made" }, moment) : sessionFailed(line);
    // A question that changes nothing. Without a link, the page asks it again itself.
    case "look": return { line, effects: whenUp(line, [input.message]) };
    case "ask": return ask(line, /** @type {Command} */ ({ ...input.request, cmd_id: input.id }));
    case "open_game": return openGame(line, input.game);
    case "close_game": {
      const { [input.game]: gone, ...games } = line.games;
      return { line: { ...line, games }, effects: gone ? whenUp(line, [{ type: "close_game", game: input.game }]) : [] };
    }
    case "seen_epoch": {
      const game = line.games[input.game];
      const games = game ? { ...line.games, [input.game]: { ...game, isNewEpoch: false } } : line.games;
      return { line: { ...line, games }, effects: [] };
    }
    case "open_lobby": return {
      line: { ...line, wantsLobby: true, filter: input.filter }, effects: whenUp(line, [openLobby({ ...line, filter: input.filter })]),
    };
    case "close_lobby": return {
      line: { ...line, wantsLobby: false, lobby: undefined }, effects: whenUp(line, [{ type: "close_lobby" }]),
    };
  }
}

/** When `tick` has something to do next. @param {Line} line */
export function wakeAt(line) {
  const times = line.unanswered.flatMap(({ retryAt }) => (line.link === "up" && retryAt !== undefined ? [retryAt] : []));
  if (line.link === "down" && mayTry(line)) times.push(line.retryAt);
  if (line.link === "connecting" || line.link === "greeting" || line.link === "up") times.push(line.heardAt + SILENCE_MS);
  if (line.lostAt !== undefined && !line.isLost) times.push(line.lostAt + BAR_MS);
  if (line.hiddenAt !== undefined && mayRest(line)) times.push(line.hiddenAt + HIDDEN_MS);
  return Math.min(Infinity, ...times);
}

/** @param {Line} line */
function mayRest(line) {
  return line.link === "up" && !line.isAwaiting && !hasLiveGame(line);
}

/** @param {number} code @returns {"again" | "slower" | "never"} */
function verdict(code) {
  if (code === 1013 || code === 4003) return "slower";
  if ([1002, 1003, 1007, 1008, 1009].includes(code) || (code >= 4100 && code < 4200)) return "never";
  return "again";
}

/**
 * Why the page does not try again: a key of its words.
 * @param {number} code @param {Player | undefined} player
 */
function fatalReason(code, player) {
  switch (code) {
    case 4100: case 4101: return player?.kind === "guest" ? "seat_gone" : "logged_out";
    case 4102: return "old_page";
    case 4103: return "account_closed";
    case 4105: return "too_many_tabs";
    default: return "broken_line";
  }
}

/** The pause before a try, with jitter. @param {number} failures @param {"again" | "slower" | "never"} how @param {number} random */
function pauseBefore(failures, how, random) {
  const full = how === "slower" ? 5_000 : failures <= 0 ? 0 : Math.min(5_000, 100 * 2 ** (failures - 1));
  return full * (0.5 + random / 2);
}

/** @param {ClientMessage} message @returns {Effect} */
function send(message) {
  return { kind: "send", message };
}

/** @param {Line} line @param {ClientMessage[]} messages @returns {Effect[]} */
function whenUp(line, messages) {
  return line.link === "up" ? messages.map(send) : [];
}

/** @param {Line} line */
function mayTry(line) {
  return !line.fatal && !line.isOffline;
}

/** @param {Line} line @param {Moment} moment @returns {Step} */
function tick(line, moment) {
  const { now } = moment;
  if (line.lostAt !== undefined && !line.isLost && now >= line.lostAt + BAR_MS) return tick({ ...line, isLost: true }, moment);
  if (line.link === "down" && mayTry(line) && line.retryAt <= now) {
    return { line: { ...line, link: "connecting", heardAt: now }, effects: [{ kind: "connect" }] };
  }
  if (line.link === "down" || line.link === "asleep") return { line, effects: [] };
  if (now >= line.heardAt + SILENCE_MS) {
    const lost = closed(line, 1006, moment);
    return { line: lost.line, effects: [{ kind: "disconnect" }, ...lost.effects] };
  }
  if (line.link !== "up") return { line, effects: [] };
  if (line.hiddenAt !== undefined && now >= line.hiddenAt + HIDDEN_MS && mayRest(line)) {
    return { line: { ...line, link: "asleep" }, effects: [{ kind: "disconnect" }] };
  }
  const due = line.unanswered.filter(({ retryAt }) => retryAt !== undefined && retryAt <= now);
  const unanswered = line.unanswered.map((one) => (due.includes(one) ? { ...one, retryAt: undefined } : one));
  return { line: { ...line, unanswered }, effects: due.map(({ command }) => send(command)) };
}

/** @param {Line} line @param {number} code @param {Moment} moment @returns {Step} */
function closed(line, code, { now, random }) {
  if (line.link === "down" || line.link === "asleep") return { line, effects: [] };
  const how = verdict(code);
  const failures = line.link === "up" ? 0 : line.failures + 1;
  return {
    line: {
      ...line,
      link: "down",
      failures,
      lastClose: code,
      lostAt: line.lostAt ?? now,
      retryAt: now + pauseBefore(failures, how, random),
      fatal: how === "never" ? fatalReason(code, line.player) : undefined,
      ...([4100, 4101, 4103].includes(code) && { player: undefined, ownGames: [] }),
      games: Object.fromEntries(Object.entries(line.games).map(([id, game]) => [id, { ...game, isAsked: false }])),
    },
    effects: [],
  };
}

/** A tab that was hidden is looked at again. @param {Line} line @param {Moment} moment @returns {Step} */
function lookedAt(line, moment) {
  const isFresh = line.link === "up" && moment.now - line.heardAt <= FRESH_MS;
  return isFresh || line.fatal || line.isOffline ? { line, effects: [] } : renew(line, moment);
}

/** Drops the link and connects at once. @param {Line} line @param {Moment} moment @returns {Step} */
function renew(line, { now }) {
  const isUp = line.link !== "down" && line.link !== "asleep";
  return {
    line: { ...line, link: "connecting", failures: 0, heardAt: now, retryAt: now, lostAt: line.lostAt ?? now },
    effects: [...(isUp ? [/** @type {Effect} */ ({ kind: "disconnect" })] : []), { kind: "connect" }],
  };
}

/** @param {Line} line @param {Command} command @returns {Step} */
function ask(line, command) {
  const asked = { ...line, unanswered: [...line.unanswered, { command, by: line.player?.id, retryAt: undefined }] };
  if (line.player) return { line: asked, effects: whenUp(line, [command]) };
  // What is asked between the session and its welcome waits for the welcome.
  if (line.session !== "none") return { line: asked, effects: [] };
  return { line: { ...asked, session: "asked" }, effects: [{ kind: "make_session" }] };
}

/** Without a session nothing can be asked: all that waits is refused. @param {Line} line @returns {Step} */
function sessionFailed(line) {
  return { line: { ...line, session: "none", unanswered: [] }, effects: line.unanswered.map((one) => refuse(one, "session_failed")) };
}

/** @param {Unanswered} one @param {string} code @returns {Effect} */
function refuse({ command }, code) {
  return { kind: "answer", command, message: { type: "refused", cmd_id: command.cmd_id, code, message: "" } };
}

/** @param {Line} line @returns {ClientMessage} */
function openLobby({ hasLobbyChanges, filter }) {
  return { type: "open_lobby", ...(hasLobbyChanges && { changes: true, filter }) };
}

/**
 * Inserts seeks that may share their seekers and terms with others of the list.
 * @param {Seek[]} seeks @param {BriefSeek[]} added
 */
function insertBrief(seeks, added) {
  for (const { at, seeker_of, terms_of, ...brief } of added) {
    const seeker = brief.seeker ?? seeks[seeker_of ?? -1]?.seeker;
    const terms = brief.terms ?? seeks[terms_of ?? -1]?.terms;
    if (seeker && terms) seeks.splice(at ?? seeks.length, 0, { ...brief, seeker, terms });
  }
}

/** @param {Line} line @param {ServerMessage & { type: "lobby_changed" }} message @returns {Step} */
function lobbyChanged(line, { number, change, players_online }) {
  const { lobby } = line;
  if (!lobby) return { line, effects: [] };
  if (number !== (lobby.number ?? 0) + 1) return { line, effects: whenUp(line, [openLobby(line)]) };
  const { removed = [], added = [], gone = [], came = [], progress = [] } = change;
  const seeks = lobby.seeks.filter((_, at) => !removed.includes(at));
  insertBrief(seeks, added);
  const games = lobby.games.filter(({ id }) => !gone.includes(id));
  for (const { at, game } of came) games.splice(at, 0, game);
  const changed = games.map((game) => {
    const now = progress.find((one) => one.game === game.id);
    return now ? { ...game, phase: now.phase, ply: now.ply, turn: now.turn } : game;
  });
  return { line: { ...line, lobby: { ...lobby, seeks, games: changed, players_online, number } }, effects: [] };
}

/** @param {Line} line @param {string} id @returns {Step} */
function openGame(line, id) {
  const game = line.games[id] ?? unopened(id);
  const isUp = line.link === "up";
  return {
    line: { ...line, games: { ...line.games, [id]: { ...game, isAsked: isUp } } },
    effects: whenUp(line, [openMessage(game)]),
  };
}

/** @param {Line} line @param {ServerMessage} message @param {Moment} moment @returns {Step} */
function heard(line, message, { now }) {
  const { games, news, ask: behind } = hear(line.games, message);
  const heardLine = behind.reduce((line, id) => openGame(line, id).line, { ...line, games });
  const effects = /** @type {Effect[]} */ ([
    ...news.map((news) => ({ kind: "news", news })),
    ...behind.flatMap((id) => (games[id] ? [send(openMessage(games[id]))] : [])),
  ]);
  const after = answered(heardLine, message, now);
  return { line: after.line, effects: [...effects, ...after.effects] };
}

/** @param {Line} line @param {ServerMessage} message @param {number} now @returns {Step} */
function answered(line, message, now) {
  switch (message.type) {
    case "welcome": return welcomed({ ...line, lead: message.server_time - now }, message);
    case "ping": return {
      line: { ...line, lead: message.server_time - now, pool: message.pool ?? undefined },
      effects: [send({ type: "pong", id: message.id }), { kind: "server_time", time: message.server_time }],
    };
    case "accepted": case "refused": return toCommand(line, message, now);
    case "lobby": return line.wantsLobby ? { line: { ...line, lobby: { ...message, filter: line.filter } }, effects: [] } : { line, effects: [{ kind: "message", message }] };
    case "lobby_changed": return lobbyChanged(line, message);
    case "my_games": return { line: { ...line, ownGames: message.games }, effects: [] };
    case "game_started": return {
      line: { ...line, pool: undefined, ownGames: [...line.ownGames.filter(({ id }) => id !== message.game.id), message.game] },
      effects: [{ kind: "message", message }],
    };
    case "event": {
      const isOver = message.event.kind === "ended";
      const ownGames = isOver ? line.ownGames.filter(({ id }) => id !== message.game) : line.ownGames;
      return { line: { ...line, ownGames }, effects: [] };
    }
    case "store_state": {
      const { available } = message;
      const id = message.game ?? undefined;
      const isMeant = (/** @type {Unanswered} */ { command }) => id === undefined || (command.type === "command" && command.game === id);
      const unanswered = line.unanswered.map((one) => (available && isMeant(one) ? { command: one.command, by: one.by, retryAt: now } : one));
      if (id === undefined) return { line: { ...line, isStoreAway: !available, unanswered }, effects: [] };
      const game = line.games[id];
      const games = game ? { ...line.games, [id]: { ...game, isStandingStill: !available } } : line.games;
      return { line: { ...line, games, unanswered }, effects: [] };
    }
    default: return { line, effects: [{ kind: "message", message }] };
  }
}

/** @param {Line} line @param {ServerMessage & { type: "welcome" }} message @returns {Step} */
function welcomed(line, message) {
  const games = Object.fromEntries(Object.entries(line.games).map(([id, game]) => [id, { ...game, isAsked: !game.isSuperseded, isStandingStill: false }]));
  // A page that has no session yet is anonymous: the server names no player.
  const player = /** @type {Player | undefined} */ (message.player);
  // Another player may have logged in.
  const isForeign = (/** @type {Unanswered} */ { by }) => player && by && by !== player.id;
  const kept = line.unanswered.filter((one) => !isForeign(one));
  const up = /** @type {Line} */ ({
    ...line, link: "up", failures: 0, lostAt: undefined, isLost: false, lastClose: undefined, fatal: undefined, games, player, page: message.page ?? undefined,
    isStoreAway: false, ownGames: message.games, claimSeconds: message.claim_seconds ?? 60, hasAbout: message.about,
    hasLobbyChanges: message.lobby_changes ?? false,
    unanswered: kept.map(({ command, by }) => ({ command, by: player?.id ?? by, retryAt: undefined })),
  });
  const messages = [
    // Opening a game takes it over. So a tab that was superseded does not open it again.
    ...Object.values(line.games).filter(({ isSuperseded }) => !isSuperseded).map(openMessage),
    ...(line.wantsLobby ? [openLobby(up)] : []),
    ...(player ? kept.map(({ command }) => command) : []),
  ];
  const effects = /** @type {Effect[]} */ ([{ kind: "server_time", time: message.server_time }, ...line.unanswered.filter(isForeign).map((one) => refuse(one, "session_changed")), ...messages.map(send)]);
  if (player || line.session === "asked") return { line: player ? { ...up, session: "none" } : up, effects };
  // The browser does not keep the cookie of a session that was just made, or has lost an older
  // one.
  const after = line.session === "made" ? sessionFailed(up)
    : up.unanswered.length > 0 ? { line: { ...up, session: /** @type {const} */ ("asked") }, effects: [/** @type {Effect} */ ({ kind: "make_session" })] }
    : { line: up, effects: [] };
  return { line: after.line, effects: [...effects, ...after.effects] };
}

/**
 * @param {Line} line @param {ServerMessage & { type: "accepted" | "refused" }} message @param {number} now
 * @returns {Step}
 */
function toCommand(line, message, now) {
  const waiting = line.unanswered.find(({ command }) => command.cmd_id === message.cmd_id);
  if (!waiting) return gameRefused(line, message);
  if (message.type === "refused" && TEMPORARY.has(message.code)) {
    const refused = { code: message.code, pause: Math.min(REPEAT_MS, 2 * (waiting.refused?.pause ?? 50)) };
    const unanswered = line.unanswered.map((one) => (one === waiting ? { ...one, retryAt: now + refused.pause, refused } : one));
    return { line: { ...line, unanswered }, effects: [] };
  }
  const answeredLine = { ...line, ...poolAfter(line, waiting.command, message, now), unanswered: line.unanswered.filter((one) => one !== waiting) };
  /** @type {Effect} */
  const answer = { kind: "answer", command: waiting.command, message };
  if (message.type === "refused" && STALE.has(message.code) && message.game && line.games[message.game]) {
    const game = line.games[message.game];
    if (message.code === "superseded" && game) {
      const games = { ...line.games, [message.game]: { ...game, isSuperseded: true } };
      return { line: { ...answeredLine, games }, effects: [answer] };
    }
    const opened = game?.isSuperseded ? { line: answeredLine, effects: [] } : openGame(answeredLine, message.game);
    return { line: opened.line, effects: [answer, ...opened.effects] };
  }
  return { line: answeredLine, effects: [answer] };
}

/**
 * The wait for an opponent begins and ends at once. The next ping says how many wait.
 * @param {Line} line @param {Command} command @param {ServerMessage & { type: "accepted" | "refused" }} message @param {number} now
 * @returns {Partial<Pick<Line, "pool">>}
 */
function poolAfter({ lead }, command, message, now) {
  if (message.type === "refused") return {};
  if (command.type === "leave_pool") return { pool: undefined };
  return command.type === "enter_pool" && message.outcome.kind === "done" ? { pool: { since: now + lead, waiting: 0 } } : {};
}

/** A refusal without a command: of `open_game`, most often. @param {Line} line @param {ServerMessage & { type: "accepted" | "refused" }} message @returns {Step} */
function gameRefused(line, message) {
  const game = message.type === "refused" && message.game ? line.games[message.game] : undefined;
  if (!game || message.type !== "refused") return { line, effects: [{ kind: "message", message }] };
  const { code, message: text, args } = message;
  const trouble = { code, message: text, args };
  return { line: { ...line, games: { ...line.games, [game.id]: { ...game, isAsked: false, trouble } } }, effects: [] };
}

/**
 * A new id of a command. Browsers make UUIDs only on https and on this machine: on plain http it is
 * put together here.
 * @param {Pick<Crypto, "getRandomValues"> & { randomUUID?: () => string }} [source]
 */
export function newId(source = crypto) {
  if (source.randomUUID) return source.randomUUID();
  const bytes = source.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** True if the player has a game open that is not over. @param {Line} line */
export function hasLiveGame(line) {
  return Object.values(line.games).some(({ loaded }) =>
    loaded && loaded.view.audience !== "public" && loaded.view.phase !== "over");
}

/** True if nothing is lost when the page is loaded anew: nobody plays, watches or waits here. @param {Line} line */
function isBetweenGames({ games, pool, unanswered }) {
  return !pool && unanswered.length === 0 && Object.values(games).every(({ loaded }) => loaded?.view.phase === "over");
}

/** The commands of a game that wait for their answers. @param {Line} line @param {string} game */
export function underWay(line, game) {
  return line.unanswered.flatMap(({ command }) => (command.type === "command" && command.game === game ? [command] : []));
}

/**
 * What the bar above the page says: a key of its words. `canRetry`: trying again can help.
 * @param {Line} line @param {string | undefined} id The game that is shown.
 * @param {string} [build] The hash of the page that is open.
 * @returns {{ key: string, move?: string, canRetry?: boolean } | undefined}
 */
export function barOf(line, id, build) {
  if (line.fatal) return { key: line.fatal, canRetry: line.fatal !== "account_closed" };
  if (line.isOffline) return { key: "offline" };
  if (line.link !== "up" && line.lastClose === 1013) return { key: "store_away" };
  if (line.link !== "up" && line.lastClose === 4000) return { key: "restarting" };
  if (line.isLost) {
    const last = id === undefined ? undefined : underWay(line, id).at(-1)?.command;
    return last?.kind === "move" ? { key: "reconnecting", move: last.move } : { key: "reconnecting" };
  }
  const game = id === undefined ? undefined : line.games[id];
  if (game?.isSuperseded) return { key: "superseded" };
  const isUnsaved = line.unanswered.some(({ command, refused }) => refused?.code === "store_unavailable" && refused.pause >= BAR_MS && ("game" in command ? command.game : undefined) === id);
  if (line.isStoreAway || game?.isStandingStill || isUnsaved) return { key: "store_away" };
  if (game?.trouble?.code === "game_quarantined") return { key: "quarantined" };
  if (game?.isNewEpoch) return { key: "new_epoch" };
  if (game?.loaded?.view.paused) return { key: "paused" };
  if (build && line.page && line.page !== build && isBetweenGames(line)) return { key: "new_page" };
  return undefined;
}
