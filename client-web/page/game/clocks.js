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
