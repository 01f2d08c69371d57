// The best players, or the best bots, of a ruleset at a speed.

import { ratingText, shown, useAnswer, useTitle } from "../parts/load.js";
import { playerName } from "../parts/basics.js";
import { rulesetTitle } from "../parts/basics.js";
import { go } from "../route.js";
import { line, rulesets, say } from "../state.js";
import { h, useState } from "../vendor/library.js";

/** @typedef {import("../../types/api").Leaderboard} Leaderboard */

const SPEEDS = ["bullet", "blitz", "rapid", "classical", "correspondence"];
const KINDS = /** @type {const} */ (["people", "bots"]);

/** @param {{ ruleset?: string, speed?: string }} props */
export function LeaderboardPage({ ruleset = rulesets.value[0]?.id ?? "", speed = "rapid" }) {
  const [kind, setKind] = useState(/** @type {typeof KINDS[number]} */ ("people"));
  const asked = /** @type {import("../parts/load.js").Asked<Leaderboard>} */ (
    useAnswer(`/api/leaderboards/${ruleset}/${speed}${kind === "bots" ? "?bots=true" : ""}`));
  useTitle(say("leaderboard-title"));
  /**
   * @param {string} label @param {string} value @param {readonly string[][]} options
   * @param {(value: string) => void} choose
   */
  const select = (label, value, options, choose) => h("label", { class: "field" }, h("span", null, label),
    h("select", { value, onChange: (/** @type {any} */ event) => choose(event.target.value) },
      options.map(([id, text]) => h("option", { key: id, value: id }, text))));
  return h("div", { class: "page stack" },
    h("h1", null, say("leaderboard-title")),
    h("div", { class: "card two" },
      select(say("form-ruleset"), ruleset, rulesets.value.map(({ id }) => [id, rulesetTitle(id)]), (id) => go(`/leaderboard/${id}/${speed}`)),
      select(say("leaderboard-speed"), speed, SPEEDS.map((speed) => [speed, say("speed-long", { speed })]), (other) => go(`/leaderboard/${ruleset}/${other}`)),
      h("fieldset", { class: "field" },
        h("span", null, say("leaderboard-kind")),
        h("div", { class: "segments", role: "radiogroup", "aria-label": say("leaderboard-kind") }, KINDS.map((one) =>
          h("label", { key: one, class: kind === one ? "chosen" : "" },
            h("input", { type: "radio", name: "kind", class: "aloud", checked: kind === one, onChange: () => setKind(one) }),
            say("leaderboard-kind-option", { kind: one })))))),
    shown(asked, ({ entries }) => (entries.length === 0
      ? h("section", { class: "card stack tight" },
        h("h2", null, say("leaderboard-empty")),
        h("p", { class: "muted" }, say("leaderboard-empty-text")),
        h("p", null, h("a", { class: "button main", href: "/play" }, say("leaderboard-play"))))
      : [h(Entries, { entries }), h("p", { class: "muted small" }, say("leaderboard-text"))])));
}

/** @param {{ entries: Leaderboard["entries"] }} props */
function Entries({ entries }) {
  const own = line.value.player?.id;
  return h("section", { class: "card scrolls" }, h("table", { class: "figures" },
    h("thead", null, h("tr", null,
      h("th", { scope: "col" }, say("column-place")), h("th", { scope: "col" }, say("column-player")),
      h("th", { scope: "col", class: "end" }, say("column-points")), h("th", { scope: "col", class: "end" }, say("column-played")))),
    h("tbody", null, entries.map(({ place, player, now, games }) => h("tr", { key: player.id, class: player.id === own ? "own-row" : "" },
      h("td", { class: "numbers" }, place),
      h("th", { scope: "row" }, h("a", { href: `/@/${player.name}` }, playerName(player)), player.id === own ? ` (${say("you")})` : ""),
      h("td", { class: "numbers end" }, ratingText(now)),
      h("td", { class: "numbers end" }, games))))));
}
