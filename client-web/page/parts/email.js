// Notices of turns by e-mail: the account's address, and whether it is confirmed.

import { say, show } from "../state.js";
import { h, useState } from "../vendor/library.js";
import { confirm } from "./dialog.js";
import { change, useAnswer, waiting } from "./load.js";

/** @typedef {import("../../types/api").EmailSetting} EmailSetting */
/** @typedef {import("../../types/api").EmailInfo} EmailInfo */
/** @template T @typedef {import("./load.js").Asked<T>} Asked */
/** @template T @typedef {{ value: T } | { trouble: string, code: string }} Done */

const PATH = "/api/me/email";

/** What servers answer that send no mail, or know nothing of it. */
const NONE = new Set(["mail_off", "no_such_path"]);

/** Nothing on a server that sends no mail. */
export function Email() {
  const asked = /** @type {Asked<EmailSetting>} */ (useAnswer(PATH));
  if (NONE.has(asked.refusal?.code ?? "") || asked.value === undefined && !asked.refusal) return null;
  return h("section", { class: "card stack tight" },
    h("h2", null, say("email-title")),
    h("p", { class: "muted small" }, say("email-text")),
    asked.value === undefined ? waiting(asked, "line-skeleton")
      : h(Address, { key: asked.value.email?.address ?? "", email: asked.value.email ?? undefined, again: asked.again }));
}

/** @param {{ email: EmailInfo | undefined, again: () => void }} props */
function Address({ email, again }) {
  const [address, setAddress] = useState(email?.address ?? "");
  const [trouble, setTrouble] = useState("");
  const [isBusy, setBusy] = useState(false);
  /** @template T @param {() => Promise<Done<T>>} act @param {(value: T) => string} done */
  const attempt = async (act, done) => {
    setBusy(true);
    const answer = await act();
    setBusy(false);
    setTrouble("trouble" in answer ? answer.trouble : "");
    if (!("trouble" in answer)) show(done(answer.value));
    again();
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const language = document.documentElement.lang.startsWith("ru") ? "ru" : "en";
    return attempt(
      () => /** @type {Promise<Done<EmailSetting>>} */ (change("PUT", PATH, { address: address.trim(), language })),
      (set) => say(set.email?.state === "active" ? "email-saved" : "email-sent"));
  };
  const remove = async () => {
    if (!await confirm({ title: say("email-remove-ask"), yes: say("email-remove"), isDanger: true })) return;
    await attempt(() => change("DELETE", PATH), () => say("email-removed"));
  };
  const isOpen = email !== undefined && email.state !== "active";
  return h("div", { class: "stack tight" },
    h("p", { class: "small", role: "status" }, email ? say("email-state", { state: email.state, address: email.address }) : say("email-none")),
    h("form", { class: "stack tight", onSubmit: submit, "aria-label": say("email-title") },
      h("label", { class: "field" }, h("span", null, say("email-address")),
        h("input", {
          type: "email", name: "email", required: true, maxlength: 254, value: address, autocomplete: "email", spellcheck: false,
          onInput: (/** @type {any} */ event) => setAddress(event.target.value),
        })),
      h("p", { class: "trouble small", role: "alert" }, trouble),
      h("div", null, h("button", { class: "button compact", disabled: isBusy, "aria-busy": isBusy }, say(email ? "email-change" : "email-set")))),
    email ? h("div", { class: "row-of" },
      isOpen ? h("button", {
        class: "button compact", disabled: isBusy, "aria-busy": isBusy,
        onClick: () => void attempt(() => change("POST", `${PATH}/confirmation`), () => say("email-sent")),
      }, say("email-again")) : null,
      h("button", { class: "button compact danger", disabled: isBusy, onClick: remove }, say("email-remove"))) : null);
}
