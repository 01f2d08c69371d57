// The settings: on a page of their own, and as a dialog beside a game.

import { moreWords, say, settings, show } from "../state.js";
import { h } from "../vendor/library.js";
import { languages } from "../words.js";
import { PieceArt } from "./basics.js";
import { tell } from "./dialog.js";
import { KINDS, askBrowser, mayNotify } from "./notices.js";
import { CHOICES, SWITCH, spoken, storeSettings } from "./preferences.js";

/** @typedef {import("../state.js").Settings} Settings */
/** @typedef {import("./preferences.js").Name} Name */
/** @typedef {import("./notices.js").Kind} Kind */

/** What can be set besides the language and the notices. @type {Record<string, Name[]>} */
const GROUPS = { look: ["theme", "board", "motion"], pieces: ["print", "numbering"], play: ["confirm", "premove", "letters"] };
/** The pieces that show what is set. */
const SHOWN = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "S", "B", "F"];

export async function showSettings() {
  await moreWords();
  let isChosen = false;
  await tell(say("settings"), h("div", { class: "stack" },
    h(Language, { later: say("settings-language-later"), chosen: () => (isChosen = true) }), h(Groups, { look: "" }), h(NoticeChoices, {})));
  // Everything is said anew in another language. Not at once: arrow keys go through the languages.
  // And not beside a game if the account brought the language.
  if (isChosen && settings.value.language !== spoken) location.reload();
}

/**
 * A language is called by its own name.
 * @param {{ later: string, chosen?: () => void }} props `later`: when another language is spoken.
 */
export function Language({ later, chosen }) {
  const now = settings.value;
  return h("div", { class: "stack tight" }, h("label", { class: "field" }, h("span", null, say("settings-language")),
    h("select", {
      value: now.language, "aria-describedby": "language-later",
      onChange: (/** @type {any} */ event) => {
        storeSettings({ ...settings.value, language: event.target.value });
        chosen?.();
      },
    },
      h("option", { value: "system" }, say("settings-language-system")),
      languages().map((tag) => h("option", { key: tag, value: tag, lang: tag }, nameOf(tag))))),
    h("p", { id: "language-later", class: "muted small" }, later));
}

/** The name of a language in that language. @param {string} tag */
function nameOf(tag) {
  const [first = "", ...rest] = new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;
  return first.toLocaleUpperCase(tag) + rest.join("");
}

/** The groups of settings, each of this look. @param {{ look: string }} props */
export function Groups({ look }) {
  return Object.entries(GROUPS).map(([group, names]) => h("section", { key: group, class: `stack tight ${look}` },
    h("h2", null, say(`settings-group-${group}`)),
    group === "pieces" ? h("div", { class: "shown-pieces" }, SHOWN.map((identity, at) => h(PieceArt, { key: identity, side: at % 2 ? "blue" : "red", identity }))) : null,
    names.map((name) => h(CHOICES[name] === SWITCH ? Switch : Select, { key: name, name }))));
}

/** @param {{ name: Name }} props */
function Select({ name }) {
  return h("label", { class: "field" }, h("span", null, say(`settings-${name}`)),
    h("select", { value: settings.value[name], onChange: (/** @type {any} */ event) => set(name, event.target.value) },
      CHOICES[name].map((value) => h("option", { key: value, value }, say(`settings-${name}-value`, { value })))));
}

/** @param {{ name: Name }} props */
function Switch({ name }) {
  return h("label", { class: "check" },
    h("input", { type: "checkbox", checked: settings.value[name] === "on", onChange: (/** @type {any} */ event) => set(name, event.target.checked ? "on" : "off") }),
    h("span", null, say(`settings-${name}`)));
}

/** @param {keyof Settings} name @param {string} value */
function set(name, value) {
  storeSettings(/** @type {Settings} */ ({ ...settings.value, [name]: value }));
}

/** The switches of sounds and notifications. */
export function NoticeChoices() {
  const now = settings.value;
  /** @param {"sound" | `notify_${Kind}`} name @param {boolean} isOn */
  const change = async (name, isOn) => {
    // Browsers ask only when the player has just clicked.
    if (isOn && name !== "sound" && !mayNotify() && await askBrowser() !== "granted") show(say("notify-refused"));
    set(name, isOn ? "on" : "off");
  };
  /** @param {"sound" | `notify_${Kind}`} name */
  const choice = (name) => h("label", { class: "check", key: name },
    h("input", { type: "checkbox", checked: now[name] === "on", onChange: (/** @type {any} */ event) => void change(name, event.target.checked) }),
    h("span", null, say(`settings-${name.replace("_", "-")}`)));
  return h("fieldset", { class: "stack tight notices" }, h("legend", null, say("settings-notices")),
    choice("sound"), KINDS.map((kind) => choice(`notify_${kind}`)));
}
