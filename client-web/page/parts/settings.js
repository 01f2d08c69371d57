// Settings, kept on the device.

import { moreWords, say, settings, storeSettings } from "../state.js";
import { h } from "../vendor/library.js";
import { languages } from "../words.js";
import { tell } from "./dialog.js";
import { NoticeChoices } from "./notices.js";

/** @typedef {import("../state.js").Settings} Settings */

/** What can be set, and its values. @type {{ name: keyof Settings, values: string[] }[]} */
const CHOICES = [
  { name: "theme", values: ["system", "light", "dark"] },
  { name: "numbering", values: ["us", "eu"] },
  { name: "print", values: ["normal", "large"] },
  { name: "motion", values: ["system", "none"] },
  { name: "confirm", values: ["system", "never", "strikes", "always"] },
];

export async function showSettings() {
  await moreWords();
  const { language } = settings.value;
  await tell(say("settings"), h(Choices, {}));
  // Everything is said anew in another language. Not at once: arrow keys go through the languages.
  if (settings.value.language !== language) location.reload();
}

/** A language is called by its own name. */
function Language() {
  const now = settings.value;
  return h("div", { class: "stack tight" }, h("label", { class: "field" }, h("span", null, say("settings-language")),
    h("select", {
      value: now.language, "aria-describedby": "language-later",
      onChange: (/** @type {any} */ event) => storeSettings({ ...settings.value, language: event.target.value }),
    },
      h("option", { value: "system" }, say("settings-language-system")),
      languages().map((tag) => h("option", { key: tag, value: tag, lang: tag }, nameOf(tag))))),
    h("p", { id: "language-later", class: "muted small" }, say("settings-language-later")));
}

/** The name of a language in that language. @param {string} tag */
function nameOf(tag) {
  const [first = "", ...rest] = new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;
  return first.toLocaleUpperCase(tag) + rest.join("");
}

function Choices() {
  const now = settings.value;
  return h("div", { class: "stack" }, h(Language, {}), CHOICES.map(({ name, values }) =>
    h("label", { class: "field", key: name }, h("span", null, say(`settings-${name}`)),
      h("select", {
        value: now[name],
        onChange: (/** @type {any} */ event) => storeSettings(/** @type {Settings} */ ({ ...now, [name]: event.target.value })),
      }, values.map((value) => h("option", { key: value, value }, say(`settings-${name}-value`, { value })))))),
    h(NoticeChoices, {}));
}
