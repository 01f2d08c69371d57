// Every choice of a game: terms, and against whom; and the open offers.

import { customId, summaryOf, titleOf } from "../game/rules.js";
import { Waiting, changesText, timeText } from "../parts/basics.js";
import { MoreChoices, NOTHING_MORE } from "../parts/custom.js";
import { GameList, OfferList, PoolCard, offerId, useLobby } from "../parts/lists.js";
import { useTitle } from "../parts/load.js";
import { go } from "../route.js";
import { allWords, askOrTell, housePlayers, line, rulesets, say } from "../state.js";
import { h, useEffect, useRef, useState } from "../vendor/library.js";

/** @typedef {import("../../types/messages").Terms} Terms */
/** @typedef {import("../../types/messages").Time} Time */
/** @typedef {import("../../types/messages").Side} Side */
/** @typedef {import("../../types/messages").RatingWish} RatingWish */

/** @type {Time[]} */
const TIMES = [
  { kind: "unlimited" },
  { kind: "fischer", base_s: 180, increment_s: 2 },
  { kind: "fischer", base_s: 600, increment_s: 5 },
  { kind: "fischer", base_s: 900, increment_s: 10 },
  { kind: "delay", base_s: 1_200, free_s: 10 },
  { kind: "correspondence", days: 3 },
];
const OPPONENTS = /** @type {const} */ (["house", "anybody", "pool", "friend"]);

export function PlayPage() {
  const lobby = useLobby();
  useTitle(say("play-title"));
  return h("div", { class: "page stack" },
    h("h1", null, say("play-title")),
    h(PoolCard, {}),
    h("div", { class: "columns wide-first" },
      h(OfferForm, {}),
      h("div", { class: "stack" },
        h("section", { class: "card stack" },
          h("h2", null, say("offers")),
          lobby ? h(OfferList, { seeks: lobby.seeks, empty: say("offers-empty") }) : h(Waiting, { skeleton: "lines" }),
          lobby ? h("p", { class: "muted small numbers" }, say("players-online", { count: lobby.players_online })) : null),
        h("section", { class: "card stack" },
          h("h2", null, say("live-games")),
          lobby ? h(GameList, { games: lobby.games, empty: say("live-games-empty"), isOwn: false }) : h(Waiting, { skeleton: "lines" })))));
}

/** The rules that the address names. */
function rulesetHere() {
  const named = new URLSearchParams(location.search).get("rules");
  return rulesets.value.some(({ id }) => id === named) ? String(named) : "classic";
}

