// The first page: one button for each common choice, and what goes on.

import { PieceArt, Waiting, playAddress } from "../parts/basics.js";
import { ChallengeList, FinishedList, GameList, OfferList, PoolCard, finishedOf, offerFilter, useLobby } from "../parts/lists.js";
import { go } from "../route.js";
import { askOrTell, line, moreWords, onMessage, readApi, say, show, tell } from "../state.js";
import { h, useEffect, useState } from "../vendor/library.js";

/** @typedef {import("../../types/messages").Terms} Terms */
/** @typedef {import("../../types/messages").Invitation} Invitation */
/** @typedef {import("../parts/lists.js").Finished} Finished */

/** The terms of the buttons. @type {{ house: Terms, quick: Terms, friend: Terms }} */
const TERMS = {
  house: { ruleset: "classic", time: { kind: "unlimited" } },
  quick: { ruleset: "classic", time: { kind: "fischer", base_s: 600, increment_s: 5 } },
  friend: { ruleset: "classic", time: { kind: "fischer", base_s: 900, increment_s: 10 } },
};

/** With more open offers, they can be filtered. */
const FEW_OFFERS = 5;

export function HomePage() {
  const lobby = useLobby(offerFilter.value);
  const invited = useInvitations();
  const { link, ownGames, player } = line.value;
  const isRated = player?.kind === "account";
  const [busy, setBusy] = useState("");
  const [turn, setTurn] = useState(0);
  /** @param {string} name @param {() => Promise<unknown>} act */
  const once = (name, act) => async () => {
    setBusy(name);
    await act();
    setBusy("");
  };
  const hasGames = ownGames.length > 0;
  const own = h("section", { class: "card stack" },
    h("h2", null, say("your-games")),
    // The lobby comes after the welcome, which names the games.
    hasGames || lobby ? h(GameList, { games: ownGames, empty: say("your-games-empty"), isOwn: true }) : h(Waiting, { skeleton: "lines" }),
    player ? h("a", { href: `/@/${player.name}` }, say("your-games-finished")) : null);
  // The welcome told them as they were then, and nobody tells of their moves.
  useEffect(() => {
    if (link !== "up" || !player) return undefined;
    tell({ kind: "look", message: { type: "my_games" } });
    const timer = setTimeout(() => setTurn(turn + 1), 20_000);
    return () => clearTimeout(timer);
  }, [link, player?.id, turn]);
  return h("div", { class: "page stack home" },
    h("section", { class: "hero" },
      h("div", { class: "stack" },
        h("h1", null, say("home-title")),
        h("p", { class: "muted lead" }, say("home-lead")),
        h("p", null, h("a", { href: `/rules/${TERMS.house.ruleset}` }, say("home-rules")))),
      h("div", { class: "hero-art", "aria-hidden": "true" },
        ["1", "S", "F", "B", "?"].map((identity, index) =>
          h(PieceArt, { side: index < 3 ? "red" : "blue", identity })))),
    invited.challenges.length > 0 ? h(ChallengeList, invited) : null,
    hasGames ? own : null,
    h(PoolCard, {}),
    h("section", { class: "choices", "aria-label": say("home-choices") },
      h(Choice, {
        title: say("play-house"), text: say("play-house-text"), isMain: true, isBusy: busy === "house",
        change: playAddress(TERMS.house, { who: "house", level: "simple" }),
        onClick: once("house", () => askOrTell({ type: "play_bot", bot: "simple", terms: TERMS.house })),
      }),
      h(Choice, {
        title: say("play-quick"), text: say("play-quick-text", { rated: isRated ? "yes" : "no" }), isBusy: busy === "quick",
        change: playAddress({ ...TERMS.quick, rated: isRated }, { who: "pool" }),
        onClick: once("quick", () => askOrTell({ type: "enter_pool", terms: { ...TERMS.quick, rated: isRated } })),
      }),
      h(Choice, {
        title: say("play-friend"), text: say("play-friend-text"), isBusy: busy === "friend",
        change: playAddress(TERMS.friend, { who: "friend" }),
        onClick: once("friend", async () => {
          const outcome = await askOrTell({ type: "challenge", terms: TERMS.friend });
          if (outcome?.kind === "challenge") go(`/challenge#${outcome.challenge}`);
        }),
      })),
    h("p", null, h("a", { href: "/play" }, say("all-choices"))),
    h("div", { class: "columns" },
      hasGames ? null : own,
      h(Offers, { lobby }),
      h("section", { class: "card stack" },
        h("h2", null, say("live-games")),
        lobby ? h(LiveGames, { games: lobby.games }) : h(Waiting, { skeleton: "lines" }),
        h("a", { href: "/watch" }, say("watch-all")))));
}

