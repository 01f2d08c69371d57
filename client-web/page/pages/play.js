// Every choice of a game: terms, and against whom; and the open offers.

import { changesOf, meaningOf as meaning, summaryOf, titleOf } from "../game/rules.js";
import { customId, fixedValue, groupsOf, readClock } from "../game/setups.js";
import { Waiting, changesText } from "../parts/basics.js";
import { storeDeployWith, useLibrary } from "../parts/library.js";
import { GameList, OfferList, PoolCard, offerId, useLobby } from "../parts/lists.js";
import { challengePlayer, useTitle } from "../parts/load.js";
import { ClockField, clockChoice, timeOf } from "../parts/terms.js";
import { go } from "../route.js";
import { allWords, askOrTell, deployWith, housePlayers, line, rulesets, say, show } from "../state.js";
import { h, useEffect, useRef, useState } from "../vendor/library.js";

/** @typedef {import("../../types/messages").Terms} Terms */
/** @typedef {import("../../types/messages").Side} Side */
/** @typedef {import("../../types/messages").RatingWish} RatingWish */
/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/rules.js").RuleOption} RuleOption */
/** @typedef {typeof OPPONENTS[number]} Opponent */

const OPPONENTS = /** @type {const} */ (["house", "anybody", "pool", "friend", "player"]);
const SIDES = /** @type {const} */ (["any", "red", "blue"]);

/**
 * What is chosen. `changes`: values of options by their names; `min`, `max`: as typed.
 * @typedef {{ changes: Readonly<Record<string, string>>, isSecret: boolean, min: string, max: string }} More
 */

/** @type {More} */
const NOTHING_MORE = { changes: {}, isSecret: false, min: "", max: "" };

export function PlayPage() {
  const lobby = useLobby();
  useTitle(say("play-title"));
  return h("div", { class: "page stack" },
    h("h1", null, say("play-title")),
    h(PoolCard, {}),
    h("div", { class: "columns wide-first" },
      h(OfferForm, { key: location.search }),
      h("div", { class: "stack" },
        h("section", { class: "card stack" },
          h("h2", null, say("offers")),
          lobby ? h(OfferList, { seeks: lobby.seeks, empty: say("offers-empty") }) : h(Waiting, { skeleton: "lines" }),
          lobby ? h("p", { class: "muted small numbers" }, say("players-online", { count: lobby.players_online })) : null),
        h("section", { class: "card stack" },
          h("h2", null, say("live-games")),
          lobby ? h(GameList, { games: lobby.games, empty: say("live-games-empty"), isOwn: false }) : h(Waiting, { skeleton: "lines" })))));
}

/** What the address fills in. */
function termsHere() {
  const asked = new URLSearchParams(location.search);
  const named = asked.get("rules") ?? "";
  const ruleset = rulesets.value.some(({ id }) => id === named.split(",")[0]) ? named : "classic";
  // A plus that was typed into an address is read as a blank.
  const time = readClock((asked.get("time") ?? "").replace(" ", "+")) ?? readClock("10+5");
  return {
    ruleset: ruleset.split(",")[0] ?? "", changes: Object.fromEntries(changesOf(ruleset)), clock: clockChoice(time ?? { kind: "unlimited" }),
    who: OPPONENTS.find((who) => who === asked.get("who")) ?? "house", level: asked.get("level") ?? "simple",
    side: SIDES.find((side) => side === asked.get("side")) ?? "any", name: asked.get("name") ?? "",
    isRated: asked.has("rated"), isPrivate: asked.has("private"),
  };
}

