// Questions to the HTTP API, and what a page shows until they are answered, or if they are not;
// challenges; and texts that leave the page.

import { AGAIN_MS, TEMPORARY } from "../net/line.js";
import { ask, askOrTell, line, loadedRefusal, refusalText, say, show } from "../state.js";
import { computed, h, useEffect, useState } from "../vendor/library.js";
import { Waiting } from "./basics.js";

/** @typedef {{ code: string, message: string, args?: import("../words.js").Args }} Refusal */
/** @template T @typedef {{ value: T } | { refusal: Refusal }} Answer */
/**
 * What is known of a question. `value` stays while it is asked again.
 * @template T
 * @typedef {{ value: T | undefined, refusal: Refusal | undefined, again: () => void }} Asked
 */

/**
 * Makes a request as the player of the session.
 * @template T
 * @param {"GET" | "POST" | "PUT" | "DELETE"} method @param {string} path @param {object} [body]
 * @returns {Promise<Answer<T>>}
 */
export async function request(method, path, body) {
  try {
    const answer = await fetch(path, {
      method, ...(body ? { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (answer.ok) return { value: text ? JSON.parse(text) : undefined };
    return { refusal: { code: "unreachable", message: say("unreachable"), ...JSON.parse(text) } };
  } catch {
    return { refusal: { code: "unreachable", message: say("unreachable") } };
  }
}

/** Where suggested deployments are: those of a custom game are those of its ruleset. @param {string} ruleset */
export function suggestionsAt(ruleset) {
  return `/api/rulesets/${ruleset.split(",")[0]}/deployments/suggested`;
}

/** Parts that ask are not drawn anew at each message. */
const playerId = computed(() => line.value.player?.id);

/**
 * Asks for something when the page shows it, and again when the player changes.
 * @template T
 * @param {string | undefined} path Undefined while there is nothing to ask.
 * @returns {Asked<T>}
 */
export function useAnswer(path) {
  const [asked, setAsked] = useState(/** @type {{ path: string | undefined, value?: T, refusal?: Refusal }} */ ({ path }));
  const [turn, setTurn] = useState(0);
  const player = playerId.value;
  useEffect(() => {
    if (path === undefined) return;
    let isCurrent = true;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    void request("GET", path).then((answer) => {
      if (!isCurrent) return;
      const failed = "refusal" in answer ? /** @type {Refusal} */ (answer.refusal) : undefined;
      if (failed) setAsked((before) => ({ ...(before.path === path ? before : { path }), refusal: failed }));
      else setAsked({ path, value: /** @type {{ value: T }} */ (answer).value });
      if (failed && TEMPORARY.has(failed.code)) timer = setTimeout(() => setTurn((turn) => turn + 1), AGAIN_MS);
    });
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [path, player, turn]);
  const isOld = asked.path !== path;
  return {
    value: isOld ? undefined : asked.value,
    refusal: isOld ? undefined : asked.refusal,
    again: () => setTurn(turn + 1),
  };
}

/**
 * Makes a request that changes something. A refusal comes back as a sentence.
 * @template T
 * @param {"POST" | "PUT" | "DELETE"} method @param {string} path @param {object} [body]
 * @returns {Promise<{ value: T } | { trouble: string, code: string }>}
 */
export async function change(method, path, body) {
  const answer = /** @type {Answer<T>} */ (await request(method, path, body));
  if (!("refusal" in answer)) return answer;
  return { trouble: refusalSentence(answer.refusal), code: answer.refusal.code };
}

/** @param {Refusal} refusal */
export function refusalSentence(refusal) {
  return refusalText(refusal);
}

/**
 * Shows an answer, or how far the question is.
 * @template T
 * @param {Asked<T>} asked @param {(value: T) => any} draw @param {string} [skeleton] The class of what is shown meanwhile.
 */
export function shown(asked, draw, skeleton = "page-skeleton") {
  return asked.value === undefined ? waiting(asked, skeleton) : draw(asked.value);
}

/** How far a question is. @param {Asked<unknown>} asked @param {string} [skeleton] */
export function waiting(asked, skeleton = "page-skeleton") {
  return asked.refusal ? h(Failed, { refusal: asked.refusal, again: asked.again }) : h(Waiting, { skeleton });
}

/** What went wrong, and what to do. @param {{ refusal: import("../state.js").Refusal, again: () => void }} props */
export function Failed({ refusal, again }) {
  // What is not there will not come by asking again.
  const isMissing = refusal.code?.startsWith("no_such_") ?? false;
  return h("div", { class: "card stack tight", role: "alert" },
    h("strong", null, say("not-loaded")),
    h("p", null, refusalText(refusal)),
    h("div", { class: "row-of" },
      isMissing ? null : h("button", { class: "button compact", onClick: again }, say("try-again")),
      h("code", { class: "muted small" }, refusal.code)));
}

/** What the page knows of who uses it: nothing before the first welcome. */
export function useWho() {
  const { link, player, fatal } = line.value;
  const [isKnown, setKnown] = useState(link === "up" || player !== undefined);
  useEffect(() => {
    if (link === "up") setKnown(true);
  }, [link]);
  const isAccount = player?.kind === "account" || player?.kind === "bot";
  return { isKnown: isKnown || link === "up" || fatal !== undefined, player, isAccount };
}

/** Names the tab after its page. @param {string} title */
export function useTitle(title) {
  useEffect(() => {
    document.title = `${title} · Flagfall`;
    return () => {
      document.title = "Flagfall";
    };
  }, [title]);
}

/** @param {number} time Milliseconds since 1970. */
export function dateText(time) {
  return new Date(time).toLocaleDateString(document.documentElement.lang, { year: "numeric", month: "short", day: "numeric" });
}

/**
 * A rating with its mark if it is provisional.
 * @param {{ rating: number, provisional?: boolean }} point
 */
export function ratingText({ rating, provisional = false }) {
  return say("rating", { rating: String(rating), provisional: provisional ? "yes" : "no" });
}

/** Puts a text into the clipboard. @param {string} text @param {string} told What is said when it is done. */
export async function copy(text, told) {
  try {
    await navigator.clipboard.writeText(text);
    show(told);
  } catch {
    show(say("not-copied"));
  }
}

/**
 * Gives the browser a file to keep.
 * @param {string} name @param {string} text @param {string} type
 */
export function saveFile(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/**
 * Offers a game to a player. If that is refused, no offer is left, and the refusal comes back as a
 * sentence.
 * @param {string} name @param {import("../../types/messages").Terms} terms @param {{ side?: import("../../types/messages").Side }} [wish]
 * @returns {Promise<{ challenge: string } | { trouble: string }>}
 */
export async function challengePlayer(name, terms, wish = {}) {
  if (name.toLowerCase() === line.value.player?.name.toLowerCase()) return { trouble: say("player-yourself") };
  const made = await ask({ type: "challenge", terms, ...wish });
  if (made.type === "refused") return { trouble: made.code === "session_failed" ? say("session-failed") : await loadedRefusal(made) };
  const challenge = made.outcome.kind === "challenge" ? made.outcome.challenge : "";
  const sent = await change("POST", "/api/me/challenges", { challenge, name });
  if (!("trouble" in sent)) return { challenge };
  await askOrTell({ type: "cancel_challenge", challenge });
  // The player who asks may play rated games, or the challenge would not have been made.
  return { trouble: sent.code === "not_rated" ? say("player-not-rated", { name }) : sent.trouble };
}
