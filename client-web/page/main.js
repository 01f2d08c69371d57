// Starts the page, and the shell around every page: the top, the bar, what is shown for a while
// and said aloud.

import { GLYPHS, SHAPES, svg } from "./board/pieces.js";
import { hasLiveGame } from "./net/line.js";
import { Bar, Waiting } from "./parts/basics.js";
import { go, listenToAddresses, route } from "./route.js";
import { alarm, aloud, line, loadRulesets, loadedRefusal, moreWords, onMessage, rulesets, say, settings, show, start, toast } from "./state.js";
import { effect, h, render, useEffect, useRef, useState } from "./vendor/library.js";
import { chooseLanguage, languages, loadWords } from "./words.js";

/** @typedef {import("./route.js").Route} Route */
/** @typedef {import("./vendor/library.js").Signal<Route>} RouteSignal */

/** The pages, each loaded on the way to it. @type {Record<Route["page"], () => Promise<(props: any) => any>>} */
const PAGES = {
  home: async () => (await import("./pages/home.js")).HomePage,
  play: async () => (await withMore(withLooks(import("./pages/play.js")))).PlayPage,
  challenge: async () => (await withMore(withLooks(import("./pages/challenge.js")))).ChallengePage,
  game: async () => (await import("./pages/game.js")).GamePage,
  replay: async () => (await withMore(withLooks(import("./pages/replay.js")))).ReplayPage,
  watch: async () => (await withMore(withLooks(import("./pages/watch.js")))).WatchPage,
  rules: async () => (await withMore(withLooks(import("./pages/rules.js")))).RulesPage,
  deployments: async () => (await withMore(withLooks(import("./pages/deployments.js")))).DeploymentsPage,
  deployment: async () => (await withMore(import("./pages/deployment.js"))).DeploymentPage,
  profile: async () => (await withMore(withLooks(import("./pages/profile.js")))).ProfilePage,
  leaderboard: async () => (await withMore(withLooks(import("./pages/leaderboard.js")))).LeaderboardPage,
  games: async () => (await withMore(withLooks(import("./pages/games.js")))).GamesPage,
  statistics: async () => (await withMore(withLooks(import("./pages/statistics.js")))).StatisticsPage,
  account: async () => (await withMore(withLooks(import("./pages/account.js")))).AccountPage,
  settings: async () => (await withMore(import("./pages/settings.js"))).SettingsPage,
  about: async () => (await withMore(import("./pages/about.js"))).AboutPage,
  unknown: async () => (await import("./pages/unknown.js")).UnknownPage,
};

/** A page that needs more texts. @template T @param {Promise<T>} page */
async function withMore(page) {
  const [loaded] = await Promise.all([page, moreWords()]);
  return loaded;
}

/** @type {Promise<unknown> | undefined} */
let looks;

/**
 * A page with the styles that only some pages need. It is not shown before they are there.
 * @template T @param {Promise<T>} page @returns {Promise<T>}
 */
async function withLooks(page) {
  looks ??= new Promise((resolve, reject) => {
    const link = document.createElement("link");
    const fail = () => {
      link.remove();
      looks = undefined;
      reject(new Error("no styles"));
    };
    Object.assign(link, { rel: "stylesheet", href: new URL("./looks.css", import.meta.url).href, onload: resolve, onerror: fail });
    document.head.append(link);
  });
  const [loaded] = await Promise.all([page, looks]);
  return loaded;
}

/** True if the player's opponent sent this. @param {{ game: string, side: string }} message */
function isOpponent({ game, side }) {
  const audience = line.value.games[game]?.loaded?.view.audience;
  return audience !== undefined && audience !== "public" && audience !== side;
}

