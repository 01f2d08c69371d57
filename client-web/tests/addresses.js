// Every address of the page with something to show: what the API and the line answer there. For
// tests that look over all of them.

import { readFileSync } from "node:fs";
import { BEGIN, GAME, gameMessage, playPair, player } from "./pairs.js";

/** @typedef {import("../page/game/rules.js").Rules} Rules */
/** @typedef {import("../types/messages").GameRecord} GameRecord */
/** @typedef {import("../types/messages").ServerMessage} ServerMessage */

/**
 * A visit. `of`: the address as the server lists it; `ready`: what is there when the page is whole;
 * `open`: what is pressed then, to see more.
 * @typedef {object} Visit
 * @property {string} name
 * @property {string} of
 * @property {string} path
 * @property {string} ready
 * @property {string[]} [open]
 * @property {(object)[]} [messages]
 */

/** @param {string} path */
const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** The addresses that the server serves the page at. */
export const served = () => [...read("server/src/api/page/addresses.rs").matchAll(/path: (?:"([^"]+)"|ACCOUNT)/g)].map(([, path]) => path ?? "/account");

/** A record of a game of `barrage`. @returns {GameRecord} */
const record = () => JSON.parse(/```json\n(\{[\s\S]*?\n\})\n```/.exec(read("docs/protocol/RECORDS.md"))?.[1] ?? "");

const ann = { ...player("red"), kind: /** @type {const} */ ("account") };
const bob = { ...player("blue"), kind: /** @type {const} */ ("account") };
const tally = { won: 2, drawn: 1, lost: 1 };
const days = { kind: "correspondence", days: 3 };
const terms = { ruleset: "classic", time: { kind: "fischer", base_s: 600, increment_s: 5 } };
const point = { rating: 1_540, deviation: 160, provisional: true };
const setup = "9394924939566915957S574BB7668B88BF7B88B9";
const played = ["won", "drawn", "lost"].map((score, index) => ({
  game: `00000000000${index}`, ended: BEGIN, ruleset: "classic", time: days, side: "red", opponent: ann, score, reason: ["flag_captured", "draw_agreed", "resigned"][index], plies: 40, rated: true,
}));

/** @param {string} id @param {object} [more] */
const game = (id, more = {}) => ({
  id, created: BEGIN, phase: "playing", ply: 7, turn: "red", outcome: null, players: { red: ann, blue: bob }, terms: { ...terms, ...more },
});
const others = { red: { ...bob, id: "x", name: "bob" }, blue: { ...bob, id: "y", name: "ann" } };
const offers = [{ id: "s1", seeker: bob, seeker_rating: point, side: "red", terms }, { id: "s2", seeker: ann, terms: { ...terms, ruleset: "classic,ties=attacker" } }];

/** What the API answers. @type {Record<string, object>} */
export const API = {
  "/api/about": { text: "# Flagfall\nFlagfall." },
  "/api/me/games": { server_time: BEGIN, games: [true, false].map((isTurn) => ({
    side: "red", to_act: isTurn, deadline: BEGIN + 5_000_000, draw_offered: isTurn,
    game: game(isTurn ? "000000000001" : "000000000002", { time: days, ruleset: "classic,ties=attacker" }),
  })) },
  "/api/me/challenges": { challenges: [{ challenge: "8k2v6m3q9d4w", challenger: bob, expires: BEGIN + 9_000_000, terms, your_side: "red" }] },
  "/api/games/000000000002/queue": { game: "000000000002", ply: 8, moves: [{ command: { kind: "move", move: "a4a5" }, if: "b7b6" }] },
  "/api/games": { games: [{ ...game("000000000003"), phase: "over", outcome: { winner: "red", reason: "resigned" } }] },
  "/api/games/000000000003/record": record(),
  "/api/players/bob": { player: bob, created: BEGIN, ratings: ["classic", "barrage"].map((ruleset) => ({ ruleset, speed: "rapid", now: point, games: 7, last: BEGIN })) },
  "/api/players/bob/ratings/classic/rapid": { player: bob, ruleset: "classic", speed: "rapid", games: [2, 1].map((number) => ({
    game: `00000000000${number}`, at: BEGIN + number, opponent: ann, score: "won", before: point, after: { ...point, rating: 1_500 + number * 60 },
  })) },
  "/api/players/bob/games": { player: bob, next: "more", games: played },
  "/api/players/bob/against/ann": { player: ann, opponent: bob, tallies: [{ ruleset: "classic", tally }], games: played },
  "/api/leaderboards/classic/rapid": { ruleset: "classic", speed: "rapid", bots: false, entries: [bob, ann].map((player, index) => ({ place: index + 1, player, now: point, games: 9 })) },
  "/api/me/statistics": { rulesets: [{ ruleset: "classic", by_side: { red: tally, blue: { won: 0, drawn: 0, lost: 0 } }, by_deployment: [{ setup, tally }] }] },
  "/api/me/deployments": { deployments: [{ ruleset: "classic", name: "ann", setup }] },
  "/api/rulesets/classic/deployments/suggested": { ruleset: "classic", setups: [setup, setup.split("").reverse().join("")] },
  "/api/blocks": { players: [bob] },
  "/api/tokens": { tokens: [{ id: "t1", name: "ann", scope: "play", created: BEGIN, current: true }, { id: "t2", name: "bob", scope: "play", created: BEGIN }] },
  "/api/me/webhook": { url: "https://example.org/turns", created: BEGIN, active: false, lost: 5, waiting: 1, last: { at: BEGIN, delivered: false, result: "500" } },
  "/api/me/email": { email: { address: "ann@example.org", language: "en", state: "pending", created: BEGIN } },
  "/api/me/feed": { exists: false },
};

/** The line's greeting, and the lobby. @type {object[]} */
export const GREETING = [
  { type: "welcome", protocol: 1, server: "flagfall", server_time: BEGIN, games: [], claim_seconds: 60, about: true, player: ann },
];
const lobby = { type: "lobby", players_online: 3, seeks: offers, games: [{ ...game(GAME), players: others }] };

/**
 * A visit of every address.
 * @param {(id: string) => Rules} rulesOf @returns {Promise<Visit[]>}
 */
export async function visits(rulesOf) {
  const { a } = await playPair(rulesOf("shadowflash-1"), { seed: 4, plies: 4 });
  const [first] = /** @type {(ServerMessage & { type: "game" })[]} */ (a.public);
  const live = /** @type {any} */ (first && gameMessage(first.view, 0));
  live.game = { ...live.game, players: others };
  return [
    { name: "home", of: "/", path: "/", ready: ".list li", messages: [lobby, { type: "my_games", games: [game("000000000001")] }] },
    { name: "play", of: "/play", path: "/play", ready: ".list li", open: ["details:not([open]) > summary"], messages: [lobby] },
    { name: "challenge", of: "/challenge", path: "/challenge#8k2v6m3q9d4w", ready: "h1",
      messages: [{ type: "challenge", challenge: "8k2v6m3q9d4w", challenger: bob, expires: BEGIN + 9_000_000, terms: { ...terms, ruleset: "classic,ties=attacker" }, your_side: "red" }] },
    { name: "challenge-own", of: "/challenge", path: "/challenge#8k2v6m3q9d4w", ready: ".link-field",
      messages: [{ type: "challenge", challenge: "8k2v6m3q9d4w", challenger: ann, expires: BEGIN + 9_000_000, terms }] },
    { name: "challenge-gone", of: "/challenge", path: "/challenge#8k2v6m3q9d4w", ready: "h1", messages: [{ type: "challenge_gone", challenge: "8k2v6m3q9d4w" }] },
    { name: "game", of: "/game/{game}", path: `/game/${GAME}`, ready: ".piece", messages: a.red },
    { name: "game-watched", of: "/game/{game}", path: `/game/${GAME}`, ready: ".piece", messages: a.public },
    { name: "games", of: "/games", path: "/games", ready: ".list li", open: ["details:not([open]) > summary"] },
    { name: "watch", of: "/watch", path: "/watch", ready: ".watch-large .square", open: ["details:not([open]) > summary"], messages: [lobby, live, ...a.public.slice(1)] },
    { name: "watch-nobody", of: "/watch", path: "/watch", ready: ".list li", messages: [{ ...lobby, games: [] }] },
    { name: "replay-file", of: "/replay", path: "/replay", ready: "h1" },
    { name: "replay", of: "/replay/{game}", path: "/replay/000000000003?ply=end", ready: ".replay .piece", open: ["details:not([open]) > summary"] },
    { name: "replay-gone", of: "/replay/{game}", path: "/replay/000000000004", ready: "h1" },
    { name: "rules", of: "/rules", path: "/rules", ready: "h1" },
    ...["classic", "barrage", "pbm-small", "silent-defense", "course", "shadowflash-3", "quantum"].map((id) => ({ name: `rules-${id}`, of: "/rules/{ruleset}", path: `/rules/${id}`, ready: ".diagram .piece, .diagram svg" })),
    { name: "deployments", of: "/deployments", path: "/deployments", ready: ".setup-picture" },
    { name: "deployment", of: "/deployments/{ruleset}", path: "/deployments/classic", ready: ".square" },
    { name: "deployment-named", of: "/deployments/{ruleset}/{deployment}", path: "/deployments/classic/ann", ready: ".piece" },
    { name: "profile", of: "/@/{player}", path: "/@/bob", ready: ".rating-chart", open: ["details:not([open]) > summary", "button:text-is('Challenge')"] },
    { name: "leaderboard", of: "/leaderboard", path: "/leaderboard", ready: ".figures td" },
    { name: "leaderboard-empty", of: "/leaderboard/{ruleset}/{speed}", path: "/leaderboard/barrage/blitz", ready: "h1" },
    { name: "statistics", of: "/statistics", path: "/statistics", ready: ".figures td", open: ["details:not([open]) > summary"] },
    { name: "account", of: "/account", path: "/account", ready: ".list li", open: ["details:not([open]) > summary"] },
    { name: "settings", of: "/settings", path: "/settings", ready: "fieldset, select" },
    { name: "about", of: "/about", path: "/about", ready: "h2" },
    { name: "unknown", of: "", path: "/nowhere", ready: "h1" },
  ];
}