function OfferForm() {
  const [given] = useState(termsHere);
  const [ruleset, setRuleset] = useState(given.ruleset);
  const [clock, setClock] = useState(given.clock);
  const [wanted, setWho] = useState(/** @type {Opponent} */ (given.who));
  const [level, setLevel] = useState(given.level);
  const [side, setSide] = useState(/** @type {string} */ (given.side));
  const [name, setName] = useState(given.name);
  const [trouble, setTrouble] = useState("");
  const [isRated, setRated] = useState(given.isRated);
  const [isPrivate, setPrivate] = useState(given.isPrivate);
  const [more, setMore] = useState({ ...NOTHING_MORE, changes: given.changes });
  const [isBusy, setBusy] = useState(false);
  const [posted, setPosted] = useState("");
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const rules = rulesets.value.find((rules) => rules.id === ruleset);
  const levels = housePlayers.value.filter((house) => house.rulesets.includes(ruleset)).map((house) => house.level);
  const shownLevel = levels.includes(level) ? level : levels.at(-1) ?? level;
  const who = wanted === "house" && levels.length === 0 ? "anybody" : wanted;
  const isGuest = line.value.player?.kind !== "account" && line.value.player?.kind !== "bot";
  const id = rules ? customId(rules, more.changes) : ruleset;
  const isCustom = id !== ruleset;
  const time = timeOf(clock);
  const isTimed = time?.kind !== "unlimited";
  const needsAccount = isGuest && isTimed && !isCustom && who !== "house";
  const why = needsAccount ? say("rated-needs-account") : who === "house" ? say("rated-not-house") : isCustom ? say("rated-not-custom")
    : !isTimed ? say("rated-needs-clock") : "";
  const whyNoRange = who !== "anybody" ? say("range-only-anybody") : isCustom || !isTimed ? say("range-no-ratings") : "";
  const focusOn = (/** @type {string} */ field) => /** @type {HTMLElement | null | undefined} */ (form.current?.querySelector(field))?.focus();
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    // What is wrong stands beside the field.
    if (!time) return focusOn("[aria-invalid]");
    setBusy(true);
    const outcome = await offer(who, { level: shownLevel, name: name.trim() }, {
      ruleset: id, time,
      ...(isRated && !why ? { rated: true } : {}), ...(isPrivate ? { private: true } : {}), ...(more.isSecret ? { secret: true } : {}),
    }, side === "any" ? undefined : /** @type {Side} */ (side), whyNoRange ? undefined : rangeOf(more));
    setBusy(false);
    setPosted(outcome && "kind" in outcome && outcome.kind === "seek" ? outcome.seek : "");
    setTrouble(outcome && "trouble" in outcome ? outcome.trouble : "");
    if (outcome && "trouble" in outcome) focusOn("[name=name]");
  };
  return h("form", { class: "card stack", onSubmit: submit, ref: form },
    h(Select, { label: say("form-ruleset"), value: ruleset, onChange: setRuleset,
      options: rulesets.value.map((rules) => [rules.id, titleOf(rules, allWords())]) }),
    h("p", { class: "muted small summary" }, rules && summaryOf(rules, allWords())),
    h(ClockField, { choice: clock, change: setClock }),
    h("fieldset", { class: "field" },
      h("span", null, say("form-opponent")),
      h("div", { class: "segments", role: "radiogroup", "aria-label": say("form-opponent") }, OPPONENTS.map((one) =>
        h("label", { key: one, class: who === one ? "chosen" : "" },
          h("input", {
            type: "radio", name: "who", class: "aloud", checked: who === one, disabled: one === "house" && levels.length === 0, onChange: () => setWho(one),
          }),
          say("form-opponent-option", { who: one })))),
      levels.length === 0 ? h("small", { class: "muted" }, say("house-away")) : null),
    h("div", { class: "two" },
      h(Select, { label: say("form-side"), value: who === "pool" ? "any" : side, onChange: setSide, why: who === "pool" ? say("side-not-pool") : "",
        options: SIDES.map((side) => [side, say("form-side-option", { side })]) }),
      who === "house" ? h(Select, { label: say("form-level"), value: shownLevel, onChange: setLevel,
        options: housePlayers.value.map(({ level }) => (levels.includes(level) ? [level, say("level", { level })] : [level, say("level-away", { level }), "off"])) }) : null),
    who === "player" ? h("label", { class: "field" }, h("span", null, say("form-name")),
      h("input", {
        name: "name", value: name, required: true, minlength: 2, maxlength: 20, autocomplete: "off", spellcheck: false, autocapitalize: "off",
        "aria-describedby": "name-text name-trouble", onInput: (/** @type {any} */ event) => {
          setName(event.target.value);
          setTrouble("");
        },
      }),
      h("small", { id: "name-text", class: "muted" }, say("form-name-text")),
      h("small", { id: "name-trouble", class: "trouble", role: "alert" }, trouble)) : null,
    h("div", { class: "stack tight" },
      h("div", { class: "check" },
        h("label", { class: "check" },
          h("input", {
            type: "checkbox", checked: isRated && !why, disabled: why !== "", "aria-describedby": why ? "why-casual" : undefined, onChange: () => setRated(!isRated),
          }),
          say("form-rated")),
        why ? h("span", { id: "why-casual", class: "muted small" }, needsAccount ? h("a", { href: "/account" }, why) : why) : null),
      h("label", { class: "check" },
        h("input", { type: "checkbox", checked: isPrivate, onChange: () => setPrivate(!isPrivate) }), say("form-private"))),
    rules?.start === "deployments" ? h(DeploymentField, { ruleset }) : null,
    rules ? h(MoreChoices, { rules, more, change: setMore, whyNoRange }) : null,
    isCustom ? h("div", { class: "stack tight small", role: "status" }, h("strong", null, say("play-changed")),
      h("ul", { class: "points" }, changesText(id).map((change) => h("li", { key: change }, change)))) : null,
    h("button", { class: "button main", disabled: isBusy, "aria-busy": isBusy }, say("form-submit", { who })),
    h(Posted, { seek: posted, forget: () => setPosted("") }));
}

