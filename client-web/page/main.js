// Starts the page.

import { App } from "./app.js";
import { hasLiveGame } from "./net/line.js";
import { go, listenToAddresses, route } from "./route.js";
import { line, loadRulesets, say, show, start } from "./state.js";
import { effect, h, render } from "./vendor/library.js";
import { loadWords } from "./words.js";

const root = /** @type {HTMLElement} */ (document.querySelector("#app"));

async function run() {
  listenToAddresses();
  startOffline();
  const [words] = await Promise.all([loadWords("en"), retrying(loadRulesets)]);
  start(words);
  render(h(App, { route }), root);
  tellNews();
}

/** Sounds and notifications begin with a player or a game: a first visit has no news. */
function tellNews() {
  let isBegun = false;
  effect(() => {
    const { player, games } = line.value;
    if (isBegun || (!player && Object.keys(games).length === 0)) return;
    isBegun = true;
    void import("./parts/notices.js").then((notices) => notices.startNotices());
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

// The page's life without a server, and across an upgrade: the service worker, and modules that are
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
    reloadOnce();
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

/** After an upgrade the server has new modules only. A game is not interrupted, and a reload that did not help is not repeated. */
function reloadOnce() {
  const build = import.meta.url;
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
