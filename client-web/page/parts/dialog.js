// A question over the page. Escape and the second button leave everything as it is.

import { h, render, useEffect, useRef } from "../vendor/library.js";
import { moreWords, say } from "../state.js";

/**
 * Asks before something that cannot be taken back.
 * @param {{ title: string, text?: string, yes: string, isDanger?: boolean, content?: any }} question @returns {Promise<boolean>}
 */
export function confirm({ title, text, yes, isDanger = false, content }) {
  return over((done) => h(Frame, { title, text, cancel: () => done(false) }, content,
    h("div", { class: "row-of" },
      h("button", { class: `button ${isDanger ? "danger" : "main"}`, onClick: () => done(true) }, yes),
      h("button", { class: "button", onClick: () => done(false), autofocus: true }, say("keep")))));
}

/**
 * Lets the player choose one of several. Undefined if they choose none.
 * @template T
 * @param {{ title: string, text?: any, options: { value: T, label: string }[] }} question @returns {Promise<T | undefined>}
 */
export function choose({ title, text, options }) {
  return over((done) => h(Frame, { title, text, cancel: () => done(undefined) },
    h("div", { class: "row-of" }, options.map(({ value, label }) =>
      h("button", { key: label, class: "button compact", onClick: () => done(value) }, label))),
    h(Close, { close: () => done(undefined), autofocus: options.length === 0 })));
}

/** Lists keys with what they do. @param {readonly string[]} keys */
export async function tellKeys(keys) {
  await moreWords();
  return tell(say("keys-title"), h("dl", { class: "keys small" },
    keys.map((key) => [h("dt", null, say(`key-${key}`)), h("dd", null, say(`key-${key}-does`))])));
}

/** Shows something that needs no answer. @param {string} title @param {any} content @returns {Promise<void>} */
export function tell(title, content) {
  return over((done) => h(Frame, { title, cancel: () => done(undefined) }, content, h(Close, { close: () => done(undefined) })));
}

/** Stays in sight if the dialog is higher than the window. @param {{ close: () => void, autofocus?: boolean }} props */
function Close({ close, autofocus = false }) {
  return h("div", { class: "dialog-end" }, h("button", { class: "button", onClick: close, autofocus }, say("close")));
}

/**
 * Shows something over the page until it is answered, and gives the focus back.
 * @template T
 * @param {(done: (answer: T) => void) => any} draw @returns {Promise<T>}
 */
function over(draw) {
  return new Promise((resolve) => {
    const host = document.createElement("div");
    document.body.append(host);
    const opener = /** @type {HTMLElement | null} */ (document.activeElement);
    render(draw((answer) => {
      render(null, host);
      host.remove();
      opener?.focus();
      resolve(answer);
    }), host);
  });
}

/** @param {{ title: string, text?: any, cancel: () => void, children?: any }} props */
function Frame({ title, text, cancel, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => dialog.current?.showModal(), []);
  // A click beside it leaves everything as it is, and a link leads away from it.
  const leave = (/** @type {any} */ { target, currentTarget }) => (target === currentTarget || target.closest("a")) && cancel();
  return h("dialog", { ref: dialog, onCancel: cancel, onClick: leave, "aria-labelledby": "question" },
    h("div", { class: "stack" }, h("h2", { id: "question" }, title), text ? h("p", { class: "muted" }, text) : null, children));
}
