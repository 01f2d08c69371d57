// Questions that a turn opens: which way, which color, what a coin is, and the reserve.

import { PieceArt } from "../parts/art.js";
import { COLORS, RANKS, letterOf } from "../game/notation.js";
import { choiceList } from "../game/reach.js";
import { drawChip } from "../board/chips.js";
import { say } from "../state.js";
import { h, useEffect, useRef, useState } from "../vendor/library.js";

/** @typedef {import("./control.js").GameControl} GameControl */
/** @typedef {import("../game/notation.js").ChipColor} ChipColor */

/** @param {{ control: GameControl }} props */
export function Sheets({ control }) {
  const { view, side, isFree } = control;
  const question = control.question.value;
  if (!view || !side) return null;
  if (question?.kind === "way") return h(WaySheet, { control });
  if (question?.kind === "color") return h(ColorSheet, { title: say("color-title"), choose: (color) => control.answer({ color }) });
  if (view.owed_color?.side === side && isFree) {
    return h(ColorSheet, {
      title: say("owed-title", { square: view.owed_color.square }), choose: (color) => void control.act({ kind: "color", color }),
    });
  }
  const choices = choiceList(view);
  if (choices.length > 0) return h(ChoiceSheet, { control, choices });
  return h(Reserve, { control });
}

/** @param {{ control: GameControl }} props */
function WaySheet({ control }) {
  const draft = control.question.value?.draft;
  const ways = draft?.kind === "move" ? draft.ways : [];
  return h(Sheet, { title: say("way-title") },
    h("div", { class: "stack tight" }, ways.map((way) =>
      h("button", { key: way.sign, class: "button", onClick: () => control.answer({ way }) },
        say("way", { by: way.by, path: way.path.join(" ") })))));
}

/** The color that was laid last comes first. */
let lastColor = /** @type {ChipColor} */ ("red");

/** @param {{ title: string, choose: (color: ChipColor) => void }} props */
function ColorSheet({ title, choose }) {
  const colors = [lastColor, ...COLORS.filter((color) => color !== lastColor)];
  /** @param {ChipColor} color */
  const take = (color) => {
    lastColor = color;
    choose(color);
  };
  useEffect(() => {
    /** @param {KeyboardEvent} event */
    const key = (event) => {
      const isTyping = event.target instanceof HTMLInputElement;
      const color = COLORS[Number(event.key) - 1] ?? COLORS.find((color) => color[0] === event.key.toLowerCase());
      if (color && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) take(color);
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  });
  return h(Sheet, { title }, h("div", { class: "row-of" }, colors.map((color) =>
    h("button", { key: color, class: "button color-button", onClick: () => take(color) },
      h(ChipArt, { color }), say("color", { color }), h("kbd", { "aria-hidden": "true" }, COLORS.indexOf(color) + 1)))));
}

/** @param {{ color: ChipColor }} props */
function ChipArt({ color }) {
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => host.current?.replaceChildren(drawChip(color)), [color]);
  return h("span", { ref: host, class: "chip-art", "aria-hidden": "true" });
}

/** @param {{ control: GameControl, choices: ReturnType<typeof choiceList> }} props */
function ChoiceSheet({ control, choices }) {
  const { side, isFree } = control;
  return h(Sheet, { title: say("choice-title") },
    h("p", { class: "muted small" }, say("choice-text")),
    h("div", { class: "tray" }, [...choices].reverse().filter(({ rank }) => rank !== "phoenix").map(({ rank, refusal }) =>
      h("button", {
        key: rank, class: "tray-piece", disabled: refusal !== undefined || !isFree,
        title: refusal ? say(`choice-${refusal.replaceAll("_", "-")}`) : "",
        "aria-label": refusal ? `${say("rank", { rank })}: ${say(`choice-${refusal.replaceAll("_", "-")}`)}` : say("rank", { rank }),
        onClick: () => void control.act({ kind: "choose", rank }),
      }, h(PieceArt, { side: side ?? "red", identity: letterOf(rank) })))));
}

/** The player's reserve, to place from. @param {{ control: GameControl }} props */
function Reserve({ control }) {
  const { view, side, rules } = control;
  const reserve = side && view?.reserve?.[side];
  const [isOpen, setOpen] = useState(false);
  if (!reserve || !side || !rules?.reserve || view?.phase !== "playing") return null;
  const kinds = [...RANKS].reverse().flatMap((rank) => [
    { rank, labeled: false, count: reserve.unlabeled?.[rank] ?? 0 }, { rank, labeled: true, count: reserve.labeled?.[rank] ?? 0 },
  ]).filter(({ count }) => count > 0);
  const hand = control.hand.value;
  return h("details", { class: "card reserve", open: isOpen, onToggle: (/** @type {any} */ event) => setOpen(event.target.open) },
    h("summary", null, say("reserve-title", { count: reserve.size })),
    h("div", { class: "tray" }, kinds.map(({ rank, labeled, count }) => {
      const isChosen = hand?.kind === "reserve" && hand.rank === rank && hand.labeled === labeled;
      return h("button", {
        key: rank + labeled, class: `tray-piece${isChosen ? " chosen" : ""}`, "aria-pressed": isChosen,
        disabled: !control.isTurn || !control.isFree, "aria-label": say("tray-piece", { rank, count }),
        onClick: () => (control.hand.value = isChosen ? undefined : { kind: "reserve", rank, labeled }),
      }, h(PieceArt, { side, identity: letterOf(rank), labeled }), h("span", { class: "numbers" }, count));
    })),
    h("p", { class: "muted small" }, say("reserve-hint")));
}

/** @param {{ title: string, children?: any }} props */
function Sheet({ title, children }) {
  return h("section", { class: "card stack tight sheet", role: "group", "aria-label": title }, h("h2", null, title), children);
}
