// A record as moments that can be shown one after the other, and what charts count in it. It
// needs no rules: each event has its change.

import { follow } from "./follow.js";
import { parsePiece, squareOf, squaresOf } from "./rules.js";

/** @typedef {import("../../types/messages").GameRecord} GameRecord */
/** @typedef {import("../../types/messages").RecordedEvent} RecordedEvent */
/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").Side} Side */
/** @typedef {import("./rules.js").Rules} Rules */

/** Whose record it is: as an audience saw the game live, or with every rank open. */
export const SCOPES = /** @type {const} */ (["red", "blue", "public", "all"]);
/** @typedef {typeof SCOPES[number]} Scope */

/**
 * A view and the event that led to it. The first moment is the start of play, so `entry` can be
 * undefined only there.
 * @typedef {object} Moment
 * @property {GameView} view
 * @property {RecordedEvent | undefined} entry
 * @property {number} at In milliseconds since 1970.
 */

/** Why a record cannot be shown: a key of the page's words. */
export class WrongRecord extends Error {
  /**
   * @param {"no-views" | "no-rules" | "broken" | "too-large" | "not-json" | "not-a-record"} key
   * @param {string} [detail]
   */
  constructor(key, detail = "") {
    super(`${key} ${detail}`.trim());
    this.key = key;
    this.detail = detail;
  }
}

/**
 * The moments of a record. The deployments before the start are left out: only their ends can be
 * seen. Throws `WrongRecord`.
 * @param {GameRecord} record @param {Rules | undefined} rules @returns {Moment[]}
 */
export function momentsOf(record, rules) {
  if (!rules) throw new WrongRecord("no-rules", record.terms.ruleset);
  if (!record.first_view) throw new WrongRecord("no-views");
  const squares = new Set(squaresOf(rules));
  /** @type {Moment[]} */
  let moments = [{ view: record.first_view, entry: undefined, at: record.created }];
  let view = record.first_view;
  try {
    check(view, squares);
    for (const entry of record.events) {
      if (!entry.change) throw new WrongRecord("no-views");
      view = follow(view, entry.event, entry.change);
      check(view, squares);
      const moment = { view, entry, at: entry.at };
      if (view.phase === "deploying" || entry.event.kind === "started") moments = [moment];
      else moments.push(moment);
    }
  } catch (error) {
    throw error instanceof WrongRecord ? error : new WrongRecord("broken", String(error));
  }
  return moments;
}

/**
 * A file can say anything: all pieces stand on squares, one on each.
 * @param {GameView} view @param {Set<string>} squares
 */
function check(view, squares) {
  const taken = new Set();
  for (const piece of view.pieces) {
    const { square } = parsePiece(piece);
    if (!squares.has(square) || taken.has(square)) throw new WrongRecord("broken", piece);
    taken.add(square);
  }
}

/** True if the game of a record is over. @param {GameRecord} record */
export function isOver(record) {
  return Boolean(record.outcome);
}

/**
 * A moment by the `ply` of an address: the turn that was this ply, or `end`.
 * @param {readonly Moment[]} moments @param {string | undefined} ply
 */
export function indexOfPly(moments, ply) {
  if (ply === "end") return moments.length - 1;
  const found = moments.findIndex(({ view }) => view.ply >= Number(ply ?? 0));
  return found < 0 ? moments.length - 1 : found;
}

/**
 * The `ply` of an address that leads to a moment, or to one of the same turn.
 * @param {readonly Moment[]} moments @param {number} index
 */
export function plyOf(moments, index) {
  const isLast = index === moments.length - 1 && index > 0;
  return isLast ? "end" : String(moments[index]?.view.ply ?? 0);
}

/**
 * Why a scope is not open to somebody. Undefined if it is, as far as the record says.
 * @param {Scope} scope
 * @param {{ record: GameRecord, rules: Rules, own: Side | undefined, refused: readonly Scope[] }} known
 * `refused`: scopes that the server has refused already.
 * @returns {"not-over" | "aborted" | "secret" | undefined}
 */
