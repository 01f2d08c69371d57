// Settings, kept on the device: on a page of their own, and as a dialog beside a game.

import { moreWords, say, settings, storeSettings } from "../state.js";
import { h } from "../vendor/library.js";
import { languages } from "../words.js";
import { PieceArt } from "./basics.js";
import { tell } from "./dialog.js";
import { NoticeChoices } from "./notices.js";

/** @typedef {import("../state.js").Settings} Settings */

/** What can be set, and its values. Switches have none. @type {{ group: string, choices: { name: keyof Settings, values?: string[] }[] }[]} */
const GROUPS = [
  { group: "look", choices: [{ name: "theme", values: ["system", "light", "dark"] }, { name: "board", values: ["plain", "green", "checkered"] }, { name: "motion", values: ["system", "none"] }] },
  { group: "pieces", choices: [{ name: "print", values: ["normal", "large", "glyphs"] }, { name: "numbering", values: ["us", "eu"] }] },
  {
    group: "play",
    choices: [{ name: "confirm", values: ["system", "never", "strikes", "always"] }, { name: "premove" }, { name: "letters" }],
  },
];
/** The pieces that show what is set. */
const SHOWN = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "S", "B", "F"];

export async function showSettings() {
  await moreWords();
  const { language } = settings.value;
  await tell(say("settings"), h("div", { class: "stack" }, h(Language, { later: say("settings-language-later") }), h(Groups, { look: "" }), h(NoticeChoices, {})));
  // Everything is said anew in another language. Not at once: arrow keys go through the languages.
  if (settings.value.language !== language) location.reload();
}

/**
 * A language is called by its own name.
 * @param {{ later: string }} props `later`: when another language is spoken.
 */
export function Language({ later }) {
  const now = settings.value;
  return h("div", { class: "stack tight" }, h("label", { class: "field" }, h("span", null, say("settings-language")),
    h("select", {
      value: now.language, "aria-describedby": "language-later",
      onChange: (/** @type {any} */ event) => storeSettings({ ...settings.value, language: event.target.value }),
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
  return GROUPS.map(({ group, choices }) => h("section", { key: group, class: `stack tight ${look}` },
    h("h2", null, say(`settings-group-${group}`)),
    group === "pieces" ? h("div", { class: "shown-pieces" }, SHOWN.map((identity, at) => h(PieceArt, { key: identity, side: at % 2 ? "blue" : "red", identity }))) : null,
    choices.map(({ name, values }) => (values ? h(Select, { key: name, name, values }) : h(Switch, { key: name, name })))));
}

/** @param {{ name: keyof Settings, values: string[] }} props */
function Select({ name, values }) {
  return h("label", { class: "field" }, h("span", null, say(`settings-${name}`)),
    h("select", { value: settings.value[name], onChange: (/** @type {any} */ event) => set(name, event.target.value) },
      values.map((value) => h("option", { key: value, value }, say(`settings-${name}-value`, { value })))));
}

/** @param {{ name: keyof Settings }} props */
function Switch({ name }) {
  return h("label", { class: "check" },
    h("input", { type: "checkbox", checked: settings.value[name] === "on", onChange: (/** @type {any} */ event) => set(name, event.target.checked ? "on" : "off") }),
    h("span", null, say(`settings-${name}`)));
}

/** @param {keyof Settings} name @param {string} value */
function set(name, value) {
  storeSettings(/** @type {Settings} */ ({ ...settings.value, [name]: value }));
}
