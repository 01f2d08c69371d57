// What the page tells when nobody looks at it: sounds, notifications, and the icon of the tab.

import { timeLeft, titleOf } from "../game/rules.js";
import { hasLiveGame } from "../net/line.js";
import { NO_WAITS, follow, hear, isWaiting } from "../net/waits.js";
import { go } from "../route.js";
import { alarm, allWords, askOrTell, isMuted, line, moreWords, mutes, notice, onMessage, onNews, readMutes, rulesFor, say, serverTime, settings, show, tell, warn } from "../state.js";
import { computed, effect, h } from "../vendor/library.js";

/** @typedef {import("../../types/messages").GameEvent} GameEvent */
/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {"move" | "strike" | "turn" | "low" | "start" | "end" | "challenge"} Sound */
/** @typedef {"turn" | "start" | "challenge" | "time"} Kind */

/** What can notify, in the order of the settings. @type {Kind[]} */
export const KINDS = ["turn", "start", "challenge", "time"];
/** From here on, time is low: in games on a clock, and in games with days for each move. */
const LOW_MS = { clock: 30_000, days: 3_600_000 };
/** How long a tab lets others go first: the one with the focus does not wait. */
const WAIT_MS = { focused: 0, visible: 60, hidden: 150 };

/** All tabs hear all news, and one of them tells it. */
const tabs = new BroadcastChannel("flagfall-notices");
/** What some tab has told, the latest last. @type {Set<string>} */
const told = new Set();

/** @param {string} key */
function remember(key) {
  told.add(key);
  const [oldest] = told;
  if (told.size > 100 && oldest !== undefined) told.delete(oldest);
}

/** Does something in one tab only. @param {string} key The same in all tabs. @param {() => void} act */
function once(key, act) {
  const look = document.visibilityState === "hidden" ? "hidden" : document.hasFocus() ? "focused" : "visible";
  const pause = WAIT_MS[look] * (1 + Math.random());
  const claim = () => {
    if (told.has(key)) return;
    remember(key);
    tabs.postMessage(key);
    act();
  };
  if (pause === 0) claim();
  else setTimeout(claim, pause);
}

/** @param {string} key @param {Sound} sound */
function sound(key, sound) {
  if (settings.value.sound === "on") once(`${key} ${sound}`, () => play(sound));
}

/**
 * Shows a notification, unless somebody looks at the page. It names the game's rules and what
 * kind of news it is, nothing else: others may see the screen.
 * @param {Kind} kind @param {string} key @param {{ ruleset: string, address: string }} about
 */
function notify(kind, key, { ruleset, address }) {
  if (settings.value[`notify_${kind}`] !== "on" || !mayNotify() || document.hasFocus()) return;
  once(`${key} notify ${kind}`, () => {
    const rules = rulesFor(ruleset);
    const text = say(`notice-${kind}`, { rules: rules ? titleOf(rules, allWords()) : "Flagfall" });
    const options = { body: text, tag: `${kind} ${address}`, icon: iconAddress("flagfall"), data: address };
    try {
      const notification = new Notification("Flagfall", options);
      notification.addEventListener("click", () => {
        window.focus();
        notification.close();
        go(address);
      });
    } catch {
      // Phones show notifications of a service worker only.
      void navigator.serviceWorker?.ready.then((registration) => registration.showNotification("Flagfall", options));
    }
  });
}

/** The game that began last while nobody looked at this tab. @type {string | undefined} */
let nextGame;

/**
 * Goes to a game that begins, in one tab. If another game is played in that tab, it shows a link instead. A hidden tab
 * waits until it is looked at: the player may be on another device, and opening the game here would take it from them.
 * @param {string} id
 */
export function enter(id) {
  once(`${id} enter`, () => {
    if (hasLiveGame(line.value)) return void moreWords().then(() => tellAbove(say("game-began"), h("a", { class: "button compact", href: `/game/${id}`, target: "_blank" }, say("game-began-open"))));
    if (document.visibilityState !== "hidden") return go(`/game/${id}`);
    nextGame = id;
    document.title = `● ${say("your-turn-note")} · Flagfall`;
    showIcon();
  });
}

function enterBegun() {
  if (nextGame && document.visibilityState !== "hidden") go(`/game/${nextGame}`);
  nextGame = undefined;
}

/** Shows something above the page until the player acts. @param {string} text @param {any} act A link or a button. */
function tellAbove(text, act) {
  const close = () => {
    notice.value = undefined;
    if (alarm.value === text) alarm.value = "";
  };
  warn(text);
  notice.value = () => h("aside", { class: "bar" }, h("span", null, text), h("span", { class: "row-of", onClick: close }, act, h("button", { class: "button compact plain" }, say("close"))));
}

