// Beside the board: what was played, what was lost, and talk.

import { PieceArt } from "../parts/art.js";
import { RANKS, letterOf } from "../game/notation.js";
import { askOrTell, line, say, show } from "../state.js";
import { h, useEffect, useRef, useState } from "../vendor/library.js";

/** @typedef {import("./control.js").GameControl} GameControl */
/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").Side} Side */

const TABS = /** @type {const} */ (["moves", "losses", "chat"]);
/** @type {import("../../types/messages").Phrase[]} */
const PHRASES = ["hello", "good_luck", "well_played", "thanks", "sorry", "away_for_a_moment", "good_game"];

/** @param {{ control: GameControl, isOpen: boolean }} props */
export function SidePanel({ control, isOpen }) {
  const [tab, setTab] = useState(/** @type {typeof TABS[number]} */ ("moves"));
  const tabs = TABS.filter((name) => name !== "chat" || control.side);
  return h("section", { class: `card panel${isOpen ? " open" : ""}` },
    h("div", { class: "segments", role: "tablist" }, tabs.map((name) =>
      h("button", { key: name, role: "tab", "aria-selected": tab === name, class: tab === name ? "chosen" : "", onClick: () => setTab(name) },
        say(`tab-${name}`)))),
    h("div", { class: "panel-body", role: "tabpanel" },
      tab === "moves" ? h(Moves, { control }) : tab === "losses" ? h(Losses, { control }) : h(Chat, { control })),
    control.side && control.view?.phase === "playing" ? h(Typed, { control }) : null);
}

/** As many moves are listed at first: a long list slows the page down. */
const LATEST = 50;

/** @param {{ control: GameControl }} props */
function Moves({ control }) {
  const entries = control.entries.value;
  const [isWhole, setWhole] = useState(false);
  const first = isWhole ? 0 : Math.max(0, entries.length - LATEST);
  const end = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const body = end.current?.parentElement;
    if (body) body.scrollTop = body.scrollHeight;
  }, [entries.length]);
  if (entries.length === 0) return h("p", { class: "muted small" }, say("moves-empty"));
  return h("ol", { class: "moves small", ref: end },
    first > 0 ? h("li", { key: "all" }, h("button", { class: "button compact plain", onClick: () => setWhole(true) }, say("moves-all", { count: entries.length }))) : null,
    entries.slice(first).map(({ text, ply }, index) =>
      h("li", { key: first + index }, h("span", { class: "numbers muted" }, ply), " ", text)));
}

/** Ranks with what each side has lost. @param {{ control: GameControl }} props */
function Losses({ control }) {
  const { view, rules } = control;
  if (!view || !rules) return null;
  const ranks = [...RANKS].reverse().filter((rank) => (rules.army[letterOf(rank)] ?? 0) > 0);
  const pools = view.pools;
  return h("table", { class: "losses small" },
    h("thead", null, h("tr", null, h("th", { scope: "col" }, say("losses-rank")),
      h("th", { scope: "col" }, say("losses-of", { side: "red" })), h("th", { scope: "col" }, say("losses-of", { side: "blue" })),
      pools ? h("th", { scope: "col" }, say("pool-of", { side: "red" })) : null, pools ? h("th", { scope: "col" }, say("pool-of", { side: "blue" })) : null)),
    h("tbody", null, ranks.map((rank) => {
      const count = rules.army[letterOf(rank)] ?? 0;
      /** @param {Side} side */
      const lost = (side) => h("td", { class: "numbers" }, say("lost-of", { lost: view.captured[side][rank] ?? 0, count }));
      return h("tr", { key: rank }, h("th", { scope: "row" }, say("rank-figure", { rank, figure: letterOf(rank) })), lost("red"), lost("blue"),
        pools ? h("td", { class: "numbers" }, pools.red[rank] ?? 0) : null, pools ? h("td", { class: "numbers" }, pools.blue[rank] ?? 0) : null);
    })));
}

/** What a side has lost, as small pictures. @param {{ view: GameView, side: Side }} props */
export function TakenRow({ view, side }) {
  const lost = [...RANKS].reverse().flatMap((rank) => Array(view.captured[side][rank] ?? 0).fill(letterOf(rank)));
  const shown = lost.length > 14 ? grouped(lost) : lost.map((letter) => ({ letter, count: 1 }));
  return h("div", { class: "taken", "aria-hidden": "true" }, shown.map(({ letter, count }, index) =>
    h("span", { key: `${letter}${index}` }, h(PieceArt, { side, identity: letter }), count > 1 ? h("small", { class: "numbers" }, count) : null)));
}

/** @param {string[]} letters */
function grouped(letters) {
  const counts = new Map();
  letters.forEach((letter) => counts.set(letter, (counts.get(letter) ?? 0) + 1));
  return [...counts].map(([letter, count]) => ({ letter, count }));
}

/** @param {{ control: GameControl }} props */
function Chat({ control }) {
  const said = line.value.games[control.id]?.said ?? [];
  const [text, setText] = useState("");
  /** @param {import("../../types/messages").Said} what */
  const send = (what) => askOrTell({ type: "say", game: control.id, said: what });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (text.trim() && await send({ kind: "text", text: text.trim() })) setText("");
  };
  return h("div", { class: "stack tight chat" },
    h("ul", { class: "small said" }, said.map(({ side, said }, index) =>
      h("li", { key: index, class: side }, h("b", null, side === control.side ? say("you") : say("side", { side })), " ",
        said.kind === "phrase" ? say("phrase", { phrase: said.phrase }) : said.text))),
    h("div", { class: "row-of phrases" }, PHRASES.map((phrase) =>
      h("button", { key: phrase, class: "button compact", onClick: () => void send({ kind: "phrase", phrase }) }, say("phrase", { phrase })))),
    h("form", { class: "row-of", onSubmit: submit },
      h("input", { class: "typed", maxLength: 200, value: text, "aria-label": say("chat-text"), placeholder: say("chat-text"),
        onInput: (/** @type {any} */ event) => setText(event.target.value) }),
      h("button", { class: "button compact" }, say("chat-send"))));
}

/** A field for typed commands. @param {{ control: GameControl }} props */
function Typed({ control }) {
  const [text, setText] = useState("");
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!text.trim()) return;
    const wrong = control.typed(text);
    if (wrong) show(say(wrong, { typed: text }));
    else setText("");
  };
  return h("form", { class: "row-of typed-form", onSubmit: submit },
    h("input", { id: "typed", class: "typed", value: text, autocomplete: "off", spellcheck: false, "aria-label": say("typed-label"),
      placeholder: say("typed-placeholder"), onInput: (/** @type {any} */ event) => setText(event.target.value) }),
    h("button", { class: "button compact" }, say("typed-go")));
}
