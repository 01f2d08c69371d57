// The choices of an offer that most games do without: changed rules, a secret deployment, and whose
// rating is wanted.

import { fixedValue, groupsOf, meaningOf as meaning } from "../game/rules.js";
import { allWords, rulesets, say } from "../state.js";
import { h } from "../vendor/library.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/rules.js").RuleOption} RuleOption */

/**
 * What is chosen. `changes`: values of options by their names; `min`, `max`: as typed.
 * @typedef {{ changes: Readonly<Record<string, string>>, isSecret: boolean, min: string, max: string }} More
 */

/** @type {More} */
export const NOTHING_MORE = { changes: {}, isSecret: false, min: "", max: "" };

/**
 * @param {{ rules: Rules, more: More, change: (more: More) => void, whyNoRange: string }} props
 * `whyNoRange`: why no rating can be asked for; empty if it can.
 */
export function MoreChoices({ rules, more, change, whyNoRange }) {
  const set = (/** @type {string} */ name, /** @type {string} */ value) => change({ ...more, changes: { ...more.changes, [name]: value } });
  return h("details", { class: "more-choices" },
    h("summary", null, say("play-more")),
    h("div", { class: "stack" },
      h("p", { class: "muted small" }, say("play-more-text")),
      groupsOf(rulesets.value).map(({ group, options }) => ({ group, options: options.filter(({ name }) => concerns(rules, name)) }))
        .filter(({ options }) => options.length > 0)
        .map(({ group, options }) => h("fieldset", { key: group, class: "stack tight option-group" },
          h("legend", null, say("option-group", { group })),
          options.map((option) => h(Option, { key: option.name, rules, known: option, chosen: more.changes[option.name], set })))),
      h("fieldset", { class: "stack tight option-group" },
        h("legend", null, say("option-group", { group: "terms" })),
        h("label", { class: "check" },
          h("input", { type: "checkbox", checked: more.isSecret, onChange: () => change({ ...more, isSecret: !more.isSecret }) }), say("form-secret")),
        h(Range, { more, change, why: whyNoRange }))));
}

/** True if a ruleset has a rule, fixed or not. @param {Rules} rules @param {string} name */
function concerns(rules, name) {
  return fixedValue(rules, name) !== undefined || rules.options.some((option) => option.name === name);
}

/**
 * One rule, with what each value means. A rule that is fixed shows what it is, and says why it is
 * greyed.
 * @param {{ rules: Rules, known: RuleOption, chosen: string | undefined, set: (name: string, value: string) => void }} props
 */
function Option({ rules, known, chosen, set }) {
  const { name } = known;
  const own = rules.options.find((option) => option.name === name);
  const value = own ? own.values.find((one) => one.name === chosen)?.name ?? own.value : fixedValue(rules, name) ?? "";
  const values = own ? own.values : [{ name: value, meaning: meaningOf(known, value) }];
  const why = own ? "" : say("option-fixed");
  const id = `why-${name}`;
  return h("div", { class: "stack tight" }, h("label", { class: "field" },
    h("span", null, say("option-name", { option: name })),
    h("select", {
      value, disabled: !own, "aria-describedby": why ? id : undefined, onChange: (/** @type {any} */ event) => set(name, event.target.value),
    }, values.map((one) => h("option", { key: one.name, value: one.name },
      own && one.name === own.value ? say("option-usual", { meaning: meaningOf(known, one.name) }) : own ? meaningOf(known, one.name) : one.meaning)))),
    // A narrow list cuts what it shows.
    own ? h("small", { class: "muted narrow-only", "aria-hidden": "true" }, meaningOf(known, value)) : null,
    why ? h("small", { id, class: "muted" }, why) : null);
}

/** @param {RuleOption} option @param {string} value */
function meaningOf({ name, values }, value) {
  return meaning(name, values.find((one) => one.name === value) ?? { name: value, meaning: value }, allWords());
}

/** @param {{ more: More, change: (more: More) => void, why: string }} props */
function Range({ more, change, why }) {
  /** @param {"min" | "max"} name */
  const bound = (name) => h("label", { class: "field" }, h("span", null, say("form-rating", { bound: name })),
    h("input", {
      type: "number", min: 0, max: 4000, step: 1, inputmode: "numeric", value: more[name], disabled: why !== "",
      "aria-describedby": why ? "why-range" : undefined, onInput: (/** @type {any} */ event) => change({ ...more, [name]: event.target.value }),
    }));
  return h("div", { class: "stack tight" }, h("div", { class: "two" }, bound("min"), bound("max")),
    why ? h("small", { id: "why-range", class: "muted" }, why) : null);
}
