// The tray and the tools of a deployment.

import { PieceArt } from "../parts/art.js";
import { useTicks } from "../parts/bars.js";
import { clockText, nextChange } from "../game/clocks.js";
import { RANKS, letterOf } from "../game/notation.js";
import { say, serverTime } from "../state.js";
import { h } from "../vendor/library.js";

/** @typedef {import("./control.js").GameControl} GameControl */

/** @param {{ control: GameControl }} props */
export function DeployPanel({ control }) {
  const { deploying, rules, side, view } = control;
  if (!rules || !side || !view) return null;
  const left = deploying.left();
  const hand = deploying.hand.value;
  const isFinal = deploying.isFinal;
  const ranks = [...RANKS].reverse().filter((rank) => (rules.army[letterOf(rank)] ?? 0) > 0);
  return h("section", { class: "card stack tight deploy", "aria-label": say("deploy-title") },
    h("div", { class: "row-of spread" }, h("h2", null, say("deploy-title")), h(Deadline, { at: view.deploy_deadline })),
    h("div", { class: "tray", role: "group", "aria-label": say("deploy-tray") }, ranks.map((rank) => {
      const letter = letterOf(rank);
      const count = left[letter] ?? 0;
      const isChosen = hand !== undefined && "letter" in hand && hand.letter === letter;
      return h("button", {
        key: rank, class: `tray-piece${isChosen ? " chosen" : ""}`, disabled: count <= 0 || isFinal, "aria-pressed": isChosen,
        "aria-label": say("tray-piece", { rank, count }),
        onClick: () => (deploying.hand.value = isChosen ? undefined : { letter }),
      }, h(PieceArt, { side, identity: letter }), h("span", { class: "numbers" }, count));
    })),
    h("div", { class: "row-of tools" },
      h("button", {
        class: "button compact", disabled: isFinal, onClick: () => void import("../parts/saved.js").then((saved) => saved.suggestInto(deploying, rules, side)),
      }, say("deploy-suggest")),
      h("button", {
        class: "button compact", disabled: isFinal, onClick: () => void import("../parts/saved.js").then((saved) => saved.openSaved(deploying, rules, side)),
      }, say("deploy-saved")),
      h("button", { class: "button compact", disabled: isFinal, onClick: () => deploying.random() }, say("deploy-random")),
      h("button", { class: "button compact", disabled: isFinal, onClick: () => deploying.mirror() }, say("deploy-mirror")),
      h("button", { class: "button compact", disabled: isFinal, onClick: () => deploying.change({}) }, say("deploy-clear")),
      h("button", { class: "button compact", disabled: isFinal, onClick: () => deploying.undo() }, say("deploy-undo"))),
    h("button", { class: "button main", disabled: !deploying.isComplete || deploying.isHandedIn, onClick: () => deploying.handIn() },
      deploying.isHandedIn ? say("deploy-done") : deploying.missing > 0 ? say("deploy-missing", { count: deploying.missing }) : say("deploy-ready")),
    h("p", { class: "muted small" }, say(deploying.isHandedIn ? (isFinal ? "deploy-final-wait" : "deploy-changeable") : "deploy-hint")));
}

/** @param {{ at: number | null | undefined }} props */
function Deadline({ at }) {
  const left = () => (at ? Math.max(0, at - serverTime.at(Date.now())) : 0);
  useTicks(() => (at && left() > 0 ? nextChange(left()) : Infinity), at);
  return at ? h("span", { class: "numbers muted" }, say("deploy-left", { time: clockText(left()) })) : null;
}
