// Settings, kept on the device.

import { say, settings, storeSettings } from "../state.js";
import { h } from "../vendor/library.js";
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

function Choices() {
  const now = settings.value;
  return h("div", { class: "stack" }, CHOICES.map(({ name, values }) =>
    h("label", { class: "field", key: name }, h("span", null, say(`settings-${name}`)),
      h("select", {
        value: now[name],
        onChange: (/** @type {any} */ event) => storeSettings(/** @type {Settings} */ ({ ...now, [name]: event.target.value })),
      }, values.map((value) => h("option", { key: value, value }, say(`settings-${name}-value`, { value })))))),
    h(NoticeChoices, {}));
}
