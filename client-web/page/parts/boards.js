// What stands around boards: players with their clocks, what was lost, and boards that are only
// looked at.

import { Board } from "../board/board.js";
import { LOW_MS, RANKS, figureOf, isRunning, letterOf, nextChange, timeLeft } from "../game/rules.js";
import { rankName, reserveSentences, squareNames } from "../game/sentences.js";
import { allWords, isKeyOff, say, sayClock, serverTime, settings, show } from "../state.js";
import { h, signal, useEffect, useLayoutEffect, useRef, useState } from "../vendor/library.js";
import { PieceArt, playerName, useIsLong, useTicks } from "./basics.js";

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").GameEvent} GameEvent */
/** @typedef {import("../../types/messages").Side} Side */
/** @typedef {import("../../types/messages").Clock} Clock */
/** @typedef {import("../../types/messages").Player} Player */
/** @typedef {import("../../types/messages").RatingPoint} RatingPoint */
/** @typedef {import("../game/rules.js").Rules} Rules */

/** On an upright phone, a board that is wider than high is turned. */
const narrow = matchMedia("(max-width: 700px) and (orientation: portrait)");

/** True if the player does not want that. */
const isLevel = signal(localStorage.getItem("level") !== null);

/** True if the screen is an upright phone's, and a board of these rules is wider than high. @param {Rules | undefined} rules */
function useTooWide(rules) {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const change = () => setNarrow(narrow.matches);
    narrow.addEventListener("change", change);
    return () => narrow.removeEventListener("change", change);
  }, []);
  return isNarrow && rules !== undefined && rules.columns > rules.rows;
}

/** True if a board of these rules is turned by a quarter. @param {Rules | undefined} rules */
export function useTurned(rules) {
  return useTooWide(rules) && !isLevel.value;
}

/** Turns a board that is too wide for the screen by a quarter, or back. @param {{ rules: Rules | undefined }} props */
export function QuarterTurn({ rules }) {
  if (!useTooWide(rules)) return null;
  const turn = () => {
    isLevel.value = !isLevel.value;
    if (isLevel.value) localStorage.setItem("level", "");
    else localStorage.removeItem("level");
  };
  return h("button", { class: "button compact", "aria-pressed": !isLevel.value, onClick: turn }, say("quarter-turn"));
}

/**
 * A board without a hand. `event` led from the view that was shown before to this one, and is
 * animated; without it, the view is shown at once. Squares are named by their sides, for nobody
 * who looks on owns a piece. `isPaced`: the person who looks on asks for each event, so none waits
 * for the one before it. `shown`: a function that is called with each view that the board has reached.
 * @param {{ rules: Rules, view: Readonly<GameView>, below: Side, event?: GameEvent | undefined, isPaced?: boolean,
 *   keys?: (event: KeyboardEvent, square: string) => boolean, shown?: (view: Readonly<GameView>) => void }} props
 */
export function SeenBoard({ rules, view, below, event, isPaced = false, keys, shown }) {
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  const board = useRef(/** @type {Board | undefined} */ (undefined));
  const isTurned = useTurned(rules);
  const { numbering, print, motion } = settings.value;
  const latest = useRef({ view, keys, shown });
  latest.current = { view, keys, shown };
  /** The view on the board, and those after it. */
  const views = useRef([view]);
  useLayoutEffect(() => {
    if (!host.current) return;
    const tell = (/** @type {string} */ square) => show(nameSquares(latest.current.view)(square));
    board.current = new Board(host.current, {
      press: tell, ask: tell, mayLift: () => false, drop: () => undefined, letGo: () => undefined, movable: () => [], isOff: isKeyOff,
      shown: () => {
        views.current = views.current.slice(-1 - (board.current?.unshown ?? 0));
        latest.current.shown?.(/** @type {Readonly<GameView>} */ (views.current[0]));
      },
      key: (event, square) => {
        if (event.code === "KeyI") tell(square);
        return event.code === "KeyI" || (latest.current.keys?.(event, square) ?? false);
      },
    });
  }, []);
  useLayoutEffect(() => board.current?.layOut(rules, below, isTurned, say("board-name", { side: below })), [rules, below, isTurned]);
  useLayoutEffect(() => {
    board.current?.restyle({ numbering, print });
    board.current?.setMotion(motion);
  }, [numbering, print, motion]);
  useLayoutEffect(() => {
    if (isPaced) board.current?.finish();
    views.current.push(view);
    if (event) board.current?.play(event, view);
    else board.current?.show(view);
    board.current?.name(nameSquares(view));
  }, [view]);
  return h("div", { class: placeClass(rules, isTurned), ref: host });
}

