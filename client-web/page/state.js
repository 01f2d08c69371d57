// What all parts of the page share: the line and its socket, the rulesets, the texts, and what is
// said aloud.

import { ServerTime, clockText, rulesOf } from "./game/rules.js";
import { newId, newLine, step, wakeAt } from "./net/line.js";
import { effect, signal } from "./vendor/library.js";
import { Words, loadMore } from "./words.js";

/** @typedef {import("../types/messages").ServerMessage} ServerMessage */
/** @typedef {import("./net/line.js").Effect} Effect */
/** @typedef {import("./game/follow.js").GameNews} GameNews */
/** @typedef {import("./game/rules.js").Rules} Rules */
/** @typedef {import("./net/line.js").Line} Line */
/** @typedef {import("./net/line.js").Input} Input */

/** @typedef {ServerMessage & { type: "accepted" | "refused" }} Answer */

export const line = signal(newLine(0));
export const rulesets = signal(/** @type {Rules[]} */ ([]));
/** The house players, weaker ones first. */
export const housePlayers = signal(/** @type {import("../types/api").HousePlayerInfo[]} */ ([]));
export const serverTime = new ServerTime();

/** A sentence that is shown for a while. */
export const toast = signal(/** @type {{ text: string, id: number } | undefined} */ (undefined));
/** What a screen reader says next: in its turn, or at once. */
export const aloud = signal("");
export const alarm = signal("");
/** What stands in the bar if the line has nothing to say. */
export const notice = signal(/** @type {(() => any) | undefined} */ (undefined));

/**
 * `language`: the name of its texts, or `system` for the browser's.
 * @typedef {object} Settings
 * @property {string} language
 * @property {"system" | "light" | "dark"} theme
 * @property {"plain" | "green" | "checkered"} board The colors of the squares.
 * @property {"us" | "eu"} numbering
 * @property {"normal" | "large" | "glyphs"} print What stands on pieces: figures, large figures, or glyphs with figures.
 * @property {"system" | "none"} motion
 * @property {"system" | "never" | "strikes" | "always"} confirm Before which moves to ask; "system": in games with days per move.
 * @property {"on" | "off"} letters Keys with letters, figures and signs, on the board and in its questions.
 * @property {"on" | "off"} premove Moves can be planned on the opponent's turn.
 * @property {"on" | "off"} sound
 * @property {"on" | "off"} notify_turn
 * @property {"on" | "off"} notify_start
 * @property {"on" | "off"} notify_challenge
 * @property {"on" | "off"} notify_time
 */

/** @type {Settings} */
export const PLAIN = {
  language: "system", theme: "system", board: "plain", numbering: "us", print: "normal", motion: "system", confirm: "system", letters: "on", premove: "on",
  sound: "on", notify_turn: "off", notify_start: "off", notify_challenge: "off", notify_time: "off",
};
/** @returns {Settings} */
export function readSettings() {
  return { ...PLAIN, ...JSON.parse(localStorage.getItem("settings") ?? "{}") };
}

/** The player's settings. `parts/preferences.js` changes them. */
export const settings = signal(readSettings());
effect(() => {
  const { theme, board } = settings.value;
  Object.assign(document.documentElement.dataset, { theme, board });
});

/** True if the player has switched off what this key does. @param {KeyboardEvent} event */
export function isKeyOff({ key }) {
  return settings.value.letters === "off" && key.length === 1 && key !== " ";
}

/** The names of the saved deployments that the player has chosen for their next games, by ruleset. */
export const deployWith = signal(/** @type {Readonly<Record<string, string>>} */ (JSON.parse(localStorage.getItem("deploy-with") ?? "{}")));

/** @type {Words} */
let words = new Words("en", "");
/** What goes into the line, once it is open. @type {(input: Input) => void} */
export let tell = () => undefined;
/** @type {Map<string, (answer: Answer) => void>} */
const waiting = new Map();
/** @type {Set<(news: GameNews) => void>} */
const newsListeners = new Set();
/** @type {Set<(message: ServerMessage) => void>} */
const messageListeners = new Set();
/** Other tabs hear of a new session, and take it. */
const otherTabs = new BroadcastChannel("flagfall-session");

