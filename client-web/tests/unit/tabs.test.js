// Tabs that are hidden, that another tab has taken over, or whose player was away at the end of
// the game.

import assert from "node:assert/strict";
import test from "node:test";
import { listedRules } from "../games.js";
import { GAME, game, playing, view } from "../line_sim.js";

/** What listens to the document. @type {Map<string, () => void>} */
const listeners = new Map();
Object.assign(globalThis, {
  localStorage: { getItem: () => null, setItem: () => undefined, removeItem: () => undefined },
  document: {
    documentElement: { dataset: {} }, visibilityState: "hidden", title: "Flagfall", querySelector: () => null, hasFocus: () => false,
    addEventListener: (/** @type {string} */ name, /** @type {() => void} */ listener) => void listeners.set(name, listener),
  },
  BroadcastChannel: class { postMessage() {} }, addEventListener: () => undefined, scrollTo: () => undefined, window: globalThis,
  location: { pathname: "/", hash: "", search: "" },
  history: { pushState: (/** @type {unknown} */ _, /** @type {unknown} */ __, /** @type {string} */ path) => (location.pathname = path) },
});
const { line, rulesets } = await import("../../page/state.js");
const { enter, startNotices } = await import("../../page/parts/notices.js");
const { GameControl } = await import("../../page/table/control.js");

test("a hidden tab enters a game that begins when the player looks at it", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  startNotices();
  enter(GAME);
  t.mock.timers.tick(300);
  assert.equal(location.pathname, "/", "the player may play on another device");
  assert.match(document.title, /^● /);
  Object.assign(document, { visibilityState: "visible" });
  listeners.get("visibilitychange")?.();
  assert.equal(location.pathname, `/game/${GAME}`);
  enter("another00000");
  t.mock.timers.tick(120);
  assert.equal(location.pathname, "/game/another00000", "a visible one at once");
});

rulesets.value = await listedRules();

test("a tab that another one has taken over drops its planned move", () => {
  const sim = playing();
  const control = new GameControl(GAME);
  control.planned.value = { move: "a4a5", piece: "a4r6", target: undefined };
  sim.hear({ type: "superseded", game: GAME });
  sim.hear(game({ driving: false, view: view({ turn: "blue" }) }));
  line.value = sim.line;
  control.hear({ kind: "view", game: GAME });
  assert.equal(control.planned.value, undefined);
});

test("a player who comes back to a game that is over reads what it changed", async () => {
  const point = (/** @type {number} */ rating) => ({ rating, deviation: 80, provisional: false });
  const change = { game: GAME, before: { red: point(1500), blue: point(1500) }, after: { red: point(1490), blue: point(1510) } };
  /** @type {string[]} */
  const asked = [];
  globalThis.fetch = /** @type {any} */ (async (/** @type {string} */ path) => {
    if (path.endsWith("/ratings")) asked.push(path);
    return { ok: path.endsWith("/ratings"), json: async () => change };
  });
  const sim = playing();
  const control = new GameControl(GAME);
  const come = async (/** @type {"playing" | "over"} */ phase) => {
    const message = /** @type {any} */ (game({ view: view({ phase }) }));
    message.game.terms = { ...message.game.terms, rated: true };
    sim.hear(message);
    line.value = sim.line;
    control.hear({ kind: "view", game: GAME });
    await new Promise(setImmediate);
  };
  await come("playing");
  assert.deepEqual(asked, []);
  await come("over");
  await come("over");
  assert.deepEqual(asked, [`/api/games/${GAME}/ratings`], "once");
  assert.deepEqual(control.ratings.value, change.after);
  assert.notEqual(control.rated.value, "");
});