/** Open offers. The filter is loaded when it is asked for. @param {{ lobby: import("../net/line.js").Line["lobby"] }} props */
function Offers({ lobby }) {
  const [filter, setFilter] = useState(/** @type {typeof import("../parts/filter.js") | undefined} */ (undefined));
  const load = () => Promise.all([import("../parts/filter.js"), moreWords()]).then(([filter]) => setFilter(filter), () => show(say("no-answer")));
  useEffect(() => {
    if (offerFilter.value) void load();
  }, []);
  return h("section", { class: "card stack", "data-focus": "select" },
    h("div", { class: "row-of spread" }, h("h2", null, say("offers")),
      !filter && lobby && lobby.seeks.length > FEW_OFFERS ? h("button", { class: "button compact", onClick: load }, say("offers-filter")) : null),
    !lobby || (offerFilter.value && !filter) ? h(Waiting, { skeleton: "lines" }) : h(filter?.FilteredOffers ?? OfferList, {
      seeks: lobby.seeks, empty: [say("offers-empty"), " ", h("a", { href: playAddress(TERMS.quick, { who: "anybody" }) }, say("offers-post"))],
    }));
}

/** Challenges to this player, as long as the page is shown. */
function useInvitations() {
  const [challenges, setChallenges] = useState(/** @type {readonly Invitation[]} */ ([]));
  const [turn, setTurn] = useState(0);
  const { link, player } = line.value;
  useEffect(() => setChallenges([]), [player?.id]);
  useEffect(() => {
    if (link !== "up" || !player) return undefined;
    let isCurrent = true;
    void readApi("/api/me/challenges").then((answer) => {
      if (isCurrent && "body" in answer) setChallenges(answer.body.challenges);
    });
    return () => {
      isCurrent = false;
    };
  }, [link, player?.id, turn]);
  useEffect(() => onMessage((message) => {
    if (message.type === "challenged") {
      const { invitation } = message;
      setChallenges((known) => [...known.filter(({ challenge }) => challenge !== invitation.challenge), invitation]);
    }
    if (message.type === "challenge_gone") setChallenges((known) => known.filter(({ challenge }) => challenge !== message.challenge));
  }), []);
  return { challenges, again: () => setTurn((turn) => turn + 1) };
}

/** Live games, or the game that ended last. @param {{ games: readonly import("../../types/messages").GameSummary[] }} props */
function LiveGames({ games }) {
  const own = line.value.player?.id;
  const others = games.filter(({ players }) => players.red.id !== own && players.blue.id !== own);
  return others.length > 0 ? h(GameList, { games: others.slice(0, 6), empty: "", isOwn: false }) : h(LastGame, {});
}

function LastGame() {
  const [last, setLast] = useState(/** @type {readonly Finished[] | undefined} */ (undefined));
  useEffect(() => {
    let isCurrent = true;
    void readApi("/api/games?phase=over&limit=1").then((answer) => {
      if (isCurrent) setLast("body" in answer ? answer.body.games.flatMap(finishedOf) : []);
    });
    return () => {
      isCurrent = false;
    };
  }, []);
  return h("div", { class: "stack tight last-game" }, !last ? h("div", { class: "skeleton" }) : [
    h("p", { class: "muted" }, say("live-games-empty"), last.length > 0 ? ` ${say("live-games-last")}` : ""),
    last.length > 0 ? h(FinishedList, { games: last, empty: "" }) : null,
  ]);
}

/**
 * One press starts this. `change`: where its terms can be changed.
 * @param {{ title: string, text: string, isMain?: boolean, isBusy: boolean, change: string, onClick: () => void }} props
 */
function Choice({ title, text, isMain = false, isBusy, change, onClick }) {
  return h("div", { class: "choice-place" },
    h("button", { class: `choice${isMain ? " main" : ""}`, onClick, disabled: isBusy, "aria-busy": isBusy },
      h("strong", null, title), h("span", null, text)),
    h("a", { class: "choice-change", href: change, "aria-label": say("choice-change", { choice: title }) }, say("change")));
}
