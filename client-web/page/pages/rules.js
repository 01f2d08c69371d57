// Every ruleset in plain words, with diagrams.

import { armyOf, boardTexts, piecesOf, sectionsOf, startPosition } from "../game/explain.js";
import { letterOf, meaningOf, summaryOf, titleOf } from "../game/rules.js";
import { PieceArt } from "../parts/basics.js";
import { DiagramFigure, Position, sayText } from "../parts/diagram.js";
import { useTitle } from "../parts/load.js";
import { allWords, rulesets, say } from "../state.js";
import { h } from "../vendor/library.js";

/** @typedef {import("../game/rules.js").Rules} Rules */

/** @param {{ id?: string }} props */
export function RulesPage({ id }) {
  const rules = rulesets.value.find((rules) => rules.id === id);
  useTitle(rules ? titleOf(rules, allWords()) : say("rules-page-title"));
  if (rules) return h(Ruleset, { rules });
  if (id !== undefined) {
    return h("div", { class: "page stack narrow" },
      h("h1", null, say("rules-unknown")),
      h("p", { class: "muted" }, say("rules-unknown-text")),
      h("a", { class: "button main", href: "/rules" }, say("rules-all")));
  }
  return h("div", { class: "page stack" },
    h("h1", null, say("rules-page-title")),
    h("p", { class: "muted lead" }, say("rules-page-lead")),
    h("ul", { class: "cards" }, rulesets.value.map((rules) => h("li", { key: rules.id, class: "card ruleset-card" },
      h("h2", null, h("a", { href: `/rules/${rules.id}` }, titleOf(rules, allWords()))),
      h("p", { class: "small" }, summaryOf(rules, allWords())),
      h("p", { class: "muted small numbers" }, factsOf(rules))))));
}

/** @param {Rules} rules */
function factsOf(rules) {
  return say("ruleset-facts", { columns: rules.columns, rows: rules.rows, count: piecesOf(rules) });
}

/** @param {{ rules: Rules }} props */
function Ruleset({ rules }) {
  return h("article", { class: "page rules-page" },
    h("p", { class: "small" }, h("a", { href: "/rules" }, say("rules-all"))),
    h("h1", null, titleOf(rules, allWords())),
    h("p", { class: "muted lead" }, summaryOf(rules, allWords())),
    h("p", { class: "row-of" },
      h("a", { class: "button main", href: `/play?rules=${rules.id}` }, say("rules-play")),
      rules.start === "deployments" ? h("a", { class: "button", href: `/deployments/${rules.id}` }, say("rules-deployments")) : null),
    h("div", { class: "columns wide-first rules-start" },
      h(BoardSection, { rules }),
      h(Army, { rules })),
    sectionsOf(rules).map(({ title, paragraphs, diagrams }) => h("section", { key: title.id, class: "rules-section" },
      h("h2", null, sayText(title)),
      paragraphs.map((paragraph) => h("p", { key: paragraph.id }, sayText(paragraph))),
      diagrams.length > 0 ? h("div", { class: "diagrams" },
        diagrams.map((diagram) => h(DiagramFigure, { key: diagram.caption.id, diagram }))) : null)),
    h(CustomGames, { rules }));
}

/** @param {{ rules: Rules }} props */
function BoardSection({ rules }) {
  return h("section", { class: "stack tight" },
    h("h2", null, say("rules-board-title", { columns: rules.columns, rows: rules.rows })),
    h(Position, { position: startPosition(rules) }),
    h("p", { class: "muted small" }, say("rules-board-legend", { start: rules.start })),
    boardTexts(rules).map((text) => h("p", { key: text.id }, sayText(text))));
}

/** @param {{ rules: Rules }} props */
function Army({ rules }) {
  return h("section", { class: "stack tight" },
    h("h2", { id: "army" }, say("rules-army", { count: piecesOf(rules) })),
    h("table", { class: "figures army", "aria-labelledby": "army" },
      h("thead", { class: "aloud" }, h("tr", null,
        ["column-rank", "column-count", "column-note"].map((column) => h("th", { key: column, scope: "col" }, say(column))))),
      h("tbody", null, armyOf(rules).map(({ rank, count, note }) => h("tr", { key: rank },
        h("th", { scope: "row" }, h("span", { class: "army-rank" }, h(PieceArt, { side: "red", identity: letterOf(rank) }), say("rank", { rank }))),
        h("td", { class: "numbers" }, `×${count}`),
        h("td", { class: "muted small" }, note ? sayText(note) : ""))))));
}

/** What a custom game can change. @param {{ rules: Rules }} props */
function CustomGames({ rules }) {
  return h("section", { class: "rules-section" },
    h("h2", null, say("rules-changes")),
    h("p", null, say(rules.options.length > 0 ? "rules-changes-some" : "rules-changes-none")),
    h("ul", { class: "changes" }, rules.options.map(({ name, value, values }) => h("li", { key: name },
      values.map((one) => h("div", { key: one.name, class: one.name === value ? "here" : "muted" },
        say("rules-change", { meaning: meaningOf(name, one, allWords()), here: one.name === value ? "yes" : "no" })))))));
}
