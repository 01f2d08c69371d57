// What a friend offers, or the link to send to one.

import { RulesLink, changesText, playerName, termsText } from "../parts/basics.js";
import { go } from "../route.js";
import { AGAIN_MS, TEMPORARY, change } from "../parts/load.js";
import { copy } from "../parts/setups.js";
import { askOrTell, line, onMessage, refusalText, say, show, tell } from "../state.js";
import { h, useEffect, useState } from "../vendor/library.js";

/** @typedef {import("../../types/messages").ServerMessage & { type: "challenge" }} Offer */

/** @param {{ code: string }} props */
export function ChallengePage({ code }) {
  const [offer, setOffer] = useState(/** @type {Offer | undefined} */ (undefined));
  const [trouble, setTrouble] = useState("");
  const [asked, setAsked] = useState(0);
  const { link, player } = line.value;
  useEffect(() => onMessage((message) => {
    if (message.type === "challenge" && message.challenge === code) setOffer(message);
    if (message.type === "challenge_gone" && message.challenge === code) setTrouble(say("challenge-gone"));
    // A question has no cmd_id: its refusal has none either.
    if (message.type !== "refused" || message.cmd_id) return;
    if (TEMPORARY.has(message.code)) setTimeout(() => setAsked((asked) => asked + 1), AGAIN_MS);
    else setTrouble(refusalText(message));
  }), [code]);
  useEffect(() => {
    setOffer(undefined);
    setTrouble("");
  }, [code]);
  useEffect(() => {
    if (link === "up") tell({ kind: "look", message: { type: "show_challenge", challenge: code } });
  }, [code, link, asked]);
  if (trouble) {
    return h("div", { class: "page stack narrow" },
      h("h1", null, say("challenge-closed")), h("p", { class: "muted" }, trouble), h("a", { class: "button main", href: "/" }, say("to-home")));
  }
  if (!offer) return h("div", { class: "page narrow" }, h("div", { key: "waiting", class: "skeleton page-skeleton" }));
  const isOwn = offer.challenger.id === player?.id;
  return h("div", { class: "page stack narrow" },
    h("h1", null, isOwn ? say("challenge-own") : say("challenge-from", { name: playerName(offer.challenger) })),
    h("section", { class: "card stack" },
      h("strong", null, termsText(offer.terms)),
      changesText(offer.terms.ruleset).map((change) => h("p", { class: "small" }, change)),
      h("p", null, h(RulesLink, { ruleset: offer.terms.ruleset, look: "" })),
      offer.your_side && !isOwn ? h("p", { class: "muted" }, say("challenge-side", { side: offer.your_side })) : null,
      isOwn ? h(Share, {}) : null),
    isOwn
      ? h("button", { class: "button", onClick: () => withdraw(code) }, say("withdraw"))
      : h("div", { class: "row-of" },
        h("button", { class: "button main", onClick: () => askOrTell({ type: "accept_challenge", challenge: code }) }, say("accept")),
        h("button", { class: "button", onClick: () => decline(code) }, say("challenge-decline"))));
}

/** @param {string} code */
async function decline(code) {
  // Only what was offered to this player by name can be declined. A link stays open for others.
  const done = await change("DELETE", `/api/me/challenges/${code}`);
  if ("trouble" in done && done.code !== "no_such_challenge" && done.code !== "no_token") show(done.trouble);
  go("/");
}

/** @param {string} code */
async function withdraw(code) {
  if (await askOrTell({ type: "cancel_challenge", challenge: code })) go("/");
}

/** The link, to copy or to share. */
function Share() {
  return h("div", { class: "stack tight" },
    h("p", { class: "muted" }, say("challenge-send")),
    h("input", { class: "link-field", readonly: true, value: location.href, "aria-label": say("challenge-link"),
      onFocus: (/** @type {any} */ event) => event.target.select() }),
    h("div", { class: "row-of" },
      h("button", { class: "button main", onClick: () => void copy(location.href, say("copied")) }, say("copy")),
      "share" in navigator ? h("button", { class: "button", onClick: () => void navigator.share({ url: location.href }) }, say("share")) : null),
    h("p", { class: "muted small" }, say("challenge-wait")));
}
