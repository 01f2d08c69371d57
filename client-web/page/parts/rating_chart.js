// A rating over time as a picture.

import { PADS, SIZES, chartOf } from "../game/ratings.js";
import { h } from "../vendor/library.js";
import { dateText } from "./load.js";

/** @typedef {import("../../types/api").RatedGame} RatedGame */

/** @param {{ games: readonly RatedGame[], label: string }} props */
export function RatingChart({ games, label }) {
  const size = matchMedia("(max-width: 560px)").matches ? SIZES.narrow : SIZES.wide;
  const { points, line, band, ticks, first, last } = chartOf(games, size);
  const { width, height } = size;
  const { left, right, bottom } = PADS;
  const foot = height - bottom;
  return h("svg", { class: "rating-chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    ticks.map(({ rating, y }) => [
      h("line", { class: "chart-grid", x1: left, x2: width - right, y1: y, y2: y }),
      h("text", { class: "chart-text", x: left - 8, y: y + 4, "text-anchor": "end" }, rating),
    ]),
    h("path", { class: "chart-band", d: band }),
    h("path", { class: "chart-line", d: line }),
    // The last games only, or the points run into each other.
    points.slice(points.length > 60 ? -1 : 0).map(({ x, y, isProvisional }, index) =>
      h("circle", { key: index, class: isProvisional ? "chart-point provisional" : "chart-point", cx: x, cy: y, r: 4 })),
    h("text", { class: "chart-text", x: left, y: foot + 20 }, dateText(first)),
    h("text", { class: "chart-text", x: width - right, y: foot + 20, "text-anchor": "end" }, dateText(last)));
}
