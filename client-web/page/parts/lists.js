// Offers, games that run or are over, and the wait for an opponent, as lists.

import { allWords, askOrTell, line, loadedRefusal, say, serverTime, show, tell } from "../state.js";
import { h, signal, useEffect, useState } from "../vendor/library.js";
import {
  changesText, playerName, rulesetTitle, termsText, timeText, useTicks,
} from "./basics.js";

/** @typedef {import("../../types/messages").Seek} Seek */
/** @typedef {import("../../types/messages").GameSummary} GameSummary */
/** @typedef {import("../../types/messages").Player} Player */
/** @typedef {import("../../types/messages").Invitation} Invitation */

/** The filter of the first page, until the page is loaded anew. */
export const offerFilter = signal(/** @type {import("../../types/messages").LobbyFilter | undefined} */ (undefined));

/** Keeps the lobby open while a page is shown. @param {typeof offerFilter["value"]} [filter] */
export function useOpenLobby(filter) {
  useEffect(() => tell({ kind: "open_lobby", filter }), [filter]);
  useEffect(() => () => tell({ kind: "close_lobby" }), []);
}

/** Follows the lobby while a page is shown. @param {typeof offerFilter["value"]} [filter] */
export function useLobby(filter) {
  useOpenLobby(filter);
  return line.value.lobby;
}

/** The id of the button that withdraws an offer. @param {string} seek */
export const offerId = (seek) => `offer-${seek}`;

/** @param {string} seek */
async function withdraw(seek) {
  if (await askOrTell({ type: "cancel_seek", seek })) show(say("offer-withdrawn"));
}

/** `empty`: what stands there without any. @param {{ seeks: readonly Seek[], empty: any }} props */
export function OfferList({ seeks, empty }) {
  const own = line.value.player?.id;
  if (seeks.length === 0) return h("p", { class: "muted" }, empty);
  return h("ul", { class: "list" }, seeks.map((seek) => h("li", { key: seek.id },
    h("div", null,
      h("strong", null, seek.seeker.id === own ? say("offer-own") : playerName(seek.seeker)),
      seek.seeker_rating ? h("span", { class: "muted numbers" }, ` ${seek.seeker_rating.rating}${seek.seeker_rating.provisional ? "?" : ""}`) : null,
      h("div", { class: "muted small" }, termsText(seek.terms), seek.side ? ` · ${say("offer-side", { side: seek.side })}` : ""),
      changesText(seek.terms.ruleset).map((change) => h("div", { class: "small" }, change))),
    seek.seeker.id === own
      ? h("button", { id: offerId(seek.id), class: "button compact", onClick: () => withdraw(seek.id) }, say("withdraw"))
      : h("button", { class: "button compact main", onClick: () => askOrTell({ type: "accept_seek", seek: seek.id }) }, say("accept")))));
}

/**
 * What others offer to this player alone. `again`: reads the list again.
 * @param {{ challenges: readonly Invitation[], again: () => void }} props
 */
export function ChallengeList({ challenges, again }) {
  /** @param {string} challenge */
  const decline = async (challenge) => {
    const { request } = await import("./load.js");
    const answer = await request("DELETE", `/api/me/challenges/${challenge}`);
    if ("refusal" in answer) show(await loadedRefusal(answer.refusal));
    again();
  };
  return h("section", { class: "card stack tight" },
    h("h2", null, say("challenges")),
    h("ul", { class: "list" }, challenges.map(({ challenge, challenger, terms, your_side: side }) => h("li", { key: challenge },
      h("div", null,
        h("strong", null, h("a", { href: `/@/${challenger.name}` }, playerName(challenger))),
        h("div", { class: "muted small" }, termsText(terms)),
        changesText(terms.ruleset).map((change) => h("div", { key: change, class: "small" }, change)),
        side ? h("div", { class: "small" }, say("challenge-side", { side })) : null),
      h("div", { class: "row-of" },
        h("button", { class: "button compact main", onClick: () => void askOrTell({ type: "accept_challenge", challenge }).then(again) }, say("accept")),
        h("button", { class: "button compact", onClick: () => void decline(challenge) }, say("decline")))))));
}

