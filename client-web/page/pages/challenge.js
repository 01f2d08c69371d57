// What a friend offers, or the link to send to one.

import { opponentOf } from "../game/rules.js";
import { AGAIN_MS, TEMPORARY } from "../net/line.js";
import { RulesLink, Waiting, changesText, playAddress, playerName, termsText, useTicks } from "../parts/basics.js";
import { go } from "../route.js";
import { change, copy, useTitle } from "../parts/load.js";
import { allWords, askOrTell, line, onMessage, refusalText, say, serverTime, show, tell } from "../state.js";
import { h, useEffect, useRef, useState } from "../vendor/library.js";

/** @typedef {import("../../types/messages").ServerMessage & { type: "challenge" }} Offer */
/**
 * What has become of an offer. `unknown`: it was not open when the page asked; `gone`: it was open
 * before.
 * @typedef {{ kind: "incomplete" | "unknown" | "gone" | "taken" | "withdrawn" | "expired" } | { kind: "declined", name: string } | { kind: "trouble", text: string, code: string }} End
 */

/** Codes have no letters that look like others or like figures: no i, l, o and u. */
const CODE = /^[0-9a-hjkmnp-tv-z]{12}$/;

/** @param {{ code: string }} props */
export function ChallengePage({ code }) {
  useTitle(say("challenge-title"));
  // Another code begins anew.
  return h("div", { class: "page stack narrow" }, CODE.test(code) ? h(Challenge, { key: code, code }) : h(Ended, { end: { kind: "incomplete" }, offer: undefined }));
}

/** @param {{ code: string }} props */
function Challenge({ code }) {
  const [offer, setOffer] = useState(/** @type {Offer | undefined} */ (undefined));
  const [end, setEnd] = useState(/** @type {End | undefined} */ (undefined));
  const [isAway, setAway] = useState(false);
  const [asked, setAsked] = useState(0);
  const { link, player } = line.value;
  const wasOpen = useRef(false);
  const left = () => (offer ? offer.expires - serverTime.at(Date.now()) : Infinity);
  // Longer times do not fit into a timer.
  useTicks(() => (left() <= 0 ? Infinity : Math.min(left() + 1, 2_000_000_000)), offer?.expires);
  useEffect(() => onMessage((message) => {
    if (message.type === "challenge" && message.challenge === code) {
      wasOpen.current = true;
      setOffer(message);
      setAway(false);
    }
    if (message.type === "challenge_gone" && message.challenge === code) setEnd(endBy(message.reason, "gone"));
    if (message.type === "challenge_answered" && message.challenge === code && !message.accepted) setEnd({ kind: "declined", name: playerName(message.by) });
    // A question has no cmd_id: its refusal has none either.
    if (message.type !== "refused" || message.cmd_id) return;
    const isTemporary = TEMPORARY.has(message.code);
    setAway(isTemporary);
    if (isTemporary) setTimeout(() => setAsked((asked) => asked + 1), AGAIN_MS);
    else if (message.code === "no_such_challenge") setEnd((end) => end ?? endBy(message.args?.reason, wasOpen.current ? "gone" : "unknown"));
    else setEnd({ kind: "trouble", text: refusalText(message), code: message.code });
  }), []);
  useEffect(() => {
    if (link === "up" && !end) tell({ kind: "look", message: { type: "show_challenge", challenge: code } });
  }, [link, asked]);
  const ended = end ?? (left() <= 0 ? /** @type {End} */ ({ kind: "expired" }) : undefined);
  if (ended) return h(Ended, { end: ended, offer });
  if (!offer) {
    return isAway ? [h("h1", null, say("challenge-away")), h("p", { class: "muted", role: "status" }, say("challenge-away-text"))]
      : [h("h1", null, say("challenge-title")), h(Waiting, { skeleton: "page-skeleton" })];
  }
  return offer.challenger.id === player?.id ? h(Own, { offer }) : h(Others, { offer, again: () => setAsked((asked) => asked + 1) });
}

/** The end of an offer, if the server tells the reason; else what the page itself knows. @param {unknown} reason @param {"gone" | "unknown"} kind @returns {End} */
function endBy(reason, kind) {
  return { kind: reason === "taken" || reason === "withdrawn" ? reason : kind };
}

/** What is offered. `hint`: what stands beside its end. @param {{ offer: Offer, hint?: string, children?: any }} props */
function Terms({ offer: { terms, expires }, hint = "", children }) {
  const time = new Intl.DateTimeFormat(allWords().language, { dateStyle: "medium", timeStyle: "short" }).format(expires);
  return h("section", { class: "card stack" },
    h("strong", null, termsText(terms)),
    changesText(terms.ruleset).map((change) => h("p", { key: change, class: "small" }, change)),
    h("p", null, h(RulesLink, { ruleset: terms.ruleset, look: "" })),
    children,
    h("p", { class: "muted small" }, say("challenge-until", { time }), hint ? ` ${hint}` : ""));
}

