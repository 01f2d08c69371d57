// What all modules of a game name: squares, pieces, moves and ranks as the protocol writes them;
// rulesets as data, for no part of the page looks at a ruleset's name; and clocks.

/** @typedef {import("../../types/messages").Side} Side */
/** @typedef {import("../../types/messages").Rank} Rank */
/** @typedef {import("../../types/messages").ChipColor} ChipColor */

/**
 * A piece as a viewer knows it. `identity` is a rank's letter, `?`, `o` for a coin, or a list of
 * letters in brackets.
 * @typedef {object} Piece
 * @property {string} square
 * @property {Side} side
 * @property {string} identity
 * @property {boolean} moved
 * @property {boolean} revealed True if its rank is public.
 * @property {boolean} labeled
 */

/** The ranks with their letters, from the Flag to the Phoenix. @type {[Rank, string][]} */
const LETTERS = [
  ["flag", "F"], ["bomb", "B"], ["spy", "S"], ["scout", "9"], ["miner", "8"], ["sergeant", "7"],
  ["lieutenant", "6"], ["captain", "5"], ["major", "4"], ["colonel", "3"], ["general", "2"],
  ["marshal", "1"], ["phoenix", "P"],
];

/** Both sides; Red moves first. @type {readonly Side[]} */
export const SIDES = ["red", "blue"];

/** All ranks, from the Flag to the Phoenix. */
export const RANKS = LETTERS.map(([rank]) => rank);

/** The colors of chips, in the order of their keys. @type {ChipColor[]} */
export const COLORS = ["red", "yellow", "blue", "green"];

const letterByRank = new Map(LETTERS);
const rankByLetter = new Map(LETTERS.map(([rank, letter]) => [letter, rank]));

/** @param {Rank} rank */
export function letterOf(rank) {
  return letterByRank.get(rank) ?? "?";
}

/** The rank of an identity, if it is known. @param {string} identity */
export function rankOf(identity) {
  return rankByLetter.get(identity.toUpperCase());
}

/** The ranks that a piece can have, if its identity is a list of them. @param {string} identity */
export function ranksOf(identity) {
  if (!identity.startsWith("[")) return [];
  return [...identity.slice(1, -1)].flatMap((letter) => rankByLetter.get(letter) ?? []);
}

/** @param {Rank} rank */
export function isMovable(rank) {
  return rank !== "flag" && rank !== "bomb";
}

/** True if pieces of this rank go any distance. @param {Rank} rank */
export function isRunner(rank) {
  return rank === "scout" || rank === "phoenix";
}

const EU_FIGURES = new Map([
  ["9", "2"], ["8", "3"], ["7", "4"], ["6", "5"], ["5", "6"], ["4", "7"], ["3", "8"], ["2", "9"], ["1", "10"],
]);

/** The figure of a rank's letter in either numbering. @param {string} letter @param {"us" | "eu"} numbering */
export function figureOf(letter, numbering) {
  return numbering === "eu" ? EU_FIGURES.get(letter) ?? letter : letter;
}

/** @param {Side} side @returns {Side} */
export function opponentOf(side) {
  return side === "red" ? "blue" : "red";
}

/** The column of a square, from 0. @param {string} square */
export function columnOf(square) {
  return square.charCodeAt(0) - 97;
}

/** The row of a square, from 0. @param {string} square */
export function rowOf(square) {
  return Number(square.slice(1)) - 1;
}

/** @param {number} column @param {number} row */
export function squareAt(column, row) {
  return String.fromCharCode(97 + column) + (row + 1);
}

/** Orders squares by rows from Red's back row, each row from the left. @param {string} a @param {string} b */
export function compareSquares(a, b) {
  return rowOf(a) - rowOf(b) || columnOf(a) - columnOf(b);
}