/** What the player waits with for an opponent. */
let waits = NO_WAITS;

/** @param {import("../net/waits.js").Followed} followed */
function waitOn({ waits: now, gone, begun }) {
  waits = now;
  begun.forEach(({ id }) => {
    sound(id, "start");
    enter(id);
  });
  if (gone.length > 0) {
    const what = gone.every(({ type }) => type === "enter_pool") ? "pool" : "offer";
    const again = () => gone.forEach((request) => void askOrTell(request));
    void moreWords().then(() => tellAbove(say("offer-gone", { what }), h("button", { class: "button compact", onClick: again }, say("offer-again", { what }))));
  }
  const isAwaiting = isWaiting(waits, serverTime.at(Date.now())) || ["start", "challenge"].some((kind) => settings.value[`notify_${/** @type {Kind} */ (kind)}`] === "on" && mayNotify());
  if (isAwaiting !== line.peek().isAwaiting) tell({ kind: "await", isAwaiting });
}

/** Follows what the player waits with. */
function watchWaits() {
  const { isUp } = waits;
  const { link, wantsLobby } = line.value;
  waitOn(follow(waits, line.value));
  // A page without the lobby would not hear whether the offers are still there.
  if (link === "up" && !isUp && waits.seeks.length > 0 && !wantsLobby) tell({ kind: "look", message: { type: "open_lobby" } });
}

export function mayNotify() {
  return "Notification" in window && Notification.permission === "granted";
}

/** Begins to tell, and to follow the settings of an account. */
export function startNotices() {
  tabs.onmessage = ({ data }) => remember(String(data));
  // What another tab has stored.
  addEventListener("storage", ({ key }) => {
    if (key === "mutes" || key === null) mutes.value = readMutes();
  });
  onNews((news) => {
    if (news.kind !== "event") return;
    const loaded = line.value.games[news.game]?.loaded;
    const key = `${news.game} ${loaded?.epoch} ${loaded?.seq}`;
    const about = { ruleset: news.after.ruleset, address: `/game/${news.game}` };
    for (const one of soundsOf(news.event, news.before, news.after)) {
      sound(key, one);
      if (one === "turn") notify("turn", key, about);
    }
  });
  effect(watchWaits);
  onMessage((message) => {
    waitOn(hear(waits, message));
    if (message.type === "lobby") tell({ kind: "look", message: { type: "close_lobby" } });
    if (message.type === "game_started") {
      sound(message.game.id, "start");
      notify("start", message.game.id, { ruleset: message.game.terms.ruleset, address: `/game/${message.game.id}` });
    }
    if (message.type === "challenged") {
      const { challenge, terms } = message.invitation;
      sound(challenge, "challenge");
      notify("challenge", challenge, { ruleset: terms.ruleset, address: `/challenge#${challenge}` });
    }
  });
  effect(showIcon);
  for (const change of ["focus", "blur"]) addEventListener(change, showIcon);
  document.addEventListener("visibilitychange", enterBegun);
  effect(watchClocks);
  // A first visit does without them.
  const isAccount = computed(() => (line.value.player?.kind ?? "guest") !== "guest");
  effect(() => {
    if (isAccount.value) void import("./preferences.js");
  });
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** The turns whose low time was told. @type {Set<string>} */
const lows = new Set();

/** Waits until the player's time runs low, in any open game. */
function watchClocks() {
  clearTimeout(timer);
  const now = serverTime.at(Date.now());
  const due = Object.values(line.value.games).flatMap(({ id, loaded }) => {
    const { view, game } = loaded ?? {};
    const side = view?.audience;
    if (!view?.clock || !game || !side || side === "public" || view.phase !== "playing" || !isOwnTurn(view) || view.paused) return [];
    const { ms, freeMs } = timeLeft(view.clock, side, now);
    const limit = game.terms.time.kind === "correspondence" ? LOW_MS.days : LOW_MS.clock;
    const key = `${id} ${view.ply}`;
    // A player who begins a turn with little time knows it already.
    if (lows.has(key) || view.clock.remaining_ms[side] <= limit) return [];
    return [{ in: Math.max(0, ms + freeMs - limit), key, ruleset: view.ruleset, address: `/game/${id}` }];
  }).sort((a, b) => a.in - b.in)[0];
  // Longer times do not fit into a timer.
  if (!due || due.in > 2_000_000_000) return;
  timer = setTimeout(() => {
    lows.add(due.key);
    sound(due.key, "low");
    notify("time", due.key, due);
    watchClocks();
  }, due.in);
}

/** @param {"flagfall" | "turn"} name */
function iconAddress(name) {
  return new URL(`../icons/${name}.svg`, import.meta.url).href;
}

/** The icon of a tab that nobody looks at has a dot while a game waits for the player. */
function showIcon() {
  const waits = nextGame || Object.values(line.value.games).some(({ loaded }) => loaded && isOwnTurn(loaded.view));
  const icon = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel=icon]"));
  const address = iconAddress(waits && !document.hasFocus() ? "turn" : "flagfall");
  if (icon && icon.href !== address) icon.href = address;
}

