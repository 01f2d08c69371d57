// The page's life without a server, and across an upgrade: the service worker, and modules that
// are gone.

import { hasLiveGame } from "../net/line.js";
import { go } from "../route.js";
import { line, say, show } from "../state.js";

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
