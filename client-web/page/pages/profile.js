// A player: ratings with their chart, games, head to head, block and challenge.

import { playerName, rulesetTitle, timeText } from "../parts/basics.js";
import { challengePlayer, change, dateText, ratingText, request, shown, useAnswer, useTitle, useWho } from "../parts/load.js";
import { RatingChart } from "../parts/rating_chart.js";
import { go } from "../route.js";
import { rulesets, say, show } from "../state.js";
import { h, useEffect, useState } from "../vendor/library.js";

/** @typedef {import("../../types/api").Profile} Profile */
/** @typedef {import("../../types/api").RatingInfo} RatingInfo */
/** @typedef {import("../../types/api").RatingHistory} RatingHistory */
/** @typedef {import("../../types/api").PlayedGame} PlayedGame */
/** @typedef {import("../../types/api").PlayedGames} PlayedGames */
/** @typedef {import("../../types/api").HeadToHead} HeadToHead */
/** @typedef {import("../../types/api").BlockList} BlockList */
/** @template T @typedef {import("../parts/load.js").Asked<T>} Asked */

/** @param {{ name: string }} props */
export function ProfilePage({ name }) {
  const asked = /** @type {Asked<Profile>} */ (useAnswer(`/api/players/${name}`));
  useTitle(asked.value?.player.name ?? name);
  return h("div", { class: "page stack" },
    asked.refusal && !asked.value ? h("h1", null, name) : null,
    shown(asked, (profile) => h(Player, { profile, key: profile.player.id }), "whole-skeleton"));
}

/** @param {{ profile: Profile }} props */
function Player({ profile }) {
  const { player, created } = profile;
  const who = useWho();
  const ratings = profile.ratings ?? [];
  const isOwn = who.player?.id === player.id;
  const isOther = who.player !== undefined && !isOwn;
  return h("div", { class: "stack" },
    h("div", { class: "row-of spread" },
      h("div", null,
        h("h1", null, playerName(player)),
        h("p", { class: "muted" }, say("profile", { name: player.name, kind: player.kind, since: dateText(created) }))),
      h("div", { class: "row-of" },
        isOwn || player.kind === "house" ? null : h(Challenge, { name: player.name, kind: player.kind }),
        isOther && player.kind !== "house" ? h(Block, { name: player.name, id: player.id }) : null)),
    player.kind === "guest" || player.kind === "house" ? null : h(Ratings, { name: player.name, ratings, isOwn }),
    isOther && who.player ? h(Against, { name: who.player.name, other: player.name }) : null,
    h(Games, { name: player.name, isOwn }));
}

/** @param {{ name: string, ratings: readonly RatingInfo[], isOwn: boolean }} props */
function Ratings({ name, ratings, isOwn }) {
  const sorted = [...ratings].sort((a, b) => b.games - a.games);
  const [chosen, setChosen] = useState(0);
  const one = sorted[chosen];
  if (!one) {
    return h("section", { class: "card stack tight" }, h("h2", null, say("ratings")),
      h("p", { class: "muted" }, say(isOwn ? "ratings-empty-own" : "ratings-empty")));
  }
  return h("section", { class: "card stack" },
    h("h2", { id: "ratings" }, say("ratings")),
    h("div", { class: "scrolls" }, h("table", { class: "figures", "aria-labelledby": "ratings" },
      h("thead", null, h("tr", null,
        h("th", { scope: "col" }, say("column-rules")), h("th", { scope: "col" }, say("column-pace")),
        h("th", { scope: "col", class: "end" }, say("column-points")), h("th", { scope: "col", class: "end" }, say("column-played")))),
      h("tbody", null, sorted.map(({ ruleset, speed, now, games }, index) => h("tr", { key: ruleset + speed },
        h("th", { scope: "row" }, h("button", {
          class: "button compact plain chart-button", "aria-pressed": index === chosen,
          "aria-label": say("chart-of", { ruleset: rulesetTitle(ruleset), speed }), onClick: () => setChosen(index),
        }, rulesetTitle(ruleset))),
        h("td", null, h("a", { href: `/leaderboard/${ruleset}/${speed}` }, say("speed", { speed }))),
        h("td", { class: "numbers end" }, `${ratingText(now)} ± ${now.deviation}`),
        h("td", { class: "numbers end" }, games)))))),
    sorted.some(({ now }) => now.provisional) ? h("p", { class: "muted small" }, say("provisional-text")) : null,
    h(Chart, { name, ruleset: one.ruleset, speed: one.speed }));
}