/** Asks the browser for its permission. */
export async function askBrowser() {
  return "Notification" in window ? Notification.requestPermission() : "denied";
}

// Sounds: which one an event has, and how each is made, without files. A sound tells no more than
// what everybody at the table knows.

/** Tones in order: hertz, seconds until the tone begins, seconds that it lasts. @type {Record<Sound, [number, number, number][]>} */
export const TONES = {
  move: [[330, 0, 0.07]],
  strike: [[165, 0, 0.12], [110, 0.09, 0.16]],
  turn: [[523, 0, 0.09], [659, 0.1, 0.14]],
  low: [[880, 0, 0.07], [880, 0.14, 0.07], [880, 0.28, 0.07]],
  start: [[392, 0, 0.1], [523, 0.1, 0.1], [659, 0.2, 0.18]],
  end: [[523, 0, 0.16], [392, 0.16, 0.16], [262, 0.32, 0.32]],
  challenge: [[659, 0, 0.1], [523, 0.12, 0.1], [659, 0.24, 0.16]],
};

/**
 * The sound of an event: by its kind, whether there was a strike, and whose turn it is. Ranks and
 * outcomes of strikes play no part.
 * @param {GameEvent} event @param {Readonly<GameView>} before @param {Readonly<GameView>} after @returns {Sound[]}
 */
export function soundsOf(event, before, after) {
  const turn = /** @type {Sound[]} */ (isOwnTurn(after) && !isOwnTurn(before) ? ["turn"] : []);
  switch (event.kind) {
    case "started": return ["start", ...turn];
    case "moved": return [event.strike ? "strike" : "move", ...turn];
    case "struck": return ["strike", ...turn];
    case "removed": case "placed": case "colored": return ["move", ...turn];
    case "ended": return ["end"];
    default: return turn;
  }
}

/** True if a game waits for this player. @param {Readonly<GameView>} view */
export function isOwnTurn(view) {
  const side = view.audience;
  if (side === "public" || view.phase === "over") return false;
  if (view.phase === "deploying") return !view.ready[side];
  if (view.pending_strike) return view.pending_strike.owes[side];
  return (view.owed_color?.side ?? view.turn) === side;
}

/** @type {AudioContext | undefined} */
let context;

/** Plays a sound, if the browser lets the page: not before the first gesture. @param {Sound} sound */
export function play(sound) {
  if (!navigator.userActivation?.hasBeenActive || typeof AudioContext === "undefined") return;
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume();
  for (const [frequency, after, seconds] of TONES[sound]) {
    const begin = context.currentTime + after;
    const [tone, loudness] = [context.createOscillator(), context.createGain()];
    tone.type = "triangle";
    tone.frequency.value = frequency;
    // Soft edges, or each tone begins and ends with a click.
    loudness.gain.setValueAtTime(0, begin);
    loudness.gain.linearRampToValueAtTime(0.2, begin + 0.01);
    loudness.gain.linearRampToValueAtTime(0, begin + seconds);
    tone.connect(loudness).connect(context.destination);
    tone.start(begin);
    tone.stop(begin + seconds);
  }
}

/** The maximum number of mutes. After that, the oldest one is dropped. */
const MOST_MUTES = 200;

/** Hides what a player says, or shows it again. @param {{ id: string, name: string }} player */
export function toggleMute({ id, name }) {
  const others = readMutes().filter((mute) => mute.id !== id);
  const isNew = !isMuted(id);
  mutes.value = isNew ? [...others, { id, name, since: Date.now() }].slice(-MOST_MUTES) : others;
  if (mutes.value.length > 0) localStorage.setItem("mutes", JSON.stringify(mutes.value));
  else localStorage.removeItem("mutes");
  show(say(isNew ? "chat-muted" : "chat-heard"));
}
