// A record on the page: the board of one moment, the way through the others, and what can be
// counted.

import { SIDES, opponentOf, parsePiece } from "../game/rules.js";
import {
  SCOPES, clockTimes, piecesKnown, piecesLeft, turnTimes, whyClosed,
} from "../game/record.js";
import { clocksSentence, lossesSentence, outcomeSentence, recordedSentence } from "../game/sentences.js";
import { Losses, PlayerStrip, QuarterTurn, SeenBoard, TakenRow } from "../parts/boards.js";
import { tellKeys } from "../parts/dialog.js";
import { allWords, say, sayClock, speak } from "../state.js";
import { h, useEffect, useMemo, useRef, useState } from "../vendor/library.js";

/** @typedef {import("../../types/messages").GameRecord} GameRecord */
/** @typedef {import("../../types/messages").Side} Side */
/** @typedef {import("../game/record.js").Moment} Moment */
/** @typedef {import("../game/record.js").Scope} Scope */
/** @typedef {import("../game/record.js").TurnTime} TurnTime */
/** @typedef {import("../game/rules.js").Rules} Rules */

/**
 * How long a moment is shown while the record plays: longer after a strike, which takes longer.
 */
const PACE = { move: 900, strike: 2_000 };
/** Moments in the list at a time; the list stays short in long games. */
const LISTED = 100;
/** The keys of the board, as the list of keys shows them. */
const KEYS = ["arrows", "n-replay", "f-replay", "a-replay", "i", "l", "t", "c", "outside-replay"];

/**
 * @typedef {object} Shown
 * @property {GameRecord} record
 * @property {Rules} rules
 * @property {readonly Moment[]} moments
 * @property {Scope} scope
 */

/**
 * The sentences of moments: the list shows a hundred of them at every step.
 * @type {WeakMap<Moment, string>}
 */
const texts = new WeakMap();

/** What a moment is, in a sentence. @param {Moment} moment */
function momentText(moment) {
  const text = texts.get(moment) ?? sentenceOf(moment);
  texts.set(moment, text);
  return text;
}

/** @param {Moment} moment */
function sentenceOf({ view, entry }) {
  if (view.phase === "deploying") return say("status-deploying");
  return entry ? recordedSentence(entry.event, allWords()) : say("event-started");
}

/**
 * @param {{ shown: Shown, index: number, goTo: (index: number) => void, own: Side | undefined,
 *   refused: readonly Scope[], choose: ((scope: Scope) => void) | undefined, isBusy: boolean, children?: any }} props
 * `choose`: reads the record as another audience; undefined for files.
 */
export function Viewer({ shown, index, goTo, own, refused, choose, isBusy, children }) {
  const { record, rules, moments } = shown;
  const [isFlipped, setFlipped] = useState(false);
  const [isPlaying, setPlaying] = useState(false);
  const steps = useSteps({ moments, index, goTo, isPlaying, setPlaying });
  const moment = moments[index];
  useKeys(steps);
  if (!moment) return null;
  const { view } = moment;
  const below = isFlipped ? opponentOf(own ?? "red") : own ?? "red";
  /** @param {Side} side */
  const strip = (side) => h(PlayerStrip, {
    side, player: record.players[side], isYou: own === side, isToAct: view.phase === "playing" && view.turn === side,
    presence: "present", left: false, claimableAt: undefined, isPaused: true, isLive: false, isLinked: choose !== undefined,
    clock: view.clock ? { at: view.clock.at, remaining_ms: view.clock.remaining_ms } : undefined,
  });
  const { red, blue } = record.players;
  return h("div", { class: "table replay", "aria-busy": isBusy },
    h("h1", { class: "aloud" }, say("replay-heading", { red: red.name, blue: blue.name })),
    h("div", { class: "at-top" }, strip(opponentOf(below)), h(TakenRow, { view, side: opponentOf(below) })),
    h(SeenBoard, { rules, view, below, event: steps.isStep ? moment.entry?.event : undefined, isPaced: true, keys: (event) => boardKey(event, steps, moment) }),
    h("div", { class: "at-foot" }, h(TakenRow, { view, side: below }), strip(below)),
    h("div", { class: "side" },
      h(Controls, { steps, moments, index, isPlaying }),
      h(Scopes, { shown, own, refused, choose, view }),
      h("div", { class: "row-of" },
        h(QuarterTurn, { rules }),
        h("button", { class: "button compact plain", onClick: () => setFlipped(!isFlipped) }, say("flip"))),
      h(Moves, { moments, index, goTo: steps.goTo }),
      children,
      h(Charts, { moments, rules, index, goTo: steps.goTo }),
      h("details", { class: "card" }, h("summary", null, say("replay-losses")), h(Losses, { view, rules }))));
}

