// The filter of the open offers, and the offers that it selects.

import { speedOf } from "../game/rules.js";
import { line, rulesets, say, speak } from "../state.js";
import { h, useEffect, useRef } from "../vendor/library.js";
import { Waiting, rulesetTitle } from "./basics.js";
import { OfferList, offerFilter } from "./lists.js";

/** @typedef {import("../../types/messages").LobbyFilter} LobbyFilter */

const SPEEDS = ["bullet", "blitz", "rapid", "classical", "correspondence"];
/** A choice is announced after this time, because arrow keys pass through all choices. */
const ANNOUNCE_MS = 1_000;

/** Like `OfferList`. @param {{ seeks: readonly import("../../types/messages").Seek[], empty: any }} props */
export function FilteredOffers({ seeks, empty }) {
  const filter = offerFilter.value;
  const selected = filter ? seeks.filter(({ terms }) => selects(filter, terms)) : seeks;
  // The seeks are still those of the filter before.
  const isAsked = line.value.lobby?.filter !== filter;
  useAnnouncement(filter, isAsked, selected.length);
  return [
    h("div", { class: "stack tight", role: "group", "aria-label": say("offers-filter") },
      h(Select, { label: say("form-ruleset"), name: "ruleset", options: rulesets.value.map(({ id }) => [id, rulesetTitle(id)]) }),
      h("div", { class: "filter" },
        h(Select, { label: say("leaderboard-speed"), name: "speed", options: SPEEDS.map((speed) => [speed, say("speed", { speed })]) }),
        h(Select, { label: say("form-rated"), name: "rated", options: ["true", "false"].map((rated) => [rated, say("filter-rated", { rated })]) }))),
    selected.length === 0 && isAsked ? h(Waiting, { skeleton: "lines" })
      : h(OfferList, { seeks: selected, empty: filter ? [
        say("offers-selected", { count: 0 }), " ",
        h("button", { class: "button compact", onClick: () => (offerFilter.value = undefined) }, say("filter-clear")),
      ] : empty }),
  ];
}

/** True if the filter selects offers with these terms. @param {LobbyFilter} filter @param {import("../../types/messages").Terms} terms */
function selects({ ruleset, speed, rated }, terms) {
  return (!ruleset || ruleset === terms.ruleset.split(",")[0]) && (!speed || speed === speedOf(terms.time))
    && (rated === undefined || rated === (terms.rated ?? false));
}

/** Says how many offers a changed filter selects. @param {LobbyFilter | undefined} filter @param {boolean} isAsked @param {number} count */
function useAnnouncement(filter, isAsked, count) {
  const announced = useRef(filter);
  const latest = useRef(count);
  latest.current = count;
  useEffect(() => {
    if (isAsked || announced.current === filter) return undefined;
    const timer = setTimeout(() => {
      announced.current = filter;
      speak(say("offers-selected", { count: latest.current }));
    }, ANNOUNCE_MS);
    return () => clearTimeout(timer);
  }, [filter, isAsked]);
}

/** `options`: values and texts. @param {{ label: string, name: keyof LobbyFilter, options: string[][] }} props */
function Select({ label, name, options }) {
  /** @param {string} value */
  const choose = (value) => {
    const { [name]: _, ...others } = offerFilter.value ?? {};
    const filter = value ? { ...others, [name]: name === "rated" ? value === "true" : value } : others;
    offerFilter.value = Object.keys(filter).length > 0 ? filter : undefined;
  };
  return h("label", { class: "field" }, h("span", null, label),
    h("select", { value: String(offerFilter.value?.[name] ?? ""), onChange: (/** @type {any} */ event) => choose(event.target.value) },
      [["", say("filter-any")], ...options].map(([value, text]) => h("option", { key: value, value }, text))));
}
