// The player's own results by rules, side and deployment.

import { Waiting, rulesetTitle } from "../parts/basics.js";
import { shown, useAnswer, useTitle, useWho } from "../parts/load.js";
import { SetupPicture, addressOf } from "../parts/library.js";
import { rulesFor, say } from "../state.js";
import { h } from "../vendor/library.js";

/** @typedef {import("../../types/api").RulesetStatistics} RulesetStatistics */
/** @typedef {import("../../types/api").Statistics} Statistics */
/** @typedef {import("../../types/api").Tally} Tally */

export function StatisticsPage() {
  const { isKnown, isAccount } = useWho();
  useTitle(say("statistics"));
  return h("div", { class: "page stack" },
    h("h1", null, say("statistics")),
    !isKnown ? h(Waiting, { skeleton: "page-skeleton" }) : isAccount ? h(Own, {}) : h(Nothing, { what: "guest", href: "/account", link: "sign-up" }));
}

/** @param {{ what: "guest" | "empty", href: string, link: string }} props */
function Nothing({ what, href, link }) {
  return h("section", { class: "card stack tight" },
    h("h2", null, say(`statistics-${what}`)),
    h("p", { class: "muted" }, say(`statistics-${what}-text`)),
    h("p", null, h("a", { class: "button main", href }, say(link))));
}

function Own() {
  const asked = /** @type {import("../parts/load.js").Asked<Statistics>} */ (useAnswer("/api/me/statistics"));
  return shown(asked, ({ rulesets }) => (rulesets.length === 0 ? h(Nothing, { what: "empty", href: "/play", link: "games-start" }) : [
    h("p", { class: "muted" }, say("statistics-lead")),
    rulesets.map((of) => h(OfRuleset, { key: of.ruleset, of })),
  ]));
}

/** @param {{ of: RulesetStatistics }} props */
function OfRuleset({ of: { ruleset, by_side: sides, by_deployment: deployments } }) {
  const rules = rulesFor(ruleset);
  const all = { won: sides.red.won + sides.blue.won, drawn: sides.red.drawn + sides.blue.drawn, lost: sides.red.lost + sides.blue.lost };
  /** @type {["all" | "red" | "blue", Tally][]} */
  const rows = [["all", all], ["red", sides.red], ["blue", sides.blue]];
  return h("section", { class: "card stack tight" },
    h("h2", { id: `of-${ruleset}` }, rulesetTitle(ruleset)),
    h("div", { class: "scrolls", role: "region", tabIndex: 0, "aria-labelledby": `of-${ruleset}` }, h("table", { class: "figures" },
      h("thead", null, h("tr", null,
        h("th", { scope: "col" }, say("column-side")),
        ["column-won", "column-drawn", "column-lost", "column-share"].map((column) => h("th", { key: column, scope: "col", class: "end" }, say(column))))),
      h("tbody", null, rows.filter(([, tally]) => shareOf(tally) !== undefined).map(([side, tally]) => h("tr", { key: side },
        h("th", { scope: "row" }, say("statistics-side", { side })),
        [tally.won, tally.drawn, tally.lost].map((count, index) => h("td", { key: index, class: "numbers end" }, count)),
        h("td", { class: "numbers end" }, say("statistics-share", { percent: shareOf(tally) ?? 0 }))))))),
    rules && deployments.length > 0 ? h("details", null, h("summary", null, say("statistics-deployments")),
      h("ul", { class: "list" }, deployments.map(({ setup, tally }) => h("li", { key: String(setup) },
        h("div", { class: "stack tight of-deployment" },
          h(SetupPicture, { setup: String(setup), rules }),
          h("div", { class: "row-of spread small" },
            h("span", { class: "numbers" }, say("tally", tally), ` · ${say("statistics-share", { percent: shareOf(tally) ?? 0 })}`),
            h("a", { href: new URL(addressOf(ruleset, String(setup))).href.slice(location.origin.length) }, say("statistics-open")))))))) : null);
}

/** The points won of those played for, in percent; a draw is half a point. @param {Tally} tally */
export function shareOf({ won, drawn, lost }) {
  const games = won + drawn + lost;
  return games === 0 ? undefined : Math.floor(((won * 2 + drawn) * 50) / games);
}