/**
 * @typedef {object} Steps
 * @property {boolean} isStep True if the moment that is shown follows the one that was shown before.
 * @property {(index: number) => void} goTo
 * @property {(by: number) => void} step
 * @property {() => void} toFirst
 * @property {() => void} toLast
 * @property {() => void} toggle Plays, or pauses.
 */

/**
 * @param {{ moments: readonly Moment[], index: number, goTo: (index: number) => void, isPlaying: boolean,
 *   setPlaying: (isPlaying: boolean) => void }} options @returns {Steps}
 */
function useSteps({ moments, index, goTo, isPlaying, setPlaying }) {
  const last = moments.length - 1;
  const before = useRef({ index, moments, isStep: false });
  if (before.current.index !== index || before.current.moments !== moments) {
    const isStep = before.current.moments === moments && index === before.current.index + 1;
    before.current = { index, moments, isStep };
  }
  /** @param {number} wanted */
  const move = (wanted) => goTo(Math.min(last, Math.max(0, wanted)));
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (index >= last) return setPlaying(false);
    const event = moments[index]?.entry?.event;
    const timer = setTimeout(() => move(index + 1), event?.kind === "moved" && event.strike ? PACE.strike : PACE.move);
    return () => clearTimeout(timer);
  }, [isPlaying, index, moments]);
  // What is read aloud: the moment that a button or a key went to.
  const isSaid = useRef(false);
  useEffect(() => {
    const moment = moments[index];
    if (moment && (isSaid.current || isPlaying)) speak(momentText(moment));
    isSaid.current = false;
  }, [index]);
  /** @param {number} wanted */
  const go = (wanted) => {
    setPlaying(false);
    move(wanted);
  };
  /** @param {number} wanted */
  const sayAndGo = (wanted) => {
    isSaid.current = wanted >= 0 && wanted <= last && wanted !== index;
    go(wanted);
  };
  return {
    isStep: before.current.isStep,
    goTo: go,
    step: (by) => sayAndGo(index + by),
    toFirst: () => sayAndGo(0),
    toLast: () => sayAndGo(last),
    toggle: () => {
      if (!isPlaying && index >= last) move(0);
      setPlaying(!isPlaying);
    },
  };
}

/**
 * Letters act on the focused board, by their position.
 * @param {KeyboardEvent} event @param {Steps} steps @param {Moment} moment
 */
function boardKey(event, steps, moment) {
  switch (event.code) {
    case "KeyN": steps.step(1); return true;
    case "KeyP": steps.step(-1); return true;
    case "KeyF": steps.toFirst(); return true;
    case "KeyE": steps.toLast(); return true;
    case "KeyA": steps.toggle(); return true;
    case "KeyL": speak(momentText(moment)); return true;
    case "KeyT": speak(clocksSentence(moment.view, moment.at, allWords())); return true;
    case "KeyC": speak(lossesSentence(moment.view, allWords())); return true;
    default:
      if (event.key !== "?") return false;
      void tellKeys(KEYS);
      return true;
  }
}

/**
 * Arrows, Home and End go through the record wherever they mean nothing else.
 * @param {Steps} steps
 */