/** @param {{ route: RouteSignal }} props */
export function App({ route }) {
  const now = route.value;
  const game = now.page === "game" ? now.id : undefined;
  const key = now.page + ("id" in now ? now.id : "");
  useEffect(() => onMessage((message) => {
    if (message.type === "game_started") void noticesModule().then(({ enter }) => enter(message.game.id));
    if (message.type === "challenged") show(say("challenge-came", { name: message.invitation.challenger.name }));
    if (message.type === "rematch_offered" && isOpponent(message)) show(say("rematch-came"));
    if (message.type === "challenge_answered" && !message.accepted) {
      show(say("challenge-declined", { name: message.by.name }));
    }
    // The page of the offer says so itself.
    if (message.type === "challenge_gone" && location.pathname !== "/challenge") {
      void loadedRefusal({ code: "no_such_challenge", args: { reason: message.reason ?? "other" }, message: "" }).then(show);
    }
  }), []);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) void focusModule().then(({ focusPage }) => focusPage());
    isFirst.current = false;
  }, [key]);
  return h("div", { class: `app app-${now.page}` },
    h(Top, { page: now.page }),
    h(Bar, { game }),
    h("main", { id: "main", "data-focus": ".table:not(.replay) .squares [tabindex='0'], h1" }, h(Current, { key, route: now })),
    game ? null : h(Foot, {}),
    // A region that comes with its text is not read: it is there before, and has no size.
    h("div", { class: "toast", role: "status" }, toast.value?.text),
    h("div", { class: "aloud", role: "log", "aria-live": "polite" }, aloud.value),
    h("div", { class: "aloud", role: "alert" }, alarm.value));
}

/** @param {{ route: Route }} props */
function Current({ route }) {
  const [found, setFound] = useState(/** @type {{ Page: (props: any) => any } | undefined} */ (undefined));
  useEffect(() => {
    let isCurrent = true;
    PAGES[route.page]().catch(() => {
      void reloadOnce();
      return NotLoaded;
    }).then((Page) => isCurrent && setFound({ Page }));
    return () => {
      isCurrent = false;
    };
  }, [route.page]);
  // No page does without the rules.
  const hasRules = rulesets.value.length > 0;
  if (found && (hasRules || found.Page === NotLoaded)) return h(found.Page, route);
  const text = say(hasRules ? "waiting-for-page" : "waiting-for-game");
  return h("div", { class: "page" }, h(Waiting, { text, skeleton: WHOLE.has(route.page) ? "whole-skeleton" : "page-skeleton" }));
}

/** Pages that fill the window from the start. @type {ReadonlySet<Route["page"]>} */
const WHOLE = new Set(/** @type {Route["page"][]} */ (["game", "replay", "watch", "profile", "rules", "deployment"]));

/** Instead of a page that could not be loaded. Browsers do not load a module again once it has failed. */
function NotLoaded() {
  return h("div", { class: "page stack narrow" },
    h("h1", null, say("not-loaded")), h("p", { class: "muted" }, say("no-answer")),
    h("button", { class: "button main", onClick: () => location.reload() }, say("bar-act-old-page")));
}

/** @param {{ page: Route["page"] }} props */
function Top({ page }) {
  const { player, pool } = line.value;
  /** @param {string} href @param {string} text @param {boolean} isHere */
  const link = (href, text, isHere) => h("a", { href, "aria-current": isHere ? "page" : undefined }, text);
  return h("header", { class: "top" },
    h("a", { class: "brand", href: "/" }, h(Mark, {}), h("span", null, "Flagfall")),
    h("nav", { "aria-label": say("nav") }, link("/play", say("nav-play"), page === "play"), link("/watch", say("nav-watch"), page === "watch"),
      link("/rules", say("nav-rules"), page === "rules")),
    pool && page !== "home" && page !== "play" ? h("a", { class: "waits", href: "/play", "aria-label": say("pool-waiting") }, h("div", { class: "pulse" }), h("span", null, say("pool-waiting"))) : null,
    h("div", { class: "who" },
      h("a", { href: "/account", title: player?.name, "aria-current": page === "account" ? "page" : undefined }, player?.name ?? say("nav-account")),
      // Beside a game, they are a dialog: leaving the game would leave its seat.
      page === "game" || page === "replay"
        ? h("button", { class: "button plain compact", onClick: () => void import("./parts/settings.js").then((module) => module.showSettings()) }, say("settings"))
        : h("a", { class: "button plain compact", href: "/settings", "aria-current": page === "settings" ? "page" : undefined }, say("settings"))));
}

/** Looks after the focus once something has it. */
const focusModule = () => import("./focus.js");
const noticesModule = () => import("./parts/notices.js");