/** The classes of a board's place. @param {Rules | undefined} rules @param {boolean} isTurned */
export function placeClass(rules, isTurned) {
  return `board-place board-host${isTurned ? " tall" : rules && rules.columns > rules.rows ? " wide" : ""}`;
}

/**
 * Names of squares, each made once: the board asks for all of them again.
 * @param {Readonly<GameView>} view
 */
function nameSquares(view) {
  const name = squareNames({ ...view, audience: "public" }, allWords(), undefined);
  /** @type {Map<string, string>} */
  const names = new Map();
  return (/** @type {string} */ square) => {
    const known = names.get(square) ?? name(square);
    names.set(square, known);
    return known;
  };
}

/**
 * The reserves, and the ranks with what each side has lost.
 * @param {{ view: Readonly<GameView>, rules: Rules }} props
 */
export function Losses({ view, rules }) {
  const ranks = [...RANKS].reverse().filter((rank) => (rules.army[letterOf(rank)] ?? 0) > 0);
  const pools = view.pools;
  return [reserveSentences(view, allWords()).map((text) => h("p", { class: "small" }, text)), h("table", { class: "losses small" },
    h("thead", null, h("tr", null, h("th", { scope: "col" }, say("losses-rank")),
      h("th", { scope: "col" }, say("losses-of", { side: "red" })), h("th", { scope: "col" }, say("losses-of", { side: "blue" })),
      pools ? h("th", { scope: "col" }, say("pool-of", { side: "red" })) : null, pools ? h("th", { scope: "col" }, say("pool-of", { side: "blue" })) : null)),
    h("tbody", null, ranks.map((rank) => {
      const count = rules.army[letterOf(rank)] ?? 0;
      /** @param {Side} side */
      const lost = (side) => h("td", { class: "numbers" }, say("lost-of", { lost: view.captured[side][rank] ?? 0, count }));
      return h("tr", { key: rank }, h("th", { scope: "row" }, say("rank-figure", { rank, figure: figureOf(letterOf(rank), settings.value.numbering) })), lost("red"), lost("blue"),
        pools ? h("td", { class: "numbers" }, pools.red[rank] ?? 0) : null, pools ? h("td", { class: "numbers" }, pools.blue[rank] ?? 0) : null);
    })))];
}

/**
 * What a side has lost, as small pictures.
 * @param {{ view: Readonly<GameView>, side: Side }} props
 */
export function TakenRow({ view, side }) {
  const lost = [...RANKS].reverse().flatMap((rank) => Array(view.captured[side][rank] ?? 0).fill(letterOf(rank)));
  const shown = lost.length > 14 ? grouped(lost) : lost.map((letter) => ({ letter, count: 1 }));
  return h("div", { class: "taken", "aria-hidden": "true" }, shown.map(({ letter, count }, index) =>
    h("span", { key: `${letter}${index}`, title: rankName(allWords(), letter) }, h(PieceArt, { side, identity: letter }), count > 1 ? h("small", { class: "numbers" }, count) : null)));
}

/** @param {string[]} letters */
function grouped(letters) {
  const counts = new Map();
  letters.forEach((letter) => counts.set(letter, (counts.get(letter) ?? 0) + 1));
  return [...counts].map(([letter, count]) => ({ letter, count }));
}

