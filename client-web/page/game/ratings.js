// A rating over time as the lines of a picture.

/** @typedef {import("../../types/api").RatedGame} RatedGame */

export const PADS = { left: 44, right: 12, top: 12, bottom: 26 };
/** In units of the picture, so that its letters have one size everywhere. */
export const SIZES = { wide: { width: 720, height: 220 }, narrow: { width: 330, height: 190 } };

/**
 * Where the points of a chart lie: a line through the ratings, and a band of one deviation.
 * @param {readonly RatedGame[]} games The latest first.
 * @param {{ width: number, height: number }} size
 */
export function chartOf(games, size = SIZES.wide) {
  const points = games.filter(({ undone }) => !undone).map(({ at, after }) => ({ at, ...after })).reverse();
  const low = Math.floor((Math.min(...points.map(({ rating, deviation }) => rating - deviation)) - 10) / 100) * 100;
  const high = Math.ceil((Math.max(...points.map(({ rating, deviation }) => rating + deviation)) + 10) / 100) * 100;
  const across = size.width - PADS.left - PADS.right;
  const down = size.height - PADS.top - PADS.bottom;
  /** @param {number} index */
  const x = (index) => PADS.left + (points.length < 2 ? across / 2 : (index / (points.length - 1)) * across);
  /** @param {number} rating */
  const y = (rating) => PADS.top + ((high - rating) / (high - low)) * down;
  /** @param {(point: typeof points[number]) => number} value */
  const path = (value) => points.map((point, index) => `${round(x(index))} ${round(y(value(point)))}`);
  const step = Math.max(100, Math.ceil((high - low) / 4 / 100) * 100);
  const ticks = [];
  for (let rating = low; rating <= high; rating += step) ticks.push({ rating, y: round(y(rating)) });
  return {
    points: points.map((point, index) => ({ x: round(x(index)), y: round(y(point.rating)), isProvisional: point.provisional ?? false })),
    line: `M${path(({ rating }) => rating).join("L")}`,
    band: `M${[...path(({ rating, deviation }) => rating + deviation), ...path(({ rating, deviation }) => rating - deviation).reverse()].join("L")}Z`,
    ticks,
    first: points[0]?.at ?? 0,
    last: points.at(-1)?.at ?? 0,
  };
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}
