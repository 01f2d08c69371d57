// The library of deployments.

import { readLibrary, writeLibrary } from "../game/setups.js";
import { OpenFile, SetupPicture, useLibrary } from "../parts/library.js";
import { saveFile, suggestionsAt, useAnswer, useTitle, waiting } from "../parts/load.js";
import { rulesetTitle } from "../parts/basics.js";
import { go } from "../route.js";
import { rulesets, say, show } from "../state.js";
import { h, useState } from "../vendor/library.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/setups.js").Saved} Saved */
/** @typedef {ReturnType<typeof useLibrary>} Library */
/** @typedef {import("../../types/api").SuggestedDeployments} SuggestedDeployments */

/** The rulesets that have deployments. */
export function deployable() {
  return rulesets.value.filter((rules) => rules.start === "deployments");
}

export function DeploymentsPage() {
  const library = useLibrary();
  useTitle(say("deployments-title"));
  const { saved, asked, left } = library;
  return h("div", { class: "page stack" },
    h("h1", null, say("deployments-title")),
    h("p", { class: "muted lead" }, say("deployments-lead", { place: library.place })),
    h(NewOne, {}),
    left.length > 0 ? h("section", { class: "card row-of spread" },
      h("p", null, say("deployments-left", { count: left.length })),
      h("button", { class: "button compact main", onClick: () => tellDone(library.takeOver(), say("deployments-taken")) }, say("deployments-take"))) : null,
    saved ? h(Files, { library }) : null,
    // Last, because suggestions arrive later and move what is below them.
    !saved ? waiting(asked)
      : saved.length === 0 ? h(Suggestions, { ruleset: deployable()[0]?.id ?? "" })
      : deployable().map((rules) => h(OfRuleset, { key: rules.id, rules, saved: saved.filter(({ ruleset }) => ruleset === rules.id) })));
}

/** @param {Promise<{ trouble?: string }>} done @param {string} told */
async function tellDone(done, told) {
  const { trouble } = await done;
  show(trouble ?? told);
}

/** Starts a new deployment. */
function NewOne() {
  const [ruleset, setRuleset] = useState(deployable()[0]?.id ?? "");
  return h("form", {
    class: "card row-of new-one",
    onSubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      go(`/deployments/${ruleset}`);
    },
  },
    h("label", { class: "field" }, h("span", null, say("form-ruleset")),
      h("select", { value: ruleset, onChange: (/** @type {any} */ event) => setRuleset(event.target.value) },
        deployable().map(({ id }) => h("option", { key: id, value: id }, rulesetTitle(id))))),
    h("button", { class: "button main" }, say("deployment-new")));
}

/** @param {{ rules: Rules, saved: readonly Saved[] }} props */
function OfRuleset({ rules, saved }) {
  if (saved.length === 0) return null;
  return h("section", { class: "stack tight" },
    h("h2", null, rulesetTitle(rules.id)),
    h("ul", { class: "cards setup-cards" }, [...saved].sort((a, b) => a.name.localeCompare(b.name)).map(({ name, setup }) =>
      h("li", { key: name, class: "card ruleset-card" },
        h("h3", null, h("a", { href: `/deployments/${rules.id}/${name}` }, name)),
        h(SetupPicture, { setup, rules })))));
}

/** Three deployments to start from. @param {{ ruleset: string }} props */
export function Suggestions({ ruleset }) {
  const rules = rulesets.value.find(({ id }) => id === ruleset);
  const asked = /** @type {import("../parts/load.js").Asked<SuggestedDeployments>} */ (useAnswer(suggestionsAt(ruleset)));
  if (!rules) return null;
  return h("section", { class: "stack tight" },
    h("h2", null, say("suggestions-title")),
    h("p", { class: "muted" }, say("suggestions-text", { ruleset: rulesetTitle(ruleset) })),
    !asked.value ? waiting(asked) : h("ul", { class: "cards setup-cards" }, asked.value.setups.map((setup, index) => h("li", { key: setup, class: "card ruleset-card" },
      h("h3", null, h("a", { href: `/deployments/${ruleset}#${setup}` }, say("suggestion", { number: index + 1 }))),
      h(SetupPicture, { setup, rules })))));
}

/** The library as a file. @param {{ library: Library }} props */
function Files({ library }) {
  const { saved } = library;
  /** @param {string} text */
  const open = async (text) => {
    const read = readLibrary(text, rulesets.value);
    if ("wrong" in read) {
      show(read.wrong === "one" ? say("file-wrong-one", { ruleset: read.ruleset, name: read.name }) : say("file-wrong"));
      return;
    }
    for (const one of read.saved) {
      const { trouble } = await library.save(one);
      if (trouble) return void show(trouble);
    }
    show(say("file-read", { count: read.saved.length }));
  };
  return h("section", { class: "stack tight" },
    h("h2", null, say("files-title")),
    h("p", { class: "muted small" }, say("files-text")),
    h("div", { class: "row-of" },
      h(OpenFile, { label: say("file-open"), accept: ".json,application/json", tooLarge: say("file-too-large"), open }),
      h("button", {
        class: "button compact", disabled: !saved || saved.length === 0,
        onClick: () => saveFile("flagfall-deployments.json", writeLibrary(saved ?? []), "application/json"),
      }, say("file-save"))));
}