/**
 * A page with a board in its final size, before the board is there. After 3 s it says what it
 * waits for.
 * @param {{ waitingFor: string }} props
 */
export function TableSkeleton({ waitingFor }) {
  const isLong = useIsLong();
  return h("div", { class: "table" },
    h("div", { class: "at-top" }, h("div", { class: "skeleton strip" })),
    h("div", { class: "skeleton board-place" }),
    h("div", { class: "at-foot" }, h("div", { class: "skeleton strip" })),
    h("div", { class: "side" }, h("p", { class: "muted", role: "status" }, isLong ? waitingFor : null)));
}

// Players beside a board, with their clocks.

/** @param {{ clock: Clock | null | undefined, side: Side, isPaused: boolean }} props */
export function ClockFace({ clock, side, isPaused }) {
  const left = () => (clock ? timeLeft(clock, side, serverTime.at(Date.now())) : { ms: 0, freeMs: 0 });
  const runs = clock ? isRunning(clock, side) && !isPaused : false;
  useTicks(() => (runs ? (left().freeMs > 0 ? Math.min(250, left().freeMs) : nextChange(left().ms)) : Infinity), clock);
  if (!clock) return null;
  const { ms, freeMs } = left();
  const free = freeMs > 0 && runs ? h("small", null, ` +${Math.ceil(freeMs / 1_000)}`) : null;
  return h("div", { class: `clock numbers${runs ? " runs" : ""}${ms < LOW_MS ? " low" : ""}`, role: "timer" }, sayClock(ms), free);
}

/**
 * A player's strip: side, name, presence, clock. `isLinked`: false for players of files, who need
 * not be known here.
 * @param {{ side: Side, player: Player, isYou: boolean, isToAct: boolean, presence: string, left: boolean, claimableAt: number | null | undefined,
 *   clock: Clock | null | undefined, isPaused: boolean, isLive: boolean, isLinked?: boolean, rating?: RatingPoint | undefined }} props
 */
export function PlayerStrip({ side, player, isYou, isToAct, presence, left, claimableAt, clock, isPaused, isLive, isLinked = true, rating }) {
  const away = isLive && !isYou && presence !== "present" && player.kind !== "house";
  return h("div", { class: `strip strip-${side}${isToAct ? " to-act" : ""}` },
    h("span", { class: `side-mark ${side}`, "aria-hidden": "true" }),
    h("div", { class: "strip-name" },
      h("strong", null, isLinked ? h(ProfileLink, { player, isLive }) : playerName(player)),
      h("span", { class: "muted small" },
        // The mark tells the side, too, and where somebody is must not be cut off.
        away ? [h("span", { class: "aloud" }, `${say("side", { side })} · `), say(left ? "presence-left" : `presence-${presence}`)]
          : [say("side", { side }), isYou ? say("you") : ""].filter(Boolean).join(" · "),
        rating ? [" · ", h("span", { class: "aloud" }, say("column-rating"), " "), h("span", { class: "numbers" }, `${rating.rating}${rating.provisional ? "?" : ""}`)] : null)),
    h("div", { class: "strip-clock" },
      h(ClockFace, { clock, side, isPaused }), away && claimableAt ? h(ClaimCountdown, { at: claimableAt }) : null));
}

/**
 * A name that leads to the player's page, beside a game: in a tab of its own, for leaving this one
 * leaves the game.
 * @param {{ player: Player, isLive: boolean }} props
 */
function ProfileLink({ player, isLive }) {
  if (player.kind === "house") return playerName(player);
  return h("a", { href: `/@/${player.name}`, ...(isLive ? { target: "_blank", rel: "noopener" } : {}) }, playerName(player));
}

/** @param {{ at: number }} props */
function ClaimCountdown({ at }) {
  const left = () => at - serverTime.at(Date.now());
  useTicks(() => (left() > 0 ? nextChange(left()) : Infinity), at);
  return left() > 0 ? h("span", { class: "claim-in numbers muted" }, say("claim-in", { time: sayClock(left()) })) : null;
}
