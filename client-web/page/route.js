// Addresses of the page.

import { signal } from "./vendor/library.js";

/** @typedef {import("./game/record.js").Scope} Scope */
/**
 * `as`: whose record; `ply`: a number, or `end`. Without an id, a record comes from a file.
 * @typedef {{ page: "replay", id?: string, as?: Scope, ply?: string }} ReplayRoute
 * @typedef {{ page: "home" } | { page: "play" } | { page: "challenge", code: string }
 *   | { page: "game", id: string } | { page: "rules", id?: string } | { page: "deployments" }
 *   | { page: "deployment", ruleset: string, name?: string } | { page: "profile", name: string }
 *   | { page: "leaderboard", ruleset?: string, speed?: string } | { page: "games" } | { page: "account" } | { page: "settings" } | { page: "statistics" } | { page: "about" }
 *   | { page: "watch" } | ReplayRoute
 *   | { page: "unknown" }} Route
 */

/** Ids of games have no letters that look like others or like figures: no i, l, o and u. */
const GAME = /^\/game\/([0-9a-hjkmnp-tv-z]{12})$/;
const REPLAY = /^\/replay(?:\/([0-9a-hjkmnp-tv-z]{12}))?$/;

/** Pages whose addresses name what they show. @type {[RegExp, (parts: Record<string, string>) => Route][]} */
const OTHERS = [
  [/^\/deployments$/, () => ({ page: "deployments" })],
  [/^\/deployments\/(?<ruleset>[a-z0-9-]+)(?:\/(?<name>[\w-]{1,30}))?$/, ({ ruleset = "", ...parts }) => ({ page: "deployment", ruleset, ...parts })],
  [/^\/@\/(?<name>[\w-]{2,20})$/, ({ name = "" }) => ({ page: "profile", name })],
  [/^\/leaderboard(?:\/(?<ruleset>[a-z0-9-]+)\/(?<speed>[a-z]+))?$/, (parts) => ({ page: "leaderboard", ...parts })],
  [/^\/games$/, () => ({ page: "games" })],
  [/^\/statistics$/, () => ({ page: "statistics" })],
  [/^\/account$/, () => ({ page: "account" })],
  [/^\/settings$/, () => ({ page: "settings" })],
  [/^\/about$/, () => ({ page: "about" })],
  [/^\/rules(?:\/(?<id>[a-z0-9-]+))?$/, (parts) => ({ page: "rules", ...parts })],
];

/** The named parts of an address. @param {RegExp} pattern @param {string} path @returns {Record<string, string>} */
function partsOf(pattern, path) {
  return Object.fromEntries(Object.entries(pattern.exec(path)?.groups ?? {}).filter(([, part]) => part !== undefined));
}

/** @param {string} path @param {string} hash @param {string} [search] @returns {Route} */
export function parseRoute(path, hash, search = "") {
  if (path === "/") return { page: "home" };
  if (path === "/play") return { page: "play" };
  if (path === "/watch") return { page: "watch" };
  // The code is in the fragment, so no log and no referrer has it.
  if (path === "/challenge") return { page: "challenge", code: hash.slice(1) };
  const other = OTHERS.find(([pattern]) => pattern.test(path));
  if (other) return other[1](partsOf(other[0], path));
  const game = GAME.exec(path);
  if (game?.[1]) return { page: "game", id: game[1] };
  const replay = REPLAY.exec(path);
  return replay ? replayRoute(replay[1], new URLSearchParams(search)) : { page: "unknown" };
}

/** @param {string | undefined} id @param {URLSearchParams} query @returns {ReplayRoute} */
function replayRoute(id, query) {
  const as = /^(red|blue|public|all)$/.exec(query.get("as") ?? "")?.[0];
  const ply = /^(\d{1,5}|end)$/.exec(query.get("ply") ?? "")?.[0];
  return {
    page: "replay", ...(id ? { id } : {}), ...(as ? { as: /** @type {Scope} */ (as) } : {}), ...(ply ? { ply } : {}),
  };
}

/** The address of a record. @param {ReplayRoute} replay */
export function replayAddress({ id, as, ply }) {
  const query = new URLSearchParams({ ...(as ? { as } : {}), ...(ply ? { ply } : {}) }).toString();
  return `/replay${id ? `/${id}` : ""}${query ? `?${query}` : ""}`;
}

/** The route that is shown. */
export const route = signal(/** @type {Route} */ ({ page: "home" }));

/** Goes to an address of the page. @param {string} address */
export function go(address) {
  history.pushState(null, "", address);
  read();
  scrollTo(0, 0);
}

function read() {
  route.value = parseRoute(location.pathname, location.hash, location.search);
}

/** Reads the address, and follows links without loading the page anew. */
export function listenToAddresses() {
  read();
  addEventListener("popstate", read);
  addEventListener("hashchange", read);
  document.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest?.("a[href^='/']");
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || link.hasAttribute("target") || link.hasAttribute("download")) return;
    event.preventDefault();
    go(link.getAttribute("href") ?? "/");
  });
}