/** @param {string} id @param {import("./words.js").Args} [args] */
export function say(id, args) {
  return words.say(id, args);
}

/** What is left on a clock. @param {number} ms */
export function sayClock(ms) {
  return clockText(ms, words);
}

/** @type {Promise<void> | undefined} */
let more;
/** Loads the texts that only some pages need, once. */
export function moreWords() {
  more ??= loadMore(words).catch((error) => {
    more = undefined;
    throw error;
  });
  return more;
}

export function allWords() {
  return words;
}

/** Connects, once the texts are there. The rules may still be on their way. @param {Words} loaded */
export function start(loaded) {
  words = loaded;
  document.documentElement.lang = words.language;
  openLine();
  otherTabs.onmessage = takeSession;
}

/** The browser has another session now, or none. The line goes on with it, in all tabs. */
export function sessionChanged() {
  otherTabs.postMessage("new");
  takeSession();
}

function takeSession() {
  tell({ kind: "session", ok: true });
  // A session that has ended closed its lines for good.
  tell({ kind: "retry" });
}

export async function loadRulesets() {
  const answer = await fetch("/api/rulesets");
  if (!answer.ok) throw new Error(`no rulesets: ${answer.status}`);
  const listed = await answer.json();
  housePlayers.value = listed.house_players;
  rulesets.value = listed.rulesets;
}

/** The rules of games by their rulesets, custom ones too. @type {Map<string, Rules>} */
const rulesById = new Map();

/** The rules of a game: the same object each time. @param {string} id */
export function rulesFor(id) {
  const rules = rulesById.get(id) ?? rulesOf(rulesets.value, id);
  if (rules) rulesById.set(id, rules);
  return rules;
}

/** @param {Effect} happening */
function happened(happening) {
  switch (happening.kind) {
    case "make_session": return void makeSession();
    case "server_time": return serverTime.learn(happening.time, Date.now());
    case "answer": {
      waiting.get(happening.command.cmd_id)?.(happening.message);
      waiting.delete(happening.command.cmd_id);
      return;
    }
    case "news": return newsListeners.forEach((listener) => listener(happening.news));
    case "message": return messageListeners.forEach((listener) => listener(happening.message));
    default: return;
  }
}

/** Makes the player a guest, with a cookie that no script can read. */
async function makeSession() {
  try {
    const answer = await fetch("/api/session", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: "{}",
    });
    if (answer.ok) otherTabs.postMessage("new");
    tell({ kind: "session", ok: answer.ok });
  } catch {
    tell({ kind: "session", ok: false });
  }
}

/** @typedef {{ code?: string | null, message: string, args?: import("./words.js").Args }} Refusal */

/**
 * Reads from the API, as the player of this browser's session.
 * @param {string} path @returns {Promise<{ body: any } | { refusal: Refusal }>}
 */
export async function readApi(path) {
  try {
    const answer = await fetch(path, { headers: { Accept: "application/json" } });
    const body = await answer.json();
    return answer.ok ? { body } : { refusal: body };
  } catch {
    return { refusal: { code: "no_answer", message: say("no-answer") } };
  }
}

/**
 * Asks the server for a change. Comes back with its answer, however long that takes.
 * @param {import("./net/line.js").Request} request @returns {Promise<Answer>}
 */
export function ask(request) {
  return new Promise((resolve) => {
    const id = newId();
    waiting.set(id, resolve);
    tell({ kind: "ask", request, id });
  });
}

/** Asks, and shows a refusal as a sentence. @param {import("./net/line.js").Request} request */
export async function askOrTell(request) {
  const answer = await ask(request);
  if (answer.type === "refused") {
    show(answer.code === "session_failed" ? say("session-failed") : await loadedRefusal(answer));
    return undefined;
  }
  return answer.outcome;
}

/**
 * What a refusal says, where its texts may not be loaded yet. If they cannot be loaded, that is the
 * server's sentence.
 * @param {Refusal} refusal
 */
export async function loadedRefusal(refusal) {
  await moreWords().catch(() => undefined);
  return refusalText(refusal);
}

