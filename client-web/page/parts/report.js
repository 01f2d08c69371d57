// Tells the operators what an opponent did, and keeps on this device that it was told.

import { askOrTell, moreWords, say, show } from "../state.js";
import { h, signal } from "../vendor/library.js";
import { confirm } from "./dialog.js";

/** A report that was sent from this device. @typedef {{ game: string, name: string, at: number }} Report */

/** More than these are not kept: the oldest goes. */
const MOST = 50;

/** @type {import("../vendor/library.js").Signal<readonly Report[]>} */
export const reports = signal(JSON.parse(localStorage.getItem("reports") ?? "[]"));

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
  reports.value = [...reports.value.filter((one) => one.game !== game), { game, name, at: Date.now() }].slice(-MOST);
  localStorage.setItem("reports", JSON.stringify(reports.value));
  show(say("report-sent"));
}