const PIECE = /^([a-p](?:10|[1-9]))([rb])(\[[^\]]+\]|.)('?)(\*?)(\^?)$/u;

/** @param {string} text @returns {Piece} */
export function parsePiece(text) {
  const match = PIECE.exec(text);
  if (!match) throw new Error(`not a piece: ${text}`);
  const [, square = "", side, identity = "?", moved, revealed, labeled] = match;
  return {
    square,
    side: side === "r" ? "red" : "blue",
    identity,
    moved: moved !== "",
    revealed: revealed !== "",
    labeled: labeled !== "",
  };
}

/** The square of a piece's text. @param {string} text */
export function squareOf(text) {
  return text.startsWith("10", 1) ? text.slice(0, 3) : text.slice(0, 2);
}

const MOVE = /^([a-p](?:10|[1-9]))([a-p](?:10|[1-9]))$/;

/** @param {string} text @returns {{ from: string, to: string }} */
export function parseMove(text) {
  const match = MOVE.exec(text);
  if (!match) throw new Error(`not a move: ${text}`);
  return { from: match[1] ?? "", to: match[2] ?? "" };
}

/** The chips of a move, as in `a7a8=g`. @param {string} text @returns {{ squares: string[], color: ChipColor }} */
export function parseLaid(text) {
  const [squares = "", letter = ""] = text.split("=");
  const color = colorOf(letter);
  if (!color) throw new Error(`not chips: ${text}`);
  return { squares: squares.match(/[a-p](?:10|[1-9])/g) ?? [], color };
}

/** The color with this letter. @param {string} letter */
export function colorOf(letter) {
  return COLORS.find((color) => color[0] === letter.toLowerCase());
}

// Rulesets as data.

/** @typedef {import("../words.js").Words} Words */

/**
 * An option that a custom game may change.
 * @typedef {object} RuleOption
 * @property {string} name
 * @property {string} value The value in the unchanged ruleset.
 * @property {{ name: string, meaning: string }[]} values
 */

/**
 * A ruleset, as `/api/rulesets` lists it.
 * @typedef {object} Rules
 * @property {string} id
 * @property {string} title
 * @property {string} summary
 * @property {number} columns
 * @property {number} rows
 * @property {number} home_rows How many rows each side deploys on.
 * @property {Record<string, number>} army How many pieces a side has, by the letters of their ranks.
 * @property {boolean} may_leave_empty True if home squares may stay empty in a deployment.
 * @property {"deployments" | "coins"} start How a game begins.
 * @property {string[] | "drawn"} lakes Where the lakes are, or that each game draws them.
 * @property {string[]} joined_columns Columns whose top and bottom squares are neighbors.
 * @property {number[]} joined_rows Rows whose first and last squares are neighbors.
 * @property {boolean} strikes_afar True if a piece may strike at the end of a long move.
 * @property {boolean} illegal_act_loses True if an illegal act is accepted and loses.
 * @property {boolean} reserve True if there are more pieces than home squares; the rest waits.
 * @property {boolean} labels
 * @property {boolean} chips True if a piece that lands lays a chip.
 * @property {boolean} supply_lines True if pieces go along lines of chips of one color.
 * @property {Partial<Record<Rank, number>>} flashes The ranks that flash over chips, and how far.
 * @property {RuleOption[]} options
 * @property {Rank} spy_beats The rank that a Spy beats by striking it.
 * @property {"both" | "attacker" | "defender"} ties Who leaves, or stays, when equals meet.
 * @property {"both" | "silent"} disclosure Whose rank a strike shows.
 * @property {"stay" | "leave"} bombs What becomes of a Bomb that beats its attacker.
 * @property {boolean} winner_advances True if a defender that wins takes its attacker's square.
 * @property {number | null} two_squares_limit How often a piece may go back and forth, in a row.
 * @property {boolean} more_squares True if a chase may not bring back a position.
 * @property {boolean} blocked_draws True if the game is a draw when neither side can move.
 * @property {number | null} quiet_limit Plies without a capture until the draw.
 * @property {number} ply_limit Plies until the draw.
 */

/** The change that an option makes to what pieces can do, or to why they cannot. @type {Record<string, (value: string) => Partial<Rules>>} */
const CHANGES = {
  "scout-strike": (value) => ({ strikes_afar: value === "far" }),
  bombs: (value) => ({ bombs: /** @type {Rules["bombs"]} */ (value) }),
  "two-squares": (value) => ({ two_squares_limit: value === "off" ? null : Number(value) }),
  "more-squares": (value) => ({ more_squares: value === "on" }),
};

/**
 * The rules of a game. A custom game's id lists its changes: `classic,scout-strike=near`.
 * @param {readonly Rules[]} rulesets @param {string} id @returns {Rules | undefined}
 */
export function rulesOf(rulesets, id) {
  const base = rulesets.find((rules) => rules.id === id.split(",")[0]);
  if (!base) return undefined;
  return changesOf(id).reduce((rules, [name, value]) => ({ ...rules, ...CHANGES[name]?.(value) }), base);
}

/** The changes of a custom game's id. @param {string} id @returns {[string, string][]} */
export function changesOf(id) {
  return id.split(",").slice(1).map((change) => {
    const [name = "", value = ""] = change.split("=");
    return [name, value];
  });
}

/** What a ruleset is called. @param {Rules} rules @param {Words} words */
export function titleOf(rules, words) {
  return words.sayOr(`ruleset-title-${rules.id}`, rules.title);
}

/** @param {Rules} rules @param {Words} words */
export function summaryOf(rules, words) {
  return words.sayOr(`ruleset-summary-${rules.id}`, rules.summary);
}

/** @param {string} option @param {{ name: string, meaning: string }} value @param {Words} words */
export function meaningOf(option, value, words) {
  return words.sayOr(`rule-${option}-${value.name}`, value.meaning);
}

/** What the changes of a custom game mean, in words. @param {Rules} rules @param {string} id @param {Words} words */
export function meaningsOf(rules, id, words) {
  return changesOf(id).map(([name, value]) => {
    const option = rules.options.find((option) => option.name === name);
    const known = option?.values.find((known) => known.name === value);
    return known ? meaningOf(name, known, words) : `${name} = ${value}`;
  });
}

/**
 * A side's home squares in the order of a deployment: the row nearest the enemy first, each row
 * from the player's own left to right.
 * @param {Rules} rules @param {Side} side
 */
export function homeSquares(rules, side) {
  const squares = [];
  for (let depth = 0; depth < rules.home_rows; depth++) {
    for (let place = 0; place < rules.columns; place++) {
      squares.push(side === "red"
        ? squareAt(place, rules.home_rows - 1 - depth)
        : squareAt(rules.columns - 1 - place, rules.rows - rules.home_rows + depth));
    }
  }
  return squares;
}

/** All squares of the board, by rows from Red's back row. @param {Rules} rules */
export function squaresOf({ columns, rows }) {
  return Array.from({ length: columns * rows }, (_, index) => squareAt(index % columns, Math.floor(index / columns)));
}

// Clocks. The server's clock decides; this shows it.

/** @typedef {import("../../types/messages").Clock} Clock */
/** @typedef {import("../../types/messages").Speed} Speed */

/** Below this, a clock is low and shows tenths. */
export const LOW_MS = 10_000;

/** Turns of a side after which a game is taken to be over, to tell how long it lasts. */
const PLIES = 40;

/**
 * The speed under which ratings of such games are kept. Undefined without a clock.
 * @param {import("../../types/messages").Time} time @returns {Speed | undefined}
 */
export function speedOf(time) {
  if (time.kind === "unlimited") return undefined;
  if (time.kind === "correspondence") return "correspondence";
  const seconds = time.base_s + PLIES * (time.kind === "fischer" ? time.increment_s : time.free_s);
  return seconds < 180 ? "bullet" : seconds < 480 ? "blitz" : seconds < 1_500 ? "rapid" : "classical";
}

/** @typedef {import("../../types/messages").Time} Time */

/** A clock as in addresses, and as the terminal client writes it: `10+5`, `90s+2`, `20d10`, `3days`, `none`. @param {Time} time */
export function clockCode(time) {
  switch (time.kind) {
    case "unlimited": return "none";
    case "correspondence": return `${time.days}days`;
    case "fischer": return `${baseCode(time.base_s)}+${time.increment_s}`;
    case "delay": return `${baseCode(time.base_s)}d${time.free_s}`;
  }
}

/** @param {number} seconds */
function baseCode(seconds) {
  return seconds % 60 === 0 ? `${seconds / 60}` : `${seconds}s`;
}

/** True if this side's clock runs. @param {Clock | null | undefined} clock @param {Side} side */
export function isRunning(clock, side) {
  return clock?.running === side || clock?.running === "both";
}

/**
 * What a side has left at a moment of the server's time.
 * @param {Clock} clock @param {Side} side @param {number} now @returns {{ ms: number, freeMs: number }}
 */
export function timeLeft(clock, side, now) {
  const ms = clock.remaining_ms[side];
  const freeMs = clock.free_ms?.[side] ?? 0;
  if (!isRunning(clock, side)) return { ms, freeMs };
  const passed = Math.max(0, now - clock.at);
  return { ms: Math.max(0, ms - Math.max(0, passed - freeMs)), freeMs: Math.max(0, freeMs - passed) };
}

/**
 * The parts of a clock's text: days and hours, hours and minutes, minutes and seconds, or seconds
 * and tenths. Full units are rounded up, so that 0:00 means that nothing is left.
 * @param {number} ms @param {Words} words
 */
export function clockText(ms, words) {
  if (ms < LOW_MS) {
    const tenths = Math.ceil(ms / 100);
    return `0:${String(Math.floor(tenths / 10)).padStart(2, "0")}.${tenths % 10}`;
  }
  const seconds = Math.ceil(ms / 1_000);
  const [minutes, hours, days] = [60, 3_600, 86_400].map((unit) => Math.floor(seconds / unit));
  const two = (/** @type {number} */ amount) => String(amount % 60).padStart(2, "0");
  if (days) return words.say("duration-days", { days, hours: Math.floor((seconds % 86_400) / 3_600) });
  return hours ? `${hours}:${two(minutes ?? 0)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/** In how many milliseconds the text of a running clock changes. @param {number} ms */
export function nextChange(ms) {
  const unit = ms <= LOW_MS ? 100 : 1_000;
  return ms <= 0 ? Infinity : ((ms - 1) % unit) + 1;
}

/**
 * How far the server's time is ahead of the page's. A message is never read before it was sent,
 * so of several estimates the largest is the closest. Old estimates are forgotten: clocks drift.
 */
export class ServerTime {
  /** @type {number[]} */
  #estimates = [];

  /** @param {number} serverTime @param {number} localTime */
  learn(serverTime, localTime) {
    this.#estimates = [...this.#estimates.slice(-11), serverTime - localTime];
  }

  /** The server's time at a moment of the page's time. @param {number} localTime */
  at(localTime) {
    return localTime + (this.#estimates.length > 0 ? Math.max(...this.#estimates) : 0);
  }
}
