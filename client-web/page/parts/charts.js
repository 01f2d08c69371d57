// Charts as our own SVG: lines or bars over a common axis, with a table behind each. They show
// what they are given and know nothing of games.

import { h, useMemo, useState } from "../vendor/library.js";
import { say } from "../state.js";

/** A value at a place of the axis. @typedef {{ x: number, y: number }} Point */

/**
 * What is drawn together. The looks differ by more than color: Red is a solid line or a bar
 * upward, Blue a dashed line or a bar downward.
 * @typedef {object} Series
 * @property {string} name
 * @property {"red" | "blue" | "own"} look
 * @property {readonly Point[]} points By rising x.
 */

/**
 * A table behind a chart, made when it is opened.
 * @typedef {() => { head: string[], rows: string[][] }} Table
 */

/**
 * @typedef {object} ChartProps
 * @property {string} title
 * @property {string} summary What the chart shows, for those who do not see it.
 * @property {readonly Series[]} series
 * @property {[number, number]} range The ends of the axis.
 * @property {(y: number) => string} format
 * @property {Table} table
 * @property {number} [from] The lowest value of the scale; without it, that of the points.
 * @property {number} [at] The place that is marked, whose values are shown.
 * @property {(x: number) => void} [goTo] A place was pressed.
 */

const WIDTH = 400;
const HEIGHT = 96;
/** Room for the thickness of lines. */
const EDGE = 3;

/** Lines that keep their value until the next point. @param {ChartProps} props */
export function LineChart(props) {
  const { series, range, from } = props;
  const { top, bottom, paths } = useMemo(() => {
    const values = series.flatMap(({ points }) => points.map(({ y }) => y));
    const top = Math.max(1, ...values);
    const bottom = from ?? Math.min(top, ...values);
    const scale = scaleOf(range, bottom, top);
    return { top, bottom, paths: series.map(({ points }) => stepsPath(points, range[1], scale)) };
  }, [series, range, from]);
  return h(Frame, { ...props, scale: [top, bottom] }, series.map(({ name, look }, index) =>
    h("path", { key: name, class: `line ${look}`, d: paths[index] })));
}

/** Bars: Red's upward, Blue's downward, others upward. @param {ChartProps} props */
export function BarChart(props) {
  const { series, range } = props;
  const isMirrored = series.some(({ look }) => look === "blue");
  const { top, zero, paths } = useMemo(() => {
    const top = Math.max(1, ...series.flatMap(({ points }) => points.map(({ y }) => y)));
    const scale = scaleOf(range, isMirrored ? -top : 0, top);
    const width = Math.max(1, WIDTH / Math.max(1, range[1] - range[0]) - 1);
    const paths = series.map(({ look, points }) =>
      barsPath(points, width, scale, look === "blue" ? -1 : 1));
    return { top, zero: scale.y(0), paths };
  }, [series, range]);
  return h(Frame, { ...props, scale: isMirrored ? [top, top] : [top, 0] },
    h("line", { class: "zero", x1: 0, x2: WIDTH, y1: zero, y2: zero }),
    series.map(({ name, look }, index) =>
      h("path", { key: name, class: `bars ${look}`, d: paths[index] })));
}

/** @typedef {{ x: (x: number) => number, y: (y: number) => number }} Scale */

/** @param {[number, number]} range @param {number} bottom @param {number} top @returns {Scale} */
function scaleOf([first, last], bottom, top) {
  const [across, high] = [Math.max(1, last - first), Math.max(1e-9, top - bottom)];
  return {
    x: (x) => ((x - first) / across) * WIDTH,
    y: (y) => HEIGHT - EDGE - ((y - bottom) / high) * (HEIGHT - 2 * EDGE),
  };
}

/** @param {readonly Point[]} points @param {number} last @param {Scale} scale */
function stepsPath(points, last, scale) {
  const [first, ...others] = points;
  if (!first) return "";
  const steps = others.map(({ x, y }) => `H${round(scale.x(x))}V${round(scale.y(y))}`);
  return `M${round(scale.x(first.x))} ${round(scale.y(first.y))}${steps.join("")}H${round(scale.x(last))}`;
}

/**
 * @param {readonly Point[]} points @param {number} width @param {Scale} scale @param {1 | -1} way
 */
function barsPath(points, width, scale, way) {
  return points.map(({ x, y }) => {
    const [left, zero, end] = [scale.x(x) - width, scale.y(0), scale.y(way * y)];
    return `M${round(left)} ${round(zero)}V${round(end)}h${round(width)}V${round(zero)}Z`;
  }).join("");
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}

/** @param {ChartProps & { scale: [number, number], children?: any }} props */
function Frame({ title, summary, series, range, format, table, at, goTo, scale, children }) {
  const marked = at === undefined ? undefined : scaleOf(range, 0, 1).x(at);
  /** @param {PointerEvent} event */
  const press = (event) => {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    const part = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    goTo?.(Math.round(range[0] + part * (range[1] - range[0])));
  };
  return h("figure", { class: "chart" },
    h("figcaption", null,
      h("span", { class: "chart-title" }, title),
      h("span", { class: "chart-values numbers" }, series.map(({ name, look, points }) => {
        const value = at === undefined ? points.at(-1) : valueAt(points, at);
        return h("span", { key: name, class: `chart-key ${look}` }, name, " ", value ? format(value.y) : "–");
      }))),
    h("div", { class: "chart-area" },
      h("svg", {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": summary,
        class: goTo ? "pressable" : "", onPointerDown: press,
        onPointerMove: (/** @type {PointerEvent} */ event) => event.buttons === 1 && press(event),
      },
        children,
        marked === undefined ? null : h("line", { class: "marker", x1: marked, x2: marked, y1: 0, y2: HEIGHT })),
      h("span", { class: "chart-scale numbers", "aria-hidden": "true" }, scale.map((value, index) =>
        h("span", { key: index }, value === 0 ? "0" : format(value))))),
    h(TableBehind, { title, table }));
}

/**
 * The last point that is not after a place.
 * @param {readonly Point[]} points @param {number} x
 */
function valueAt(points, x) {
  return points.findLast((point) => point.x <= x);
}

/** @param {{ title: string, table: Table }} props */
function TableBehind({ title, table }) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? table() : undefined;
  return h("details", { class: "small", onToggle: (/** @type {any} */ event) => setOpen(event.target.open) },
    h("summary", null, say("chart-table")),
    shown ? h("div", { class: "chart-table", tabIndex: 0, role: "region", "aria-label": title },
      h("table", null,
        h("thead", null, h("tr", null, shown.head.map((text) => h("th", { key: text, scope: "col" }, text)))),
        h("tbody", null, shown.rows.map((cells, index) =>
          h("tr", { key: index }, cells.map((text, column) => h("td", { key: column, class: "numbers" }, text))))))) : null);
}