function useKeys(steps) {
  const latest = useRef(steps);
  latest.current = steps;
  useEffect(() => {
    /** @param {KeyboardEvent} event */
    const press = (event) => {
      const target = /** @type {Element} */ (event.target);
      if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
      if (target.closest?.("input, select, textarea, [role='grid'], [role='region'], dialog")) return;
      const { step, toFirst, toLast } = latest.current;
      switch (event.key) {
        case "ArrowLeft": step(-1); break;
        case "ArrowRight": step(1); break;
        case "Home": toFirst(); break;
        case "End": toLast(); break;
        default: return;
      }
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

/** Pictures of the buttons, in a box of 24 by 24. */
const ICONS = {
  first: "M6 5v14M18 5l-7 7 7 7",
  back: "M15 5l-7 7 7 7",
  play: "M7 4.5 20 12 7 19.5z",
  pause: "M8 5v14M16 5v14",
  next: "M9 5l7 7-7 7",
  last: "M18 5v14M6 5l7 7-7 7",
};

/**
 * @param {{ steps: Steps, moments: readonly Moment[], index: number, isPlaying: boolean }} props
 */
function Controls({ steps, moments, index, isPlaying }) {
  const last = moments.length - 1;
  const moment = /** @type {Moment} */ (moments[index]);
  const ply = moment.view.ply;
  const text = momentText(moment);
  /** @param {keyof ICONS} icon @param {() => void} act @param {boolean} isOff */
  const button = (icon, act, isOff) => h("button", {
    class: `button step${icon === "play" || icon === "pause" ? " main" : ""}`, "aria-label": say(`replay-${icon}`), "aria-disabled": isOff,
    onClick: () => !isOff && act(),
  }, h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: ICONS[icon] })));
  return h("section", { class: "card stack tight steps", "aria-label": say("replay-controls") },
    h("p", { class: "status" }, text),
    h("div", { class: "slider-row" },
      h("input", {
        type: "range", class: "slider", min: 0, max: last, step: 1, value: index, "aria-label": say("replay-slider"),
        "aria-valuetext": say("replay-place", { ply, plies: moments[last]?.view.ply ?? 0, text }),
        onInput: (/** @type {any} */ event) => steps.goTo(Number(event.target.value)),
      }),
      h("span", { class: "muted small numbers" }, say("replay-ply", { ply, plies: moments[last]?.view.ply ?? 0 }))),
    h("div", { class: "row-of step-buttons" },
      button("first", steps.toFirst, index === 0),
      button("back", () => steps.step(-1), index === 0),
      button(isPlaying ? "pause" : "play", steps.toggle, false),
      button("next", () => steps.step(1), index === last),
      button("last", steps.toLast, index === last)));
}

/**
 * As whom the record is read; what is closed says why.
 * @param {{ shown: Shown, own: Side | undefined, refused: readonly Scope[], choose: ((scope: Scope) => void) | undefined,
 *   view: Readonly<import("../../types/messages").GameView> }} props
 */
function Scopes({ shown, own, refused, choose, view }) {
  const { record, rules, scope } = shown;
  const scopes = choose ? SCOPES : [scope];
  const why = new Map(scopes.map((one) => [one, one === scope ? undefined : whyClosed(one, { record, rules, own, refused })]));
  const reasons = [...new Set(why.values())].flatMap((reason) => reason ?? []);
  // The end opens everything, so that all views are the same there.
  const isOpen = view.phase === "over" && view.pieces.every((text) => !/^[?[]/.test(parsePiece(text).identity));
  return h("fieldset", { class: "field scopes", "data-focus": "input:checked" },
    h("legend", { class: "small" }, say("replay-scope")),
    h("div", { class: "segments" }, scopes.map((one) =>
      h("label", { key: one, class: `${one === scope ? "chosen" : ""}${why.get(one) ? " closed" : ""}` },
        h("input", {
          type: "radio", name: "scope", class: "aloud", checked: one === scope, disabled: why.get(one) !== undefined,
          "aria-describedby": why.get(one) ? `why-${why.get(one)}` : undefined, onChange: () => choose?.(one),
        }),
        say("replay-scope-option", { scope: one })))),
    reasons.map((reason) => h("p", { key: reason, id: `why-${reason}`, class: "muted small" }, say(`replay-closed-${reason}`))),
    choose && record.outcome && reasons.length === 0
      ? h("p", { class: `muted small${isOpen ? "" : " unsaid"}` }, say("replay-all-open")) : null);
}

/** @param {{ moments: readonly Moment[], index: number, goTo: (index: number) => void }} props */
function Moves({ moments, index, goTo }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const first = Math.max(0, Math.min(Math.floor((index - LISTED / 4) / (LISTED / 2)) * (LISTED / 2), moments.length - LISTED));
  const listed = moments.slice(first, first + LISTED);
  useEffect(() => {
    const [body, item] = [list.current, /** @type {HTMLElement | null} */ (list.current?.querySelector("[aria-current]"))];
    if (body && item) body.scrollTop = item.offsetTop - (body.clientHeight - item.clientHeight) / 2;
  }, [index, first]);
  /** @param {string} text @param {number} to */
  const further = (text, to) => h("li", { key: text },
    h("button", { class: "further", onClick: () => goTo(to) }, say(text)));
  return h("section", { class: "card replay-moves", "aria-label": say("tab-moves"), "data-focus": "[aria-current]" },
    h("ol", { class: "moves small", ref: list },
      first > 0 ? further("replay-earlier", first - 1) : null,
      listed.map((moment, offset) => h("li", { key: first + offset },
        h("button", {
          "aria-current": first + offset === index ? "step" : undefined, onClick: () => goTo(first + offset),
        }, h("span", { class: "numbers muted" }, moment.view.ply), h("span", null, momentText(moment))))),
      first + LISTED < moments.length ? further("replay-later", first + LISTED) : null));
}

/**
 * @param {{ moments: readonly Moment[], rules: Rules, index: number,
 *   goTo: (index: number) => void }} props
 */
function Charts({ moments, rules, index, goTo }) {
  const charts = useMemo(() => chartsOf(moments, rules), [moments, rules]);
  return h("section", { class: "card charts", "aria-label": say("charts") },
    charts.times ? h(BarChart, { ...charts.times, at: index, goTo }) : null,
    charts.counts.map((chart) => h(LineChart, { ...chart, key: chart.title, at: index, goTo })));
}

/** What the charts of a record show. @param {readonly Moment[]} moments @param {Rules} rules */
function chartsOf(moments, rules) {
  /** @param {(side: Side) => number[] | undefined} valuesOf */
  const both = (valuesOf) => {
    const [red, blue] = [valuesOf("red"), valuesOf("blue")];
    return red && blue && { red, blue };
  };
  const times = turnTimes(moments);
  const clocks = both((side) => clockTimes(moments, side));
  const left = both((side) => piecesLeft(moments, rules, side));
  const known = both((side) => piecesKnown(moments, side));
  return {
    times: times.length > 0 ? timesChart(times, moments.length) : undefined,
    counts: [
      clocks && countsChart(say("chart-clocks"), clocks, moments, sayClock),
      left && countsChart(say("chart-left"), left, moments, String),
      known && countsChart(say("chart-known"), known, moments, String),
    ].flatMap((chart) => chart ?? []),
  };
}

/** How long each turn took. @param {readonly TurnTime[]} times @param {number} moments */
function timesChart(times, moments) {
  /** @param {Side} side */
  const timesOf = (side) => times.filter((time) => time.side === side);
  /** @param {Side} side */
  const summary = (side) => {
    const own = timesOf(side).map(({ ms }) => ms);
    const all = own.reduce((sum, ms) => sum + ms, 0);
    const longest = Math.max(0, ...own);
    return say("chart-times-summary", { side, all: sayClock(all), longest: sayClock(longest) });
  };
  return {
    title: say("chart-times"), format: sayClock, range: rangeOf(moments),
    summary: SIDES.map(summary).join(" "),
    series: SIDES.map((side) => ({
      name: say("side", { side }), look: side,
      points: timesOf(side).map(({ index, ms }) => ({ x: index, y: ms })),
    })),
    table: () => ({
      head: [say("chart-ply"), say("chart-side"), say("chart-time")],
      rows: times.map(({ ply, side, ms }) => [`${ply}`, say("side", { side }), sayClock(ms)]),
    }),
  };
}

/**
 * One value for each side in every moment, as two lines.
 * @param {string} title @param {Record<Side, number[]>} values
 * @param {readonly Moment[]} moments @param {(value: number) => string} format
 */
function countsChart(title, values, moments, format) {
  /** @param {Side} side @param {number} index */
  const valueOf = (side, index) => format(values[side].at(index) ?? 0);
  /** @param {number} index */
  const isSame = (index) =>
    index > 0 && SIDES.every((side) => values[side][index] === values[side][index - 1]);
  return {
    title, format, from: 0, range: rangeOf(moments.length),
    summary: say("chart-summary", {
      title, red: valueOf("red", 0), blue: valueOf("blue", 0),
      redEnd: valueOf("red", -1), blueEnd: valueOf("blue", -1),
    }),
    series: SIDES.map((side) => ({
      name: say("side", { side }), look: side, points: values[side].map((y, x) => ({ x, y })),
    })),
    table: () => ({
      head: [say("chart-ply"), ...SIDES.map((side) => say("side", { side }))],
      rows: moments.flatMap(({ view }, index) => (isSame(index) ? []
        : [[`${view.ply}`, ...SIDES.map((side) => valueOf(side, index))]])),
    }),
  };
}

/** @param {number} moments @returns {[number, number]} */
function rangeOf(moments) {
  return [0, Math.max(1, moments - 1)];
}

/** How the game of a record ended. @param {{ shown: Shown }} props */
export function Result({ shown: { record } }) {
  return record.outcome ? h("strong", null, outcomeSentence(record.outcome, allWords())) : null;
}

// Charts as our own SVG: lines or bars over a common axis, with a table behind each. They show
// what they are given and know nothing of games.

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
function LineChart(props) {
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
function BarChart(props) {
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