/** @param {{ name: string, ruleset: string, speed: string }} props */
function Chart({ name, ruleset, speed }) {
  const asked = /** @type {Asked<RatingHistory>} */ (useAnswer(`/api/players/${name}/ratings/${ruleset}/${speed}`));
  const title = `${rulesetTitle(ruleset)}, ${say("speed", { speed })}`;
  return h("div", { class: "stack tight chart-place" }, h("h3", null, title),
    shown(asked, ({ games }) => (games.length === 0 ? h("p", { class: "muted" }, say("chart-empty")) : [
      h(RatingChart, { games, label: say("chart-label", { title, count: games.length, rating: String(games[0]?.after.rating ?? 0) }) }),
      h("details", null, h("summary", null, say("rating-table")),
        h("div", { class: "scrolls" }, h("table", { class: "figures small" },
          h("thead", null, h("tr", null, ["column-date", "column-opponent", "column-result", "column-after"].map((column) =>
            h("th", { key: column, scope: "col" }, say(column))))),
          h("tbody", null, games.map(({ game, at, opponent, score, before, after, undone }) => h("tr", { key: game },
            h("td", null, h("a", { href: `/replay/${game}` }, dateText(at))),
            h("td", null, h(Name, { player: opponent })),
            h("td", null, say("score", { score })),
            h("td", { class: "numbers" }, say(undone ? "rating-undone" : "rating-step", {
              before: String(before.rating), after: String(after.rating), change: signed(after.rating - before.rating),
            })))))))),
    ]), "chart-skeleton"));
}

/** @param {number} change */
function signed(change) {
  return change < 0 ? `−${-change}` : `+${change}`;
}

/** @param {{ player: import("../../types/messages").Player }} props */
export function Name({ player }) {
  return player.kind === "house" ? playerName(player) : h("a", { href: `/@/${player.name}` }, playerName(player));
}

/** What two players have played. @param {{ name: string, other: string }} props */
function Against({ name, other }) {
  const asked = /** @type {Asked<HeadToHead>} */ (useAnswer(`/api/players/${other}/against/${name}`));
  // A guest who has done nothing yet is not known to the server.
  if (asked.refusal?.code === "no_such_player") return null;
  return h("section", { class: "card stack tight" },
    h("h2", null, say("against")),
    shown(asked, ({ tallies }) => (tallies.length === 0 ? h("p", { class: "muted" }, say("against-empty"))
      : h("ul", { class: "list" }, tallies.map(({ ruleset, tally }) => h("li", { key: ruleset },
        h("span", null, rulesetTitle(ruleset)),
        // The tally is that of the player of this page.
        h("span", { class: "numbers" }, say("tally", { won: tally.lost, drawn: tally.drawn, lost: tally.won })))))), "line-skeleton"));
}

/** Finished games, a page at a time. @param {{ name: string, isOwn: boolean }} props */
function Games({ name, isOwn }) {
  const asked = /** @type {Asked<PlayedGames>} */ (useAnswer(`/api/players/${name}/games?limit=20`));
  const [more, setMore] = useState(/** @type {readonly PlayedGame[]} */ ([]));
  const [next, setNext] = useState(/** @type {string | null | undefined} */ (undefined));
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    setMore([]);
    setNext(asked.value?.next);
  }, [asked.value]);
  const load = async () => {
    setBusy(true);
    const answer = /** @type {import("../parts/load.js").Answer<PlayedGames>} */ (
      await request("GET", `/api/players/${name}/games?limit=20&after=${encodeURIComponent(next ?? "")}`));
    setBusy(false);
    if ("refusal" in answer) return show(say("unreachable"));
    setMore([...more, ...answer.value.games]);
    setNext(answer.value.next);
  };
  return h("section", { class: "card stack tight" },
    h("h2", null, say("history")),
    shown(asked, ({ games }) => (games.length === 0 ? h("p", { class: "muted" }, say(isOwn ? "history-empty-own" : "history-empty")) : [
      h("ul", { class: "list" }, [...games, ...more].map((game) => h(Played, { key: game.game, game }))),
      next ? h("button", { class: "button compact", disabled: isBusy, "aria-busy": isBusy, onClick: load }, say("history-more")) : null,
    ])));
}

