// Beside the board: what was played, what was lost, and talk.

import { Losses } from "../parts/boards.js";
import { askOrTell, line, say, show } from "../state.js";
import { h, useEffect, useRef, useState } from "../vendor/library.js";

/** @typedef {import("./control.js").GameControl} GameControl */

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
      tab === "moves" ? h(Moves, { control }) : tab === "losses" ? h(LossesTab, { control }) : h(Chat, { control })),
    control.side && control.view?.phase === "playing" ? h(Typed, { control }) : null);
}

/** @param {{ control: GameControl }} props */
function Moves({ control }) {
  const entries = control.entries.value;
  const end = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const body = end.current?.parentElement;
    if (body) body.scrollTop = body.scrollHeight;
  }, [entries.length]);
  if (entries.length === 0) return h("p", { class: "muted small" }, say("moves-empty"));
  return h("ol", { class: "moves small", ref: end }, entries.map(({ text, ply }, index) =>
    h("li", { key: index }, h("span", { class: "numbers muted" }, ply), " ", text)));
}

/** @param {{ control: GameControl }} props */
function LossesTab({ control }) {
  const { view, rules } = control;
  return view && rules ? h(Losses, { view, rules }) : null;
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
