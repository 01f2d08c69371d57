// The first page: one button for each common choice, and what goes on.

import { PieceArt, Waiting } from "../parts/basics.js";
import { GameList, OfferList, PoolCard, useLobby } from "../parts/lists.js";
import { go } from "../route.js";
import { askOrTell, line, say } from "../state.js";
import { h, useState } from "../vendor/library.js";

/** @typedef {import("../../types/messages").Terms} Terms */

/** The terms of the buttons. @type {{ house: Terms, quick: Terms, friend: Terms }} */
const TERMS = {
  house: { ruleset: "classic", time: { kind: "unlimited" } },
  quick: { ruleset: "classic", time: { kind: "fischer", base_s: 600, increment_s: 5 } },
  friend: { ruleset: "classic", time: { kind: "fischer", base_s: 900, increment_s: 10 } },
};

export function HomePage() {
  const lobby = useLobby();
  const { ownGames, player } = line.value;
  const isRated = player?.kind === "account";
  const [busy, setBusy] = useState("");
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
    hasGames || lobby ? h(GameList, { games: ownGames, empty: say("your-games-empty"), isOwn: true }) : h(Waiting, { skeleton: "lines" }));
  return h("div", { class: "page stack home" },
    h("section", { class: "hero" },
      h("div", { class: "stack" },
        h("h1", null, say("home-title")),
        h("p", { class: "muted lead" }, say("home-lead"))),
      h("div", { class: "hero-art", "aria-hidden": "true" },
        ["1", "S", "F", "B", "?"].map((identity, index) =>
          h(PieceArt, { side: index < 3 ? "red" : "blue", identity })))),
    hasGames ? own : null,
    h(PoolCard, {}),
    h("section", { class: "choices", "aria-label": say("home-choices") },
      h(Choice, {
        title: say("play-house"), text: say("play-house-text"), isMain: true, isBusy: busy === "house",
        onClick: once("house", () => askOrTell({ type: "play_bot", bot: "simple", terms: TERMS.house })),
      }),
      h(Choice, {
        title: say("play-quick"), text: say("play-quick-text", { rated: isRated ? "yes" : "no" }), isBusy: busy === "quick",
        onClick: once("quick", () => askOrTell({ type: "enter_pool", terms: { ...TERMS.quick, rated: isRated } })),
      }),
      h(Choice, {
        title: say("play-friend"), text: say("play-friend-text"), isBusy: busy === "friend",
        onClick: once("friend", async () => {
          const outcome = await askOrTell({ type: "challenge", terms: TERMS.friend });
          if (outcome?.kind === "challenge") go(`/challenge#${outcome.challenge}`);
        }),
      })),
    h("p", null, h("a", { href: "/play" }, say("all-choices"))),
    h("div", { class: "columns" },
      hasGames ? null : own,
      h("section", { class: "card stack" },
        h("h2", null, say("offers")),
        lobby ? h(OfferList, { seeks: lobby.seeks, empty: say("offers-empty") }) : h(Waiting, { skeleton: "lines" })),
      h("section", { class: "card stack" },
        h("h2", null, say("live-games")),
        lobby ? h(GameList, { games: lobby.games.slice(0, 6), empty: say("live-games-empty"), isOwn: false })
          : h(Waiting, { skeleton: "lines" }),
        h("a", { href: "/watch" }, say("watch-all")))));
}

/** @param {{ title: string, text: string, isMain?: boolean, isBusy: boolean, onClick: () => void }} props */
function Choice({ title, text, isMain = false, isBusy, onClick }) {
  return h("button", { class: `choice${isMain ? " main" : ""}`, onClick, disabled: isBusy, "aria-busy": isBusy },
    h("strong", null, title), h("span", null, text));
}
