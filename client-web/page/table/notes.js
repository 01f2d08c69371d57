// What players keep of a game: notes on enemy pieces, and their own deployment.

import { compareSquares, figureOf, rankOf } from "../game/rules.js";
import { MARKS, note } from "../game/reach.js";
import { rankName } from "../game/sentences.js";
import { isName } from "../game/setups.js";
import { choose, confirm } from "../parts/dialog.js";
import { hasAccount, isCalled, readSaved, store } from "../parts/library.js";
import { allWords, loadedRefusal, moreWords, readApi, say, settings, show, speak } from "../state.js";
import { h } from "../vendor/library.js";

/** @typedef {import("./control.js").GameControl} GameControl */

/** Lets the player choose a note for an enemy piece. @param {GameControl} control @param {string} square */
export async function askNote(control, square) {
  await moreWords();
  const options = [...MARKS, ""].map((mark) => ({ value: mark, label: mark ? say("note-mark", { mark: figureOf(mark, settings.value.numbering), rank: rankOf(mark) ?? "" }) : say("note-none") }));
  const mark = await choose({ title: say("note-title", { square }), text: say("note-text"), options });
  if (mark !== undefined) control.setNotes(note(control.notes.value, square, mark || undefined));
}

/** All notes. Each leads to its square. @param {{ control: GameControl }} props */
export function Notes({ control }) {
  const notes = Object.entries(control.notes.value).sort(([a], [b]) => compareSquares(a, b));
  const { view, side } = control;
  if (!view || !side) return null;
  /** @param {string} square */
  const remove = (square) => {
    control.setNotes(note(control.notes.value, square, undefined));
    speak(say("note-removed", { square }));
  };
  return h("div", { class: "stack tight" },
    notes.length === 0 ? h("p", { class: "muted small" }, say("notes-empty")) : h("ul", { class: "small said" }, notes.map(([square, mark]) => {
      const guess = rankOf(mark) ? rankName(allWords(), mark) : say("note-mark", { mark, rank: "" });
      return h("li", { key: square, class: "row-of spread" },
        h("button", { class: "button compact plain", onClick: () => control.board?.focus(square) }, say("note-on", { square, guess })),
        h("button", { class: "button compact plain", "aria-label": say("note-remove", { square }), onClick: () => remove(square) }, "×"));
    })),
    view.phase === "deploying" ? null : h("button", { class: "button compact", onClick: () => void keepOwn(control) }, say("deployment-keep")));
}

/** Saves the deployment that the player began this game with. @param {GameControl} control */
export async function keepOwn(control) {
  const { id, rules, side } = control;
  if (!rules || !side) return;
  const answer = await readApi(`/api/games/${id}/record?as=${side}`);
  if ("refusal" in answer) return show(await loadedRefusal(answer.refusal));
  const { events } = /** @type {import("../../types/messages").GameRecord} */ (answer.body);
  const setup = events.reduce((/** @type {string | undefined} */ found, { event }) => (event.kind === "deployed" ? event.setup : found), undefined);
  await moreWords();
  if (setup) await keepDeployment(rules.id, setup);
  else show(say("deployment-none"));
}

/** Saves a deployment of a game under a name that the player chooses. @param {string} ruleset @param {string} setup */
export async function keepDeployment(ruleset, setup) {
  await moreWords();
  const all = await readSaved();
  if (!all) return;
  let name = "";
  const content = h("label", { class: "field" }, h("span", null, say("deployment-name")),
    h("input", {
      class: "typed", maxlength: 30, autocomplete: "off", spellcheck: false, autocapitalize: "off", autofocus: true,
      onInput: (/** @type {any} */ event) => (name = event.target.value.trim()),
    }));
  if (!await confirm({ title: say("deployment-keep"), text: say("deployment-name-hint"), yes: say("deployment-save"), content })) return;
  if (!isName(name)) return show(say("deployment-bad-name"));
  const isKnown = all.some((one) => isCalled(one, ruleset, name));
  if (isKnown && !await confirm({ title: say("deployment-replace", { name }), yes: say("deployment-replace-yes") })) return;
  const { trouble } = await store({ ruleset, name, setup }, hasAccount());
  show(trouble ?? say("deployment-saved", { place: hasAccount() ? "account" : "device" }));
}