/** @param {{ offer: Offer }} props */
function Own({ offer }) {
  const side = offer.your_side && opponentOf(offer.your_side);
  const withdraw = async () => {
    if (!await askOrTell({ type: "cancel_challenge", challenge: offer.challenge })) return;
    show(say("offer-withdrawn"));
    go("/");
  };
  return [
    h("h1", null, say("challenge-own")),
    h(Terms, { offer, hint: say("challenge-wait") }, side ? h("p", { class: "muted" }, say("challenge-own-side", { side })) : null, h(Share, { code: offer.challenge })),
    h("div", null, h("button", { class: "button", onClick: withdraw }, say("withdraw"))),
  ];
}

/** The link, to copy, to share, and to be scanned. @param {{ code: string }} props */
function Share({ code }) {
  // Players can only use the page at the server's own address, so this one is good for others too.
  const address = `${location.origin}/challenge#${code}`;
  const share = () => navigator.share({ title: say("challenge-title"), url: address }).catch((error) => {
    // A player may close the browser's dialog without sharing.
    if (error.name !== "AbortError") show(say("share-failed"));
  });
  return h("div", { class: "stack tight" },
    h("p", { class: "muted" }, say("challenge-send")),
    h("input", { class: "link-field", readonly: true, value: address, "aria-label": say("challenge-link"),
      onFocus: (/** @type {any} */ event) => event.target.select() }),
    h("div", { class: "row-of" },
      h("button", { class: "button main", onClick: () => void copy(address, say("copied")) }, say("copy")),
      "share" in navigator ? h("button", { class: "button", onClick: () => void share() }, say("share")) : null),
    h(Scan, { address }));
}

/** The link as a QR code. It keeps its colors: readers look for dark on light. @param {{ address: string }} props */
function Scan({ address }) {
  const [code, setCode] = useState(/** @type {{ path: string, size: number } | undefined} */ (undefined));
  useEffect(() => {
    let isCurrent = true;
    void import("../parts/qr.js").then(({ QUIET, qrCode, qrPath }) => {
      const code = qrCode(address);
      if (isCurrent) setCode({ path: qrPath(code), size: code.size + 2 * QUIET });
    });
    return () => {
      isCurrent = false;
    };
  }, [address]);
  return h("figure", { class: "scan" },
    code ? h("svg", { viewBox: `0 0 ${code.size} ${code.size}`, role: "img", "aria-label": say("challenge-qr"), "shape-rendering": "crispEdges" },
      h("rect", { width: code.size, height: code.size, fill: "#fff" }), h("path", { d: code.path, fill: "#000" }))
      : h("div", { class: "skeleton" }),
    h("figcaption", { class: "muted small" }, say("challenge-scan")));
}

/** `again`: asks whether the offer is still open. @param {{ offer: Offer, again: () => void }} props */
function Others({ offer, again }) {
  const { challenge, challenger, terms, your_side: side } = offer;
  const [isSecret, setSecret] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const { player } = line.value;
  const why = !terms.rated || player?.kind === challenger.kind ? "" : challenger.kind === "bot" ? say("challenge-needs-bot") : say("challenge-needs-account");
  const accept = async () => {
    setBusy(true);
    const outcome = await askOrTell({ type: "accept_challenge", challenge, ...(isSecret ? { secret: true } : {}) });
    setBusy(false);
    if (!outcome) again();
  };
  return [
    h("h1", null, say("challenge-from", { name: playerName(challenger) })),
    h(Terms, { offer }, side ? h("p", { class: "muted" }, say("challenge-side", { side })) : null,
      h("label", { class: "check" },
        h("input", { type: "checkbox", checked: isSecret, onChange: () => setSecret(!isSecret) }), say("form-secret"))),
    why ? h("p", { id: "why-not" }, why, " ", h("a", { href: "/account" }, say("nav-account"))) : null,
    h("div", { class: "row-of" },
      h("button", {
        class: "button main", disabled: isBusy || why !== "", "aria-busy": isBusy, "aria-describedby": why ? "why-not" : undefined, onClick: accept,
      }, say("accept")),
      h("button", { class: "button", onClick: () => decline(challenge) }, say("challenge-decline"))),
  ];
}

/** @param {string} code */
async function decline(code) {
  // Only what was offered to this player by name can be declined. A link stays open for others.
  const done = await change("DELETE", `/api/me/challenges/${code}`);
  if ("trouble" in done && done.code !== "no_such_challenge" && done.code !== "no_token") show(done.trouble);
  go("/");
}

/** An offer that cannot be accepted, and what to do instead. @param {{ end: End, offer: Offer | undefined }} props */
function Ended({ end, offer }) {
  const isOwn = offer !== undefined && offer.challenger.id === line.value.player?.id;
  const text = end.kind === "trouble" ? end.text : end.kind === "unknown" ? refusalText({ code: "no_such_challenge", args: { reason: "other" }, message: "" })
    : end.kind === "declined" ? say("challenge-declined", { name: end.name }) : say(`challenge-${end.kind}`, { own: isOwn ? "yes" : "no" });
  return [
    h("h1", null, say("challenge-closed", { why: end.kind })),
    h("p", { class: "muted", role: "status" }, text),
    end.kind === "trouble" ? h("p", { class: "muted small" }, h("code", null, end.code)) : null,
    h("div", { class: "row-of" },
      isOwn ? h("a", { class: "button main", href: playAddress(offer.terms, { who: "friend" }) }, say("challenge-anew")) : null,
      h("a", { class: isOwn ? "button" : "button main", href: "/" }, say("to-home"))),
  ];
}
