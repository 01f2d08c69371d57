// A question over the page. Escape and the second button leave everything as it is.

import { h, render, useEffect, useRef } from "../vendor/library.js";
import { say } from "../state.js";

/**
 * Asks before something that cannot be taken back.
 * @param {{ title: string, text?: string, yes: string, isDanger?: boolean }} question @returns {Promise<boolean>}
 */
export function confirm(question) {
  return new Promise((resolve) => {
    const host = document.createElement("div");
    document.body.append(host);
    const opener = /** @type {HTMLElement | null} */ (document.activeElement);
    const done = (/** @type {boolean} */ answer) => {
      render(null, host);
      host.remove();
      opener?.focus();
      resolve(answer);
    };
    render(h(Question, { ...question, done }), host);
  });
}

/** @param {{ title: string, text?: string, yes: string, isDanger?: boolean, done: (answer: boolean) => void }} props */
function Question({ title, text, yes, isDanger = false, done }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => dialog.current?.showModal(), []);
  return h("dialog", { ref: dialog, onCancel: () => done(false), "aria-labelledby": "question" },
    h("div", { class: "stack" },
      h("h2", { id: "question" }, title),
      text ? h("p", { class: "muted" }, text) : null,
      h("div", { class: "row-of" },
        h("button", { class: `button ${isDanger ? "danger" : "main"}`, onClick: () => done(true) }, yes),
        h("button", { class: "button", onClick: () => done(false), autofocus: true }, say("keep")))));
}
