// What the game waits for, and what can be done besides moving.

import { canAbort } from "../game/reach.js";
import { opponentOf } from "../game/notation.js";
import { outcomeSentence } from "../game/sentences.js";
import { underWay } from "../net/line.js";
import { confirm } from "../parts/dialog.js";
import { useTicks } from "../parts/bars.js";
import { allWords, askOrTell, line, say, serverTime } from "../state.js";
import { h, useState } from "../vendor/library.js";

/** @typedef {import("./control.js").GameControl} GameControl */

/** One sentence: whose turn it is, or how it ended. @param {{ control: GameControl }} props */
export function StatusLine({ control }) {
  const text = statusText(control);
  const isTurn = control.isTurn && control.isFree;
  return h("p", { class: `status${isTurn ? " your-turn" : ""}`, id: "status" }, text);
}

/** @param {GameControl} control */
function statusText(control) {
  const { view, side, loaded } = control;
  if (!view || !loaded) return "";
  if (view.outcome) return outcomeSentence(view.outcome, allWords());
  if (view.phase === "deploying") {
    if (!side) return say("status-deploying");
    return say(view.ready[side] ? "status-deployed" : view.ready[opponentOf(side)] ? "status-deploy-last" : "status-deploy");
  }
  if (underWay(line.value, control.id).length > 0) return say("status-sent");
  const strike = view.pending_strike;
  if (strike?.own_choice) return say("status-chosen", { rank: strike.own_choice });
  if (strike && side && strike.owes[side]) return say("status-choose");
  if (strike) return say("status-choosing");
  if (view.owed_color) return view.owed_color.side === side ? say("status-owe-color") : say("owed-color", { side: view.owed_color.side, square: view.owed_color.square });
  const offer = view.draw_offer;
  const draw = offer ? ` ${offer === side ? say("status-draw-own") : say("event-draw-offered", { side: offer })}` : "";
  const limit = view.plies_to_limit != null ? ` ${say("status-limit", { count: view.plies_to_limit })}` : "";
  return say("status-turn", { whose: view.turn === side ? "own" : view.turn ?? "red" }) + draw + limit;
}

/** @param {{ control: GameControl, flip: () => void, more: () => void, isOpen: boolean }} props */
export function Actions({ control, flip, more, isOpen }) {
  const { view, side } = control;
  if (!view) return null;
  /** @param {string} text @param {() => unknown} act @param {string} [look] */
  const button = (text, act, look = "") => h("button", { class: `button compact ${look}`, onClick: () => void act(), key: text }, say(text));
  const buttons = !side ? [] : view.phase === "over" ? [h(Rematch, { control, key: "rematch" })] : playing(control, button);
  return h("div", { class: "actions", role: "group", "aria-label": say("actions") },
    ...buttons,
    view.phase === "over" ? h("a", { class: "button compact", href: `/replay/${control.id}` }, say("replay")) : null,
    button("flip", flip, "plain"),
    h("button", { class: "button compact plain more", "aria-expanded": isOpen, onClick: more }, say("more")));
}

/** @param {GameControl} control @param {(text: string, act: () => unknown, look?: string) => any} button */
function playing(control, button) {
  const { view, side } = control;
  if (!view || !side) return [];
  const act = (/** @type {import("../../types/messages").GameCommand} */ command) => control.act(command);
  const isOffered = view.draw_offer === opponentOf(side);
  const isPlayed = view.phase === "playing";
  return [
    h(Claim, { control, key: "claim" }),
    control.planned.value ? button("plan-drop", () => (control.planned.value = undefined)) : null,
    isOffered ? button("draw-accept", () => act({ kind: "accept_draw" }), "main") : null,
    isOffered ? button("draw-decline", () => act({ kind: "decline_draw" })) : null,
    isPlayed && !view.draw_offer ? button("draw-offer", () => act({ kind: "offer_draw" })) : null,
    canAbort(view, side) ? button("abort", async () => {
      if (await confirm({ title: say("abort-ask"), yes: say("abort"), isDanger: true })) await act({ kind: "abort" });
    }) : null,
    isPlayed ? button("resign", async () => {
      if (await confirm({ title: say("resign-ask"), text: say("resign-text"), yes: say("resign"), isDanger: true })) await act({ kind: "resign" });
    }, "danger") : null,
  ];
}

/** Claims a game that the opponent has left. @param {{ control: GameControl }} props */
function Claim({ control }) {
  const { loaded, side } = control;
  const at = side && loaded?.claimableAt[opponentOf(side)];
  const left = () => (at ? at - serverTime.at(Date.now()) : Infinity);
  useTicks(() => (left() > 0 && at ? left() : Infinity), at);
  if (!at || left() > 0) return null;
  return [
    h("button", { class: "button compact main", onClick: () => void control.act({ kind: "claim", result: "win" }) }, say("claim-win")),
    h("button", { class: "button compact", onClick: () => void control.act({ kind: "claim", result: "draw" }) }, say("claim-draw")),
  ];
}

/** @param {{ control: GameControl }} props */
function Rematch({ control }) {
  const { loaded, side } = control;
  const [isAsked, setAsked] = useState(false);
  if (!loaded || !side) return null;
  const theirs = loaded.rematch.includes(opponentOf(side));
  const isOwn = isAsked || loaded.rematch.includes(side);
  return h("button", {
    class: "button compact main", disabled: isOwn,
    onClick: async () => {
      setAsked(true);
      if (!await askOrTell({ type: "rematch", game: control.id })) setAsked(false);
    },
  }, say("rematch", { state: isOwn ? "own" : theirs ? "theirs" : "none" }));
}