/** What a refusal says, in the page's language, once more texts are loaded. @param {Refusal} refusal */
export function refusalText({ code, message, args }) {
  return words.sayOr(`refusal-${(code ?? "").replaceAll("_", "-")}`, message, args);
}

let shown = 0;
/** Shows a sentence for a while, and has it read. @param {string} text */
export function show(text) {
  const id = ++shown;
  toast.value = { text: anew(text, toast.value?.text), id };
  setTimeout(() => toast.value?.id === id && (toast.value = undefined), 6_000);
}

/** Says a sentence. @param {string} text */
export function speak(text) {
  aloud.value = anew(text, aloud.value);
}

/** Says a sentence at once. @param {string} text */
export function warn(text) {
  alarm.value = anew(text, alarm.value);
}

/**
 * A text that is said twice in a row is made different, or it is not read.
 * @param {string} text @param {string | undefined} before
 */
function anew(text, before) {
  return before === text ? `${text}\u00a0` : text;
}

/** @param {(news: GameNews) => void} listener @returns {() => void} */
export function onNews(listener) {
  newsListeners.add(listener);
  return () => newsListeners.delete(listener);
}

/** @param {(message: ServerMessage) => void} listener @returns {() => void} */
export function onMessage(listener) {
  messageListeners.add(listener);
  return () => messageListeners.delete(listener);
}

// Carries out what the line wants done: the WebSocket, the timers, and what the browser tells.

/** Connects to the server of this page and stays connected. */
function openLine() {
  line.value = newLine(Date.now());
  /** @type {WebSocket | undefined} */
  let socket;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  tell = (input) => {
    const after = step(line.peek(), input, { now: Date.now(), random: Math.random() });
    // Listeners find the line as it is after the effect.
    line.value = after.line;
    after.effects.forEach(carryOut);
    clearTimeout(timer);
    const at = wakeAt(line.peek());
    if (at < Infinity) timer = setTimeout(() => tell({ kind: "tick" }), Math.max(20, at - Date.now()));
  };

  /** @param {Effect} effect */
  function carryOut(effect) {
    switch (effect.kind) {
      case "connect": return connect();
      case "disconnect": return disconnect();
      case "send": return socket?.readyState === WebSocket.OPEN ? socket.send(JSON.stringify(effect.message)) : undefined;
      default: return happened(effect);
    }
  }

  function connect() {
    const url = new URL("/ws", location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const opened = new WebSocket(url);
    socket = opened;
    // A socket that was replaced is not heard any more.
    opened.onopen = () => socket === opened && tell({ kind: "opened" });
    opened.onclose = (event) => {
      // Browsers tell only when this changes. A server on this machine is there all the same.
      const { link, lastClose } = line.peek();
      const isOffline = !navigator.onLine && link === "connecting" && lastClose === undefined;
      if (socket === opened) tell(isOffline ? { kind: "offline" } : { kind: "closed", code: event.code });
    };
    opened.onmessage = (event) => socket === opened && tell({ kind: "message", message: JSON.parse(event.data) });
  }

  function disconnect() {
    const old = socket;
    socket = undefined;
    // With code 1000 or none, the server would take it for leaving on purpose.
    old?.close(4999);
  }

  addEventListener("online", () => tell({ kind: "online" }));
  addEventListener("offline", () => tell({ kind: "offline" }));
  addEventListener("pageshow", (event) => event.persisted && tell({ kind: "shown" }));
  document.addEventListener("visibilitychange", () =>
    tell({ kind: document.visibilityState === "hidden" ? "hidden" : "shown" }));
  tell({ kind: "tick" });
}

/** A player whom this device does not hear. @typedef {{ id: string, name: string, since: number }} Mute */

/** @returns {readonly Mute[]} */
export function readMutes() {
  return JSON.parse(localStorage.getItem("mutes") ?? "[]");
}

/** The players whose talk is hidden, on this device and for good. */
export const mutes = signal(readMutes());

/** @param {string} id */
export function isMuted(id) {
  return mutes.value.some((mute) => mute.id === id);
}

/** Hides what a player says, or shows it again. @param {{ id: string, name: string }} player */
export function toggleMute(player) {
  void import("./parts/notices.js").then((notices) => notices.toggleMute(player));
}
