// Tells the operators what an opponent did.

import { askOrTell, moreWords, say, show } from "../state.js";
import { h } from "../vendor/library.js";
import { confirm } from "./dialog.js";

/** Asks what happened, and sends it. @param {string} game @param {string} name Of the opponent. */
export async function report(game, name) {
  await moreWords();
  let reason = "";
  const isMeant = await confirm({
    title: say("report-title", { name }), text: say("report-text"), yes: say("report-send"), isDanger: true,
    content: h("label", { class: "field" }, h("span", null, say("report-reason")),
      h("textarea", { rows: 4, maxLength: 300, onInput: (/** @type {any} */ event) => (reason = event.target.value) })),
  });
  if (!isMeant) return;
  if (!reason.trim()) return show(say("report-empty"));
  if (!await askOrTell({ type: "report", game, reason: reason.trim() })) return;
  show(say("report-sent"));
}