export function whyClosed(scope, { record, rules, own, refused }) {
  if (scope === "public" || scope === own) return undefined;
  if (!record.outcome) return "not-over";
  if (record.outcome.reason === "aborted") return "aborted";
  if (refused.includes(scope)) return "secret";
  const { red, blue } = record.deployments;
  // The end opens both deployments to both players. Coins have none.
  const isOpen = own || (rules.start === "coins" ? !record.terms.secret : red && blue);
  return isOpen ? undefined : "secret";
}

/**
 * Which scope a record is that was asked for without one.
 * @param {GameRecord} record @param {Rules} rules @returns {Scope}
 */
export function scopeOf(record, rules) {
  const { red, blue } = record.deployments;
  const isOpen = rules.start === "coins" ? !record.terms.secret : red && blue;
  return record.kind === "opened" && isOpen ? "all" : record.audience;
}

/**
 * How long a side took for a turn.
 * @typedef {{ index: number, ply: number, side: Side, ms: number }} TurnTime
 */

/**
 * The time that each turn took, without pauses and without the delay of the network. Empty for
 * records without times.
 * @param {readonly Moment[]} moments @returns {TurnTime[]}
 */
export function turnTimes(moments) {
  /** @type {TurnTime[]} */
  const times = [];
  let since = moments[0]?.at ?? 0;
  /** @type {number | undefined} */
  let pausedAt;
  for (const [index, { view, entry, at }] of moments.entries()) {
    if (!entry) continue;
    const { event } = entry;
    const before = moments[index - 1]?.view;
    if (event.kind === "paused") pausedAt = event.since;
    if (event.kind === "resumed" && pausedAt !== undefined) {
      since += Math.max(0, (event.since ?? at) - pausedAt);
      pausedAt = undefined;
    }
    if (!before || view.ply <= before.ply || !("side" in event)) continue;
    times.push({ index, ply: view.ply, side: event.side, ms: Math.max(0, at - since - (entry.lag_ms ?? 0)) });
    since = at;
  }
  return times.some(({ ms }) => ms > 0) ? times : [];
}

/**
 * How many pieces a side has left in each moment.
 * @param {readonly Moment[]} moments @param {Rules} rules @param {Side} side
 */
export function piecesLeft(moments, rules, side) {
  const army = sum(rules.army);
  return moments.map(({ view }) => army - sum(view.captured[side]));
}

/**
 * How many pieces on the board have a rank that everybody knows.
 * @param {readonly Moment[]} moments @param {Side} side
 */
export function piecesKnown(moments, side) {
  const letter = side === "red" ? "r" : "b";
  return moments.map(({ view }) => view.pieces.filter((text) =>
    text[squareOf(text).length] === letter && text.includes("*")).length);
}

/**
 * What a side's clock showed in each moment. Undefined without clocks.
 * @param {readonly Moment[]} moments @param {Side} side
 */
export function clockTimes(moments, side) {
  const times = moments.map(({ view }) => view.clock?.remaining_ms[side]);
  return times.every((ms) => ms !== undefined) ? times : undefined;
}

/** @param {Record<string, number>} counts */
function sum(counts) {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}

/**
 * @typedef {"kept" | "broken" | "unknown"} Held Whether a deployment is the one of its commitment.
 */

/**
 * Holds the opened deployments against the commitments of the start. `unknown`: not opened, or
 * this browser cannot compute it.
 * @param {GameRecord} record @param {(bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>} sha256
 * @returns {Promise<Record<Side, Held>>}
 */
export async function holdCommitments(record, sha256) {
  /** @param {Side} side @returns {Promise<Held>} */
  const hold = async (side) => {
    const [commitment, opened] = [record.commitments[side], record.deployments[side]];
    if (!commitment || !opened) return "unknown";
    const text = ["flagfall-commitment-1", record.game, side, opened.setup].join("\0");
    const bytes = new Uint8Array([...new TextEncoder().encode(`${text}\0`), ...bytesOf(opened.salt)]);
    const digest = await sha256(bytes).catch(() => undefined);
    if (!digest) return "unknown";
    return hexOf(digest) === commitment ? "kept" : "broken";
  };
  return { red: await hold("red"), blue: await hold("blue") };
}

/** @param {string} hex */
function bytesOf(hex) {
  return (hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
}

/** @param {Uint8Array} bytes */
function hexOf(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
