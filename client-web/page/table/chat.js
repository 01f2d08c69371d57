// Talk with the opponent.

import { askOrTell, isMuted, say, toggleMute } from "../state.js";
import { h, useEffect, useRef, useState } from "../vendor/library.js";
import { saidIn } from "./panels.js";

/** @typedef {import("./control.js").GameControl} GameControl */

/** @type {import("../../types/messages").Phrase[]} */
const PHRASES = ["hello", "good_luck", "well_played", "thanks", "sorry", "away_for_a_moment", "good_game"];

/** @param {{ control: GameControl, isOpen: boolean }} props */
export function Chat({ control, isOpen }) {
  const { opponent } = control;
  const isQuiet = opponent !== undefined && isMuted(opponent.id);
  const all = saidIn(control);
  const said = all.filter(({ side }) => !isQuiet || side === control.side);
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    // On a phone the panel is closed at times.
    if (list.current?.checkVisibility()) control.seen.value = all.at(-1);
  }, [all.at(-1), isOpen]);
  const [text, setText] = useState("");
  /** @param {import("../../types/messages").Said} what */
  const send = (what) => askOrTell({ type: "say", game: control.id, said: what });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (text.trim() && await send({ kind: "text", text: text.trim() })) setText("");
  };
  const report = () => opponent && void import("../parts/report.js").then((module) => module.report(control.id, opponent.name));
  return h("div", { class: "stack tight chat" },
    isQuiet ? h("p", { class: "muted small" }, say("chat-muted")) : null,
    h("ul", { class: "small said", ref: list }, said.map(({ side, said }, index) =>
      h("li", { key: index, class: side }, h("b", null, side === control.side ? say("you") : say("side", { side })), " ",
        said.kind === "phrase" ? say("phrase", { phrase: said.phrase }) : said.text))),
    h("form", { class: "row-of", onSubmit: submit },
      h("input", { class: "typed", maxLength: 200, value: text, "aria-label": say("chat-text"), placeholder: say("chat-text"),
        onInput: (/** @type {any} */ event) => setText(event.target.value) }),
      h("button", { class: "button compact" }, say("chat-send"))),
    h("div", { class: "row-of phrases" }, PHRASES.map((phrase) =>
      h("button", { key: phrase, class: "button compact", onClick: () => void send({ kind: "phrase", phrase }) }, say("phrase", { phrase })))),
    opponent && opponent.kind !== "house" ? h("div", { class: "row-of" },
      h("button", { class: "button compact plain", "aria-pressed": isQuiet, onClick: () => toggleMute(opponent) }, say("chat-mute")),
      h("button", { class: "button compact plain", onClick: report }, say("chat-report"))) : null);
}