/** The saved deployment that the game offers when the player deploys. @param {{ ruleset: string }} props */
function DeploymentField({ ruleset }) {
  const saved = useLibrary().saved?.filter((one) => one.ruleset === ruleset) ?? [];
  if (saved.length === 0) return null;
  const chosen = deployWith.value[ruleset] ?? "";
  return h(Select, { label: say("form-deployment"), value: saved.some(({ name }) => name === chosen) ? chosen : "",
    onChange: (name) => storeDeployWith(ruleset, name), options: [["", say("form-deployment-later")], ...saved.map(({ name }) => [name, name])] });
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

/** The bounds that were typed. @param {More} more @returns {RatingWish | undefined} */
function rangeOf({ min, max }) {
  if (!min && !max) return undefined;
  return { kind: "between", ...(min ? { min: Number(min) } : {}), ...(max ? { max: Number(max) } : {}) };
}

/**
 * @param {Opponent} who @param {{ level: string, name: string }} whom @param {Terms} terms @param {Side | undefined} side
 * @param {RatingWish | undefined} rating
 */
async function offer(who, { level, name }, terms, side, rating) {
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
    case "player": {
      const done = await challengePlayer(name, terms, wish);
      if ("trouble" in done) return done;
      show(say("challenged", { name }));
      go(`/challenge#${done.challenge}`);
      return undefined;
    }
  }
}

/**
 * `options`: values and texts, with a third entry if one cannot be chosen. `why`: why nothing can.
 * @param {{ label: string, value: string, options: string[][], why?: string, onChange: (value: string) => void }} props
 */
function Select({ label, value, options, why = "", onChange }) {
  return h("label", { class: "field" }, h("span", null, label),
    h("select", { value, disabled: why !== "", onChange: (/** @type {any} */ event) => onChange(event.target.value) },
      options.map(([id, text, off]) => h("option", { key: id, value: id, disabled: off !== undefined }, text))),
    why ? h("small", { class: "muted" }, why) : null);
}

// The choices that most games do without: changed rules, a secret deployment, and limits for the
// opponent's rating.

/**
 * @param {{ rules: Rules, more: More, change: (more: More) => void, whyNoRange: string }} props
 * `whyNoRange`: why no rating can be asked for; empty if it can.
 */
function MoreChoices({ rules, more, change, whyNoRange }) {
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