function OfferForm() {
  const [ruleset, setRuleset] = useState(rulesetHere);
  const [time, setTime] = useState(2);
  const [who, setWho] = useState(/** @type {typeof OPPONENTS[number]} */ ("house"));
  const [level, setLevel] = useState("simple");
  const [side, setSide] = useState("any");
  const [isRated, setRated] = useState(false);
  const [isPrivate, setPrivate] = useState(false);
  const [more, setMore] = useState(NOTHING_MORE);
  const [isBusy, setBusy] = useState(false);
  const [posted, setPosted] = useState("");
  const rules = rulesets.value.find((rules) => rules.id === ruleset);
  const levels = housePlayers.value.filter((house) => house.rulesets.includes(ruleset)).map((house) => house.level);
  const shownLevel = levels.includes(level) ? level : levels.at(-1) ?? level;
  const isGuest = line.value.player?.kind !== "account" && line.value.player?.kind !== "bot";
  const id = rules ? customId(rules, more.changes) : ruleset;
  const isCustom = id !== ruleset;
  const why = isGuest ? say("rated-needs-account") : who === "house" ? say("rated-not-house") : isCustom ? say("rated-not-custom") : "";
  const isTimed = (TIMES[time] ?? { kind: "unlimited" }).kind !== "unlimited";
  const whyNoRange = who !== "anybody" ? say("range-only-anybody") : isCustom || !isTimed ? say("range-no-ratings") : "";
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    const outcome = await offer(who, shownLevel, {
      ruleset: id, time: TIMES[time] ?? { kind: "unlimited" },
      ...(isRated && !why ? { rated: true } : {}), ...(isPrivate ? { private: true } : {}), ...(more.isSecret ? { secret: true } : {}),
    }, side === "any" ? undefined : /** @type {Side} */ (side), whyNoRange ? undefined : rangeOf(more));
    setBusy(false);
    setPosted(outcome?.kind === "seek" ? outcome.seek : "");
  };
  return h("form", { class: "card stack", onSubmit: submit },
    h(Select, { label: say("form-ruleset"), value: ruleset, onChange: setRuleset,
      options: rulesets.value.map((rules) => [rules.id, titleOf(rules, allWords())]) }),
    h("p", { class: "muted small summary" }, rules && summaryOf(rules, allWords())),
    h("div", { class: "two" },
      h(Select, { label: say("form-time"), value: String(time), onChange: (value) => setTime(Number(value)),
        options: TIMES.map((time, index) => [String(index), timeText(time)]) }),
      h(Select, { label: say("form-side"), value: side, onChange: setSide,
        options: ["any", "red", "blue"].map((side) => [side, say("form-side-option", { side })]) })),
    h("fieldset", { class: "field" },
      h("span", null, say("form-opponent")),
      h("div", { class: "segments", role: "radiogroup", "aria-label": say("form-opponent") }, OPPONENTS.map((one) =>
        h("label", { key: one, class: who === one ? "chosen" : "" },
          h("input", { type: "radio", name: "who", class: "aloud", checked: who === one, onChange: () => setWho(one) }),
          say("form-opponent-option", { who: one }))))),
    who === "house" ? h(Select, { label: say("form-level"), value: shownLevel, onChange: setLevel,
      options: levels.map((level) => [level, say("level", { level })]) }) : null,
    h("div", { class: "stack tight" },
      h("label", { class: "check" },
        h("input", { type: "checkbox", checked: isRated && !why, disabled: why !== "", onChange: () => setRated(!isRated) }),
        h("span", null, say("form-rated"), why ? h("span", { class: "muted small" }, ` ${why}`) : null)),
      h("label", { class: "check" },
        h("input", { type: "checkbox", checked: isPrivate, onChange: () => setPrivate(!isPrivate) }), say("form-private"))),
    rules ? h(MoreChoices, { rules, more, change: setMore, whyNoRange }) : null,
    isCustom ? h("div", { class: "stack tight small", role: "status" }, h("strong", null, say("play-changed")),
      h("ul", { class: "points" }, changesText(id).map((change) => h("li", { key: change }, change)))) : null,
    h("button", { class: "button main", disabled: isBusy, "aria-busy": isBusy }, say("form-submit", { who })),
    h(Posted, { seek: posted, forget: () => setPosted("") }));
}

/**
 * Says that an offer is posted, and leads to it, until it is withdrawn or accepted.
 * @param {{ seek: string, forget: () => void }} props `seek`: the id of the offer, or nothing.
 */
function Posted({ seek, forget }) {
  const isListed = line.value.lobby?.seeks.some(({ id }) => id === seek) ?? false;
  const listed = useRef("");
  useEffect(() => {
    if (isListed) listed.current = seek;
    else if (seek && listed.current === seek) forget();
  }, [seek, isListed]);
  return h("div", { class: "stack tight posted", role: "status" }, seek ? [
    h("strong", null, say("offer-posted")),
    isListed ? h("div", null, h("button", {
      class: "button compact", type: "button", onClick: () => document.getElementById(offerId(seek))?.focus(),
    }, say("offer-show"))) : null,
  ] : null);
}

/** The bounds that were typed. @param {import("../parts/custom.js").More} more @returns {RatingWish | undefined} */
function rangeOf({ min, max }) {
  if (!min && !max) return undefined;
  return { kind: "between", ...(min ? { min: Number(min) } : {}), ...(max ? { max: Number(max) } : {}) };
}

/**
 * @param {typeof OPPONENTS[number]} who @param {string} level @param {Terms} terms @param {Side | undefined} side
 * @param {RatingWish | undefined} rating
 */
async function offer(who, level, terms, side, rating) {
  const wish = side ? { side } : {};
  switch (who) {
    case "house": return askOrTell({ type: "play_bot", bot: level, terms, ...wish });
    case "anybody": return askOrTell({ type: "seek", terms, ...wish, ...(rating ? { rating } : {}) });
    case "pool": return askOrTell({ type: "enter_pool", terms });
    case "friend": {
      const outcome = await askOrTell({ type: "challenge", terms, ...wish });
      if (outcome?.kind === "challenge") go(`/challenge#${outcome.challenge}`);
      return outcome;
    }
  }
}

/** @param {{ label: string, value: string, options: string[][], onChange: (value: string) => void }} props */
function Select({ label, value, options, onChange }) {
  return h("label", { class: "field" }, h("span", null, label),
    h("select", { value, onChange: (/** @type {any} */ event) => onChange(event.target.value) },
      options.map(([id, text]) => h("option", { key: id, value: id }, text))));
}
