// Where the player is: the address of the page, and the control with the focus.

import { signal } from "./vendor/library.js";

/** @typedef {import("./game/record.js").Scope} Scope */
/**
 * `as`: whose record; `ply`: a number, or `end`. Without an id, a record comes from a file.
 * @typedef {{ page: "replay", id?: string, as?: Scope, ply?: string }} ReplayRoute
 * @typedef {{ page: "home" } | { page: "play" } | { page: "challenge", code: string }
 *   | { page: "game", id: string } | { page: "rules", id?: string } | { page: "deployments" }
 *   | { page: "deployment", ruleset: string, name?: string } | { page: "profile", name: string }
 *   | { page: "leaderboard", ruleset?: string, speed?: string } | { page: "games" } | { page: "account" } | { page: "statistics" } | { page: "about" }
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

// The focus. When a control that has it disappears or is disabled, browsers give it to the document,
// where keys do nothing and a screen reader starts over. Here a successor gets it instead. A region
// can name one with `data-focus`: selectors in order of preference, separated by ", ".

/**
 * A control that has or had the focus. `around`: the elements around it, from the inside out.
 * @typedef {{ control: HTMLElement, around: Around[] }} Place
 */
/**
 * An element around a control. `index`: of the child that was the control or contained it.
 * @typedef {{ region: HTMLElement, children: Element[], index: number }} Around
 */

const CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex]";
const HEADINGS = "h1, h2, h3";

/** Where the focus is, or was until it was lost. @type {Place | undefined} */
let held;
/** A page has been opened, and has not been given the focus yet. */
let isNewPage = false;
/** The player used a pointer last: then the page is not scrolled to the focus. */
let isPointer = false;

/** @param {HTMLElement} control @returns {Place} */
function placeOf(control) {
  /** @type {Around[]} */
  const around = [];
  for (let child = control, region = control.parentElement; region; child = region, region = region.parentElement) {
    const children = [...region.children];
    around.push({ region, children, index: children.indexOf(child) });
  }
  return { control, around };
}

/** Where the focus is now; undefined if nothing has it. @returns {Place | undefined} */
export function here() {
  const control = /** @type {HTMLElement | null} */ (document.activeElement);
  return control && control !== document.body ? placeOf(control) : undefined;
}

/** Gives the focus back to where it was, or to what is there instead. @param {Place | undefined} place */
export function giveBack(place) {
  held = place;
  if (!place) return;
  if (isUsable(place.control)) give(place.control);
  else keepFocus();
}

/** If the focus is in a region, its successor gets it. @param {string} region A selector. */
export function handOver(region) {
  const place = here();
  const next = place?.control.closest(region) && successor(place);
  if (next) give(next);
}

/** A page was opened: it gets the focus as soon as it is there. */
export function focusPage() {
  isNewPage = true;
  keepFocus();
}

/** Watches over the focus from now on. */
export function watchFocus() {
  document.addEventListener("focusin", () => {
    held = here();
    isNewPage = false;
  });
  // A click beside all controls takes the focus from them on purpose.
  document.addEventListener("click", () => (held = here()), { capture: true });
  document.addEventListener("pointerdown", () => (isPointer = true), { capture: true });
  document.addEventListener("keydown", () => (isPointer = false), { capture: true });
  new MutationObserver(keepFocus).observe(document.body, {
    subtree: true, childList: true, attributeFilter: ["disabled", "aria-busy", "hidden", "open"],
  });
}

/** Finds a successor if the focus is lost. If there is none yet, the next change tries again. */
function keepFocus() {
  if (isNewPage) {
    const start = startOfPage();
    if (start) give(start);
    return;
  }
  const now = /** @type {HTMLElement | null} */ (document.activeElement);
  if (!held || (now && now !== document.body && !isOff(now))) return;
  const { control } = held;
  // A control that waits for an answer comes back.
  if (control.isConnected && control.getAttribute("aria-busy") === "true") return;
  const next = isUsable(control) ? control : successor(held);
  if (next) give(next);
}

/** @param {HTMLElement} element */
function give(element) {
  if (!element.matches(CONTROLS)) element.tabIndex = -1;
  element.focus({ preventScroll: isPointer });
  // A window in the background sends no events of its focus.
  held = here();
  isNewPage = false;
}

/** @param {Element} element */
function isOff(element) {
  return element.matches(":disabled");
}

/** @param {Element} element */
function isUsable(element) {
  return element.isConnected && !isOff(element) && element.checkVisibility();
}

/** Where the focus goes from a place that has lost it. @param {Place} place @returns {HTMLElement | undefined} */
function successor({ control, around }) {
  const left = around.filter(({ region }) => region.isConnected);
  const within = left.filter(({ region }) => region.id !== "main");
  return first(left.slice(0, 1), (one) => replacement(one, control))
    ?? first(left, ({ region, index }) => (region.matches("ul, ol, tbody") ? inNextRow(region, index, control) : undefined))
    ?? first(within, ({ region }) => named(region))
    ?? first(left, ({ region }) => (region.matches("section, form, fieldset, dialog") ? headingOf(region) : undefined))
    ?? startOfPage();
}

/** Where a page begins, if it is there. */
function startOfPage() {
  const main = document.querySelector("#main");
  return main ? named(main) : undefined;
}

/** The first result that there is. @template T, U @param {readonly T[]} list @param {(one: T) => U | undefined} find @returns {U | undefined} */
function first(list, find) {
  for (const one of list) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The successor that a region names: one of its elements, or itself. @param {Element} region @returns {HTMLElement | undefined} */
function named(region) {
  const { focus } = /** @type {HTMLElement} */ (region).dataset;
  if (!focus) return undefined;
  const all = /** @type {HTMLElement[]} */ ([region, ...region.querySelectorAll("*")]);
  return first(focus.split(", "), (selector) => all.find((element) => element.matches(selector) && isUsable(element)));
}

/** What came in place of a control, or of what it was in. @param {Around} around @param {HTMLElement} control @returns {HTMLElement | undefined} */
function replacement({ region, children, index }, control) {
  const there = region.children[index];
  if (!there || children.includes(there)) return undefined;
  const wasControl = children[index] === control;
  const all = /** @type {HTMLElement[]} */ ([there, ...(wasControl ? there.querySelectorAll("*") : [])]);
  return all.find((element) => element.matches(CONTROLS) && isUsable(element));
}

/**
 * The same control of the nearest row. Another one would be a trap for those who press a key twice.
 * @param {Element} list @param {number} index @param {HTMLElement} control @returns {HTMLElement | undefined}
 */
function inNextRow(list, index, control) {
  const rows = [...list.children];
  const text = control.textContent;
  return first([...rows.slice(index), ...rows.slice(0, index).reverse()], (row) =>
    /** @type {HTMLElement[]} */ ([...row.querySelectorAll(CONTROLS)]).find((other) => other.textContent === text && isUsable(other)));
}

/** @param {Element} region @returns {HTMLElement | undefined} */
function headingOf(region) {
  return /** @type {HTMLElement[]} */ ([...region.querySelectorAll(HEADINGS)]).find(isUsable);
}
