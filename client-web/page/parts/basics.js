// Small parts that every page uses: pictures of pieces, terms in words, bars, names, and what is
// shown while something is on its way.

import { drawPiece } from "../board/pieces.js";
import { clockCode, meaningsOf, titleOf } from "../game/rules.js";
import { barOf } from "../net/line.js";
import { go } from "../route.js";
import { alarm, allWords, line, notice, rulesFor, say, settings, tell, warn } from "../state.js";
import { h, signal, useEffect, useRef, useState } from "../vendor/library.js";

/** @typedef {import("../../types/messages").Side} Side */
/** @typedef {import("../../types/messages").Terms} Terms */
/** @typedef {import("../../types/messages").Time} Time */
/** @typedef {import("../../types/messages").Player} Player */

/** @param {{ side: Side, identity: string, labeled?: boolean }} props */
export function PieceArt({ side, identity, labeled = false }) {
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  const { numbering, print } = settings.value;
  useEffect(() => {
    host.current?.replaceChildren(drawPiece({ side, identity, moved: false, revealed: false, labeled }, { numbering, print }));
  }, [side, identity, labeled, numbering, print]);
  return h("span", { ref: host, class: "piece-art", "aria-hidden": "true" });
}

/** @param {Time} time */
export function timeText(time) {
  switch (time.kind) {
    case "unlimited": return say("time-unlimited");
    case "fischer": return say("time-fischer", { minutes: minutes(time.base_s), seconds: time.increment_s });
    case "delay": return say("time-delay", { minutes: minutes(time.base_s), seconds: time.free_s });
    case "correspondence": return say("time-days", { days: time.days });
  }
}

/** Minutes with at most two decimals. @param {number} seconds */
function minutes(seconds) {
  return Math.round(seconds / 0.6) / 100;
}

/** @param {string} ruleset */
export function rulesetTitle(ruleset) {
  const rules = rulesFor(ruleset);
  if (!rules) return ruleset;
  const title = titleOf(rules, allWords());
  return ruleset === rules.id ? title : say("custom-title", { title });
}

/** What a custom game changes, one sentence part each. @param {string} ruleset */
export function changesText(ruleset) {
  const rules = rulesFor(ruleset);
  return rules ? meaningsOf(rules, ruleset, allWords()) : [];
}

/** @param {Terms} terms */
export function termsText(terms) {
  return say("terms", {
    ruleset: rulesetTitle(terms.ruleset),
    time: timeText(terms.time),
    rated: terms.rated ? "yes" : "no",
    private: terms.private ? "yes" : "no",
    secret: terms.secret ? "yes" : "no",
  });
}

/**
 * The page where offers are made, with terms filled in.
 * @param {Terms} terms @param {Record<string, string>} [more] Whom they are for.
 */
export function playAddress({ ruleset, time, rated, private: isPrivate }, more = {}) {
  const query = new URLSearchParams({
    rules: ruleset, time: clockCode(time), ...(rated ? { rated: "yes" } : {}), ...(isPrivate ? { private: "yes" } : {}), ...more,
  });
  return `/play?${query}`;
}

/** The way to the rules of a game, beside what is on the page now. @param {{ ruleset: string, look?: string, text?: string }} props */
export function RulesLink({ ruleset, look = "small", text = say("rules-link") }) {
  return h("a", { class: look, href: `/rules/${ruleset.split(",")[0]}`, target: "_blank" }, text);
}

/** The build of the page that is open. */
const BUILD = /\/assets\/([^/]+)\//.exec(import.meta.url)?.[1];

/** What the line's state means for the page. @param {{ game: string | undefined }} props */
export function Bar({ game }) {
  const bar = barOf(line.value, game, BUILD);
  const key = bar?.key.replaceAll("_", "-");
  const text = bar && say(`bar-${key}`, { move: bar.move ?? "none", game: game ?? "" });
  useEffect(() => {
    if (!text) return undefined;
    // What comes and goes at once is not said.
    const timer = setTimeout(() => warn(text), 1_000);
    return () => {
      clearTimeout(timer);
      if (alarm.value === text) alarm.value = "";
    };
  }, [text]);
  if (!bar) return notice.value ? h(notice.value, {}) : null;
  const actions = {
    superseded: () => game && tell({ kind: "open_game", game }),
    new_epoch: () => game && tell({ kind: "seen_epoch", game }),
    logged_out: () => {
      tell({ kind: "retry" });
      go("/account");
    },
    old_page: () => location.reload(),
    new_page: () => location.reload(),
  };
  const act = actions[/** @type {keyof typeof actions} */ (bar.key)] ?? (bar.canRetry ? () => tell({ kind: "retry" }) : undefined);
  return h("aside", { class: "bar" },
    h("span", null, text),
    act ? h("button", { class: "button compact", onClick: act }, say(`bar-act-${key}`)) : null);
}

/** The time of the page's one timer. */
const tick = signal(Date.now());
/** When each running clock changes next. @type {Set<() => number>} */
const clocks = new Set();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

function schedule() {
  clearTimeout(timer);
  const pause = Math.min(...[...clocks].map((next) => next()));
  if (pause === Infinity) return;
  timer = setTimeout(() => {
    tick.value = Date.now();
    schedule();
  }, Math.max(16, pause));
}

/** Redraws when a running time changes. @param {() => number} next Milliseconds until then. @param {unknown} key */
export function useTicks(next, key) {
  const latest = useRef(next);
  latest.current = next;
  useEffect(() => {
    const one = () => latest.current();
    clocks.add(one);
    schedule();
    return () => {
      clocks.delete(one);
    };
  }, [key]);
  return tick.value;
}

/** A name as it is shown everywhere: programs are marked. @param {Player} player */
export function playerName(player) {
  if (player.kind === "bot") return say("player-bot", { name: player.name });
  if (player.kind === "house") return say("player-house", { name: player.name });
  return player.name;
}

/** A wait that is longer than this is explained. */
const LONG_MS = 3_000;

/** Becomes true when a part of the page has waited for long. */
export function useIsLong() {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  return isLong;
}

/**
 * The place of something that is on its way, in its final size. After a while it says what it
 * waits for: the server, if there is no `text`.
 * @param {{ skeleton: string, text?: string }} props `skeleton`: the class with its size.
 */
export function Waiting({ skeleton, text = say("waiting-for-game") }) {
  const isLong = useIsLong();
  return h("div", { class: `skeleton-place ${skeleton}` },
    h("div", { class: "skeleton" }),
    h("p", { class: "muted", role: "status" }, isLong ? text : null));
}
