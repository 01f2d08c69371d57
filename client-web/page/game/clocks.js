// Clocks on the page. The server's clock decides; this shows it.

/** @typedef {import("../../types/messages").Clock} Clock */
/** @typedef {import("../../types/messages").Side} Side */
/** @typedef {import("../../types/messages").Speed} Speed */
/** @typedef {import("../words.js").Words} Words */

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

/** The least and the most of each number of a clock, as the server takes them. */
export const BOUNDS = { base_s: [10, 86_400], increment_s: [0, 3_600], free_s: [1, 3_600], days: [1, 14] };

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

/** Reads the code of a clock. Undefined if the server would not take it. @param {string} code @returns {Time | undefined} */
export function readClock(code) {
  if (code === "none") return { kind: "unlimited" };
  const days = /^(\d+)days?$/.exec(code);
  if (days) return allowed({ kind: "correspondence", days: Number(days[1]) });
  const [, base, unit, kind, more] = /^(\d+)(s?)([+d])(\d+)$/.exec(code) ?? [];
  if (!kind) return undefined;
  const base_s = Number(base) * (unit ? 1 : 60);
  return allowed(kind === "d" ? { kind: "delay", base_s, free_s: Number(more) } : { kind: "fischer", base_s, increment_s: Number(more) });
}

/** A clock if the server takes it. @param {Time} time @returns {Time | undefined} */
export function allowed(time) {
  const isWithin = Object.entries(BOUNDS).every(([name, [least = 0, most = 0]]) => {
    const value = /** @type {Record<string, unknown>} */ (time)[name];
    return value === undefined || (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most);
  });
  return isWithin ? time : undefined;
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
