// Notices of turns while the page is closed, over the browser's push service. The service worker
// shows them.

import { say, show } from "../state.js";
import { h, useEffect, useState } from "../vendor/library.js";
import { change, request } from "./load.js";

/** @typedef {import("../../types/api").PushKey} PushKey */

/** Where the service worker finds the text of a notice, in the player's language. */
const TEXT = { cache: "read", address: "/push-text" };

/** Where it is kept whose turns this browser's subscription is for. */
const OWNER = "push-of";

function canPush() {
  return "PushManager" in window && "Notification" in window && navigator.serviceWorker !== undefined;
}

/** This browser's subscription. @returns {Promise<PushSubscription | null>} */
async function subscription() {
  const registration = canPush() ? await navigator.serviceWorker.getRegistration() : undefined;
  return await registration?.pushManager.getSubscription() ?? null;
}

/** Makes the server know a subscription as this player's. @param {PushSubscription} subscribed @param {string} player */
async function tellServer(subscribed, player) {
  const { endpoint, keys } = subscribed.toJSON();
  const done = await change("POST", "/api/push", { endpoint, p256dh: keys?.["p256dh"], auth: keys?.["auth"] });
  if ("trouble" in done) throw new Error(done.trouble);
  localStorage.setItem(OWNER, player);
  await (await caches.open(TEXT.cache)).put(TEXT.address, new Response(say("push-turn")));
}

/** Begins to be notified. Comes back with what went wrong. @param {string} player @returns {Promise<string | undefined>} */
async function beginPush(player) {
  // Browsers ask only when the player has just clicked.
  if (await Notification.requestPermission() !== "granted") return say("notify-refused");
  const asked = /** @type {import("./load.js").Answer<PushKey>} */ (await request("GET", "/api/push"));
  if ("refusal" in asked) return say("push-failed");
  try {
    // A subscription with an earlier key of the server gets no notices.
    await (await subscription())?.unsubscribe();
    const { pushManager } = await navigator.serviceWorker.ready;
    const subscribed = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: asked.value.key });
    await tellServer(subscribed, player);
    return undefined;
  } catch (error) {
    return error instanceof DOMException ? say("push-failed") : /** @type {Error} */ (error).message;
  }
}

/** Ends the notices to this browser. Comes back with whether there were any. */
async function endPush() {
  const subscribed = await subscription();
  if (!subscribed) return false;
  await request("DELETE", "/api/push", { endpoint: subscribed.endpoint });
  await subscribed.unsubscribe();
  localStorage.removeItem(OWNER);
  return true;
}

/**
 * Does what ends the player's session. The notices to this browser end first, while the server
 * still knows whose they are, and begin again if the session goes on.
 * @template {{ value: any } | { trouble: string, code: string }} T
 * @param {string | undefined} player @param {() => Promise<T>} act @returns {Promise<T>}
 */
export async function withoutPush(player, act) {
  const wasOn = await endPush();
  const done = await act();
  if (wasOn && player !== undefined && "trouble" in done) {
    const trouble = await beginPush(player);
    if (trouble) show(trouble);
  }
  return done;
}

/** The switch. @param {{ player: string }} props */
export function PushChoice({ player }) {
  const [isOn, setOn] = useState(false);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    void subscription().then(async (subscribed) => {
      if (!subscribed) return;
      // Another player has left without logging out. The push service refuses their notices from
      // now on, and the server forgets the subscription at the first of them.
      if (localStorage.getItem(OWNER) !== player) return void await subscribed.unsubscribe();
      // The server forgets browsers that were away for long.
      await tellServer(subscribed, player).then(() => setOn(true), () => undefined);
    });
  }, [player]);
  /** @param {boolean} isWanted */
  const set = async (isWanted) => {
    setBusy(true);
    const trouble = isWanted ? await beginPush(player) : undefined;
    if (!isWanted) await endPush();
    if (trouble) show(trouble);
    setOn(isWanted && !trouble);
    setBusy(false);
  };
  return h("section", { class: "card stack tight" },
    h("h2", null, say("push-title")),
    h("p", { class: "muted small" }, say(canPush() ? "push-text" : "push-none")),
    canPush() ? h("label", { class: "check" },
      h("input", { type: "checkbox", checked: isOn, disabled: isBusy, "aria-busy": isBusy, onChange: (/** @type {any} */ event) => void set(event.target.checked) }),
      h("span", null, say("push-choice"))) : null);
}
