// Starts the page.

import { App } from "./app.js";
import { startOffline } from "./parts/offline.js";
import { listenToAddresses, route } from "./route.js";
import { loadRulesets, start } from "./state.js";
import { h, render } from "./vendor/library.js";
import { loadWords } from "./words.js";

const root = /** @type {HTMLElement} */ (document.querySelector("#app"));

async function run() {
  listenToAddresses();
  startOffline();
  const [words] = await Promise.all([loadWords("en"), retrying(loadRulesets)]);
  start(words);
  render(h(App, { route }), root);
  void import("./parts/notices.js").then((notices) => notices.startNotices());
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

run().catch((error) => {
  root.textContent = "Flagfall cannot start here. Load the page again, or play in a terminal: flagfall play";
  console.error(error);
});
