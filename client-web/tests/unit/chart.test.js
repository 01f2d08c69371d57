// The chart of a rating.

import assert from "node:assert/strict";
import test from "node:test";
import { chartOf } from "../../page/game/ratings.js";

/**
 * @param {number} at @param {number} rating
 * @param {Partial<import("../../types/api").RatedGame>} [fields]
 */
const game = (at, rating, fields = {}) => /** @type {import("../../types/api").RatedGame} */ ({
  game: "0123456789ab", at, opponent: { id: "x", name: "x", kind: "account" }, score: "won",
  before: { rating: 1_500, deviation: 100 }, after: { rating, deviation: 50, provisional: at < 3 }, ...fields,
});

test("a chart goes from the first game to the last, within its picture", () => {
  const chart = chartOf([game(3, 1_700), game(2, 1_400), game(1, 1_500)]);
  assert.deepEqual([chart.first, chart.last, chart.points.length], [1, 3, 3]);
  const [first, second, last] = chart.points;
  assert.ok(first && second && last);
  assert.ok(first.x < second.x && second.x < last.x && last.y < first.y && first.y < second.y, "higher is above");
  assert.deepEqual(chart.points.map(({ isProvisional }) => isProvisional), [true, true, false]);
  for (const { y } of chart.ticks) assert.ok(y >= 0 && y <= 220);
  const numbers = [...chart.band.matchAll(/[\d.]+/g)].map(Number);
  assert.equal(numbers.length, 12);
  assert.ok(numbers.every((number) => number >= 0 && number <= 720));
});

test("one game is a point, and games that were taken back are left out", () => {
  const chart = chartOf([game(2, 1_600, { undone: true }), game(1, 1_500)]);
  assert.equal(chart.points.length, 1);
  assert.doesNotMatch(chart.line + chart.band, /NaN|Infinity/);
});