/** @param {{ game: PlayedGame }} props */
function Played({ game }) {
  const { opponent, ruleset, time, score, rated, ended, plies, side } = game;
  return h("li", null,
    h("div", null,
      h("span", { class: `score score-${score}` }, say("score", { score })),
      h("span", null, " ", say("history-against"), " ", h(Name, { player: opponent })),
      h("div", { class: "muted small" }, [
        rulesetTitle(ruleset), timeText(time), say("history-as", { side }), say("history-plies", { count: plies }),
        ...(rated ? [say("history-rated")] : []), ...(game.private ? [say("history-private")] : []), dateText(ended),
      ].join(" · "))),
    game.erased
      ? h("span", { class: "muted small" }, say("history-erased"))
      : h("a", { class: "button compact", href: `/replay/${game.game}` }, say("game-replay")));
}

/** Offers a game to the player. @param {{ name: string, kind: string }} props */
function Challenge({ name, kind }) {
  const [isOpen, setOpen] = useState(false);
  const [ruleset, setRuleset] = useState(rulesets.value[0]?.id ?? "");
  const [time, setTime] = useState(0);
  const [isRated, setRated] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const { isAccount } = useWho();
  const canRate = isAccount && kind === "account";
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const terms = { ruleset, time: TIMES[time] ?? TIMES[0], ...(isRated && canRate ? { rated: true } : {}) };
    setBusy(true);
    const done = await challengePlayer(name, /** @type {import("../../types/messages").Terms} */ (terms));
    if ("trouble" in done) {
      show(done.trouble);
    } else {
      show(say("challenged", { name }));
      go(`/challenge#${done.challenge}`);
    }
    setBusy(false);
  };
  if (!isOpen) return h("button", { class: "button main", onClick: () => setOpen(true) }, say("challenge"));
  return h("form", { class: "card stack tight challenge-form", onSubmit: submit, "aria-label": say("challenge") },
    h("label", { class: "field" }, h("span", null, say("form-ruleset")),
      h("select", { value: ruleset, autofocus: true, onChange: (/** @type {any} */ event) => setRuleset(event.target.value) },
        rulesets.value.map(({ id }) => h("option", { key: id, value: id }, rulesetTitle(id))))),
    h("label", { class: "field" }, h("span", null, say("form-time")),
      h("select", { value: String(time), onChange: (/** @type {any} */ event) => setTime(Number(event.target.value)) },
        TIMES.map((time, index) => h("option", { key: index, value: String(index) }, timeText(time))))),
    h("label", { class: "check" },
      h("input", { type: "checkbox", checked: isRated && canRate, disabled: !canRate, onChange: () => setRated(!isRated) }),
      say("form-rated"), canRate ? null : h("span", { class: "muted small" }, ` ${say("rated-two-accounts")}`)),
    h("div", { class: "row-of" },
      h("button", { class: "button main", disabled: isBusy, "aria-busy": isBusy }, say("challenge-send-it")),
      h("button", { class: "button", type: "button", onClick: () => setOpen(false) }, say("close"))));
}

/** @type {import("../../types/messages").Time[]} */
const TIMES = [
  { kind: "fischer", base_s: 600, increment_s: 5 },
  { kind: "fischer", base_s: 900, increment_s: 10 },
  { kind: "fischer", base_s: 180, increment_s: 2 },
  { kind: "correspondence", days: 3 },
];

/** @param {{ name: string, id: string }} props */
function Block({ name, id }) {
  const asked = /** @type {Asked<BlockList>} */ (useAnswer("/api/blocks"));
  const [isBusy, setBusy] = useState(false);
  const isBlocked = asked.value?.players.some((player) => player.id === id) ?? false;
  const toggle = async () => {
    setBusy(true);
    const done = await change(isBlocked ? "DELETE" : "PUT", `/api/blocks/${name}`);
    setBusy(false);
    asked.again();
    show("trouble" in done ? done.trouble : say(isBlocked ? "unblocked" : "blocked", { name }));
  };
  return h("button", { class: "button", disabled: isBusy || !asked.value, "aria-busy": isBusy, onClick: toggle }, say(isBlocked ? "unblock" : "block"));
}
