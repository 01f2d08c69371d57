// Settings, kept on the device.

import { say, settings, storeSettings } from "../state.js";
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
];

export function showSettings() {
  return tell(say("settings"), h(Choices, {}));
}

/** A language is chosen by its own name. All that was said is said anew, so the page loads again. */
function Language() {
  const now = settings.value;
  const choose = (/** @type {any} */ event) => {
    storeSettings({ ...now, language: event.target.value });
    location.reload();
  };
  return h("label", { class: "field" }, h("span", null, say("settings-language")),
    h("select", { value: now.language, onChange: choose },
      h("option", { value: "system" }, say("settings-language-system")),
      languages().map((tag) => h("option", { key: tag, value: tag, lang: tag }, nameOf(tag)))));
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