/** @param {{ games: readonly GameSummary[], empty: string, isOwn: boolean }} props */
export function GameList({ games, empty, isOwn }) {
  const own = line.value.player?.id;
  const sideOf = (/** @type {GameSummary} */ { players: { red, blue } }) => (red.id === own ? "red" : blue.id === own ? "blue" : undefined);
  const listed = isOwn ? games : games.filter((game) => !sideOf(game));
  if (listed.length === 0) return h("p", { class: "muted" }, empty);
  return h("ul", { class: "list" }, listed.map((game) => {
    const side = sideOf(game);
    const isTurn = isOwn && side && game.turn === side;
    return h("li", { key: game.id },
      h("div", null,
        h("strong", null, `${playerName(game.players.red)} – ${playerName(game.players.blue)}`),
        h("div", { class: "muted small" }, termsText(game.terms), " · ",
          isTurn ? h("b", { class: "turn-note" }, say("your-turn-note")) : say("game-ply", { ply: game.ply, phase: game.phase }))),
      h("a", { class: "button compact", href: `/game/${game.id}` }, say(isOwn ? "continue" : "watch")));
  }));
}

/**
 * A game that is over, for lists.
 * @typedef {object} Finished
 * @property {string} id
 * @property {{ red: Player, blue: Player }} players
 * @property {string} ruleset
 * @property {import("../../types/messages").Time} time
 * @property {import("../../types/messages").Outcome} outcome
 * @property {number} at In milliseconds since 1970: when it ended, or else when it was made.
 */

/** A summary of a game that is over. @param {GameSummary} game @returns {Finished[]} */
export function finishedOf({ id, players, terms, outcome, created }) {
  return outcome ? [{ id, players, ruleset: terms.ruleset, time: terms.time, outcome, at: created }] : [];
}

/**
 * Games that are over, with links to their records.
 * @param {{ games: readonly Finished[], empty: string }} props
 */
export function FinishedList({ games, empty }) {
  if (games.length === 0) return h("p", { class: "muted" }, empty);
  const date = new Intl.DateTimeFormat(allWords().language, { dateStyle: "medium", timeStyle: "short" });
  return h("ul", { class: "list" }, games.map(({ id, players, ruleset, time, outcome, at }) => h("li", { key: id },
    h("div", null,
      h("strong", null, `${playerName(players.red)} – ${playerName(players.blue)}`),
      h("div", { class: "small" }, say("outcome", { winner: outcome.winner ?? "none", reason: outcome.reason })),
      h("div", { class: "muted small" }, `${rulesetTitle(ruleset)}, ${timeText(time)} · ${date.format(at)}`)),
    h("a", { class: "button compact", href: `/replay/${id}` }, say("replay")))));
}

/** Says that the player waits for an opponent, and how long already. */
export function PoolCard() {
  const pool = line.value.pool;
  const [wasWaiting, setWaiting] = useState(false);
  useTicks(() => (pool ? 1_000 : Infinity), pool?.since);
  useEffect(() => setWaiting(pool !== undefined), [pool !== undefined]);
  if (!pool) return null;
  const seconds = Math.max(0, Math.round((serverTime.at(Date.now()) - pool.since) / 1_000));
  return h("section", { class: `card waiting${wasWaiting ? "" : " fresh"}`, role: "status" },
    h("div", { class: "pulse", "aria-hidden": "true" }),
    h("div", null,
      h("strong", null, say("pool-waiting")),
      h("div", { class: "muted small numbers" }, say("pool-details", { seconds, waiting: pool.waiting }))),
    h("button", { class: "button compact", onClick: () => askOrTell({ type: "leave_pool" }) }, say("pool-leave")));
}