/** The way to every other page. */
function Foot() {
  return h("nav", { class: "page-foot", "aria-label": say("nav-more") },
    ["rules", "deployments", "games", "leaderboard", "account", ...(line.value.hasAbout ? ["about"] : [])].map((page) => h("a", { key: page, href: `/${page}` }, say(`nav-${page}`))));
}

/** The mark of the page: a shield with a pennant. */
function Mark() {
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const picture = svg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true", class: "red" });
    const flag = svg("g", { transform: "translate(20 18) scale(1)" });
    flag.append(svg("path", { class: "glyph-line", d: GLYPHS.F?.line ?? "" }), svg("path", { class: "glyph", d: GLYPHS.F?.fill ?? "" }));
    picture.append(svg("path", { class: "shape", d: SHAPES.red }), flag);
    host.current?.replaceChildren(picture);
  }, []);
  return h("span", { ref: host, class: "mark" });
}

// Starts the page.

const root = /** @type {HTMLElement} */ (document.querySelector("#app"));

async function run() {
  // Older browsers keep what the document says to them.
  if (!CSS.supports("color", "light-dark(#000, #fff)")) return;
  listenToAddresses();
  document.addEventListener("focusin", () => void focusModule(), { once: true });
  startOffline();
  const { language } = settings.value;
  const wanted = language === "system" ? navigator.languages : [language, ...navigator.languages];
  void retrying(loadRulesets);
  start(await loadWords(chooseLanguage(wanted, languages())));
  root.replaceChildren();
  render(h(App, { route }), root);
  tellNews();
}

/**
 * Sounds and notifications begin with a player, or with the first press of somebody who only looks on:
 * browsers play no sound before it.
 */
function tellNews() {
  let isBegun = false;
  const begin = () => {
    if (isBegun) return;
    isBegun = true;
    void noticesModule().then((notices) => notices.startNotices());
  };
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, begin, { once: true });
  effect(() => {
    if (line.value.player) begin();
  });
}

/** Tries until it works: the server may be about to start. @param {() => Promise<void>} load */
async function retrying(load) {
  for (let pause = 250; ; pause = Math.min(5_000, pause * 2)) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

// The page without a server and during an upgrade: the service worker, and modules that are
// gone.

/** The one script that may be a service worker. */
const WORKER = "/sw.js";
/** A first visit is not slowed by keeping the build. */
const PAUSE_MS = 8_000;

/** Lets the service worker's address pass, and nothing else. @param {string} address */
export function onlyWorker(address) {
  if (address !== WORKER) throw new TypeError(`not the service worker: ${address}`);
  return address;
}

/** Keeps the build on the device, and reloads the page if a part of it is gone. */
export function startOffline() {
  addEventListener("unhandledrejection", (event) => {
    if (!isModuleGone(event.reason)) return;
    event.preventDefault();
    void reloadOnce();
  });
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  serviceWorker.addEventListener("message", ({ data }) => {
    if (typeof data?.go === "string" && data.go.startsWith("/")) go(data.go);
  });
  const types = /** @type {any} */ (globalThis).trustedTypes;
  const policy = types?.createPolicy("flagfall-sw", { createScriptURL: onlyWorker });
  setTimeout(() => {
    // Without a worker, the page only needs its server.
    serviceWorker.register(policy ? policy.createScriptURL(WORKER) : WORKER).catch(() => undefined);
  }, PAUSE_MS);
}

/** What browsers say when a module is not there. @param {unknown} reason */
export function isModuleGone(reason) {
  return reason instanceof TypeError && /dynamically imported module|importing a module script/i.test(reason.message);
}

/**
 * After an upgrade the server has new modules only. A game is not interrupted, a reload that did
 * not help is not repeated, and without an answer of the server there would be no page any more.
 */
async function reloadOnce() {
  const build = import.meta.url;
  const isAway = navigator.onLine && await fetch(build, { method: "HEAD", cache: "no-store" }).then(() => false, () => true);
  if (isAway) return show(say("no-answer"));
  if (!navigator.onLine || hasLiveGame(line.value) || sessionStorage.getItem("reloaded") === build) {
    return show(say(navigator.onLine ? "module-gone" : "module-offline"));
  }
  sessionStorage.setItem("reloaded", build);
  location.reload();
}

run().catch((error) => {
  root.textContent = "Flagfall cannot start here. Load the page again, or play in a terminal: flagfall play";
  console.error(error);
});
