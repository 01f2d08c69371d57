// What stands beside the board: what the game waits for, what can be done, the questions of a
// turn, what was played and lost, and talk.

import { drawChip } from "../board/pieces.js";
import { byKeys } from "../game/hand.js";
import { COLORS, RANKS, figureOf, letterOf, opponentOf, parseMove } from "../game/rules.js";
import { canAbort, choiceList } from "../game/reach.js";
import { endSentence } from "../game/sentences.js";
import { underWay } from "../net/line.js";
import { PieceArt, RulesLink, useTicks } from "../parts/basics.js";
import { Losses, QuarterTurn } from "../parts/boards.js";
import { allWords, askOrTell, isKeyOff, isMuted, line, moreWords, say, serverTime, settings, show } from "../state.js";
import { h, useEffect, useLayoutEffect, useRef, useState } from "../vendor/library.js";
import { explain } from "./control.js";
import { Tray } from "./deploying.js";

/** @typedef {import("./control.js").GameControl} GameControl */
/** @typedef {import("../game/rules.js").ChipColor} ChipColor */

/**
 * One sentence: whose turn it is, or how it ended; while an army is placed, what the piece can do that
 * the player looks at. And the way to the rules.
 * @param {{ control: GameControl }} props
 */
export function StatusLine({ control }) {
  const text = statusText(control, control.shown);
  const isTurn = control.isTurn && control.isFree;
  const { loaded, view, side } = control;
  const isDeploying = side !== undefined && view?.phase === "deploying";
  const about = isDeploying && !control.deploying.isChanged ? control.aboutText() : undefined;
  return h("div", { class: "status-line" },
    h("p", { class: `status${isTurn ? " your-turn" : ""}${about ? " about" : ""}`, id: "status" }, about ?? text),
    control.isEnlarged.value
      ? h("button", { class: "button compact whole-board", onClick: () => control.board?.shrink(), "data-focus": ".squares [tabindex='0']" }, say("whole-board"))
      : loaded && !isDeploying ? h(RulesLink, { ruleset: loaded.game.terms.ruleset, look: "small phone-only", text: say("nav-rules") }) : null);
}

/** @param {GameControl} control @param {import("../../types/messages").GameView} [view] */
function statusText(control, view = control.view) {
  const { side, loaded } = control;
  if (!view || !loaded) return "";
  if (view.outcome) return endSentence(view.outcome, loaded.abort, allWords());
  if (view.phase === "deploying") {
    if (!side) return say("status-deploying");
    return say(control.deploying.isChanged ? "status-deploy-changed" : view.ready[side] ? "status-deployed" : control.deploying.isComplete ? "status-deploy-complete" : view.ready[opponentOf(side)] ? "status-deploy-last" : "status-deploy");
  }
  if (underWay(line.value, control.id).length > 0) return say("status-sent");
  const strike = view.pending_strike;
  if (strike?.own_choice) return say("status-chosen", { rank: strike.own_choice });
  if (strike && side && strike.owes[side]) {
    return say("status-choose", { whose: strike.side === side ? "own" : strike.side, square: parseMove(strike.move).to });
  }
  if (strike) return say("status-choosing");
  if (view.owed_color) return view.owed_color.side === side ? say("status-owe-color") : say("owed-color", { side: view.owed_color.side, square: view.owed_color.square });
  const question = control.question.value;
  if (question) return say(question.kind === "color" ? "status-color" : "way-title");
  const offer = view.draw_offer;
  const draw = offer ? ` ${offer === side ? say("draw-offered-own") : say("event-draw-offered", { side: offer })}` : "";
  const limit = view.plies_to_limit != null ? ` ${say("status-limit", { count: view.plies_to_limit })}` : "";
  if (view.turn === side && view.ply < 2) return say("status-first-turn") + draw;
  return say("status-turn", { whose: view.turn === side ? "own" : view.turn ?? "red" }) + draw + limit;
}

/**
 * What happened last, or the piece that the player looks at; and what can be done for a while. Its
 * height is that of two sentences, so that nothing below it moves.
 * @param {{ control: GameControl }} props
 */
export function Latest({ control }) {
  const { shown: view, side, loaded } = control;
  if (!view) return null;
  const looked = control.about.value;
  const about = view.phase !== "deploying" && looked && "square" in looked ? control.aboutText() : undefined;
  const told = view.outcome ? endSentence(view.outcome, loaded?.abort, allWords()) : undefined;
  const latest = view.phase === "deploying" ? [] : control.shownEntries.filter(({ text }) => text !== told).slice(-2);
  const rated = view === control.view ? control.rated.value : "";
  return h("div", { class: "latest small", role: "group", "aria-label": say("latest") },
    side ? h("div", { class: "actions" }, passing(control)) : null,
    rated ? h("p", { class: "numbers" }, rated) : null,
    about ? h("p", null, about) : latest.slice(rated ? -1 : -2).map(({ text }, index) => h("p", { key: index, class: index < latest.length - 1 ? "muted" : "" }, text)));
}

/** What can be done for a while only. @param {GameControl} control */
function passing(control) {
  const { view, side } = control;
  if (!view || !side || view.phase === "over") return [];
  const isOffered = view.draw_offer === opponentOf(side);
  return [
    h(Claim, { control, key: "claim" }),
    control.planned.value ? button("plan-drop", () => (control.planned.value = undefined)) : null,
    control.queued.value?.buttons(),
    isOffered ? button("draw-accept", () => control.act({ kind: "accept_draw" }), "main") : null,
    isOffered ? button("draw-decline", () => control.act({ kind: "decline_draw" })) : null,
    control.reservable ? button("to-reserve", () => control.reservable && control.carryOut({ kind: "remove", square: control.reservable })) : null,
    canAbort(view, side) ? button("abort", () => control.act({ kind: "abort" })) : null,
  ];
}

/** @param {string} text @param {() => unknown} act @param {string} [look] @param {boolean} [disabled] */
function button(text, act, look = "", disabled = false) {
  return h("button", { class: `button compact ${look}`, onClick: () => void act(), key: text, disabled }, say(text));
}

/**
 * What can be done all the time: each button keeps its place, and what ends the game is the last.
 * @param {{ control: GameControl, more: () => void, isOpen: boolean }} props */
export function Actions({ control, more, isOpen }) {
  // That the game is over shows when the board does.
  const { shown: view, side } = control;
  if (!view) return null;
  const isPlayed = side !== undefined && view.phase === "playing";
  return h("div", { class: "actions", role: "group", "aria-label": say("actions") },
    side && view.phase === "over" ? h(Rematch, { control, key: "rematch" }) : null,
    // A game that was called off at once has nothing to replay.
    view.phase === "over" && (view.ply > 0 || view.outcome?.reason !== "aborted")
      ? h("a", { class: "button compact", href: `/replay/${control.id}` }, say("replay")) : null,
    isPlayed ? button("draw-offer", () => control.act({ kind: "offer_draw" }), "", view.draw_offer != null) : null,
    h("button", { class: "button compact plain more", "aria-expanded": isOpen, onClick: more }, say("more"), h(Unseen, { control })),
    isPlayed ? button("resign", () => control.act({ kind: "resign" }), "danger") : null);
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
    class: "button compact main", disabled: isOwn, "data-takes": ".squares",
    onClick: async () => {
      setAsked(true);
      await askOrTell({ type: "rematch", game: control.id });
      setAsked(false);
    },
  }, say("rematch", { state: isOwn ? "own" : theirs ? "theirs" : "none" }));
}

/** @param {{ control: GameControl }} props */
export function Sheets({ control }) {
  const { view, side, isFree } = control;
  const question = control.question.value;
  if (!view || !side) return null;
  if (question?.kind === "way") return h(WaySheet, { control });
  if (question?.kind === "color") {
    const told = learnedTexts(control, question.draft.kind === "move" ? question.draft.ways[0] : undefined, COLORS);
    return h(ColorSheet, { title: say("color-title"), choose: (color) => control.answer({ color }), cancel: () => control.letGo(), told });
  }
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
  return h(Sheet, { title: say("way-title"), cancel: () => control.letGo() },
    h("div", { class: "stack tight" }, ways.map((way) =>
      h("button", {
        key: way.sign, class: "button", onClick: () => control.answer({ way }),
        onFocus: () => (control.way.value = way), onPointerEnter: () => (control.way.value = way),
        onBlur: () => (control.way.value = undefined), onPointerLeave: () => (control.way.value = undefined),
      },
        say("way", { by: way.by, path: way.path.join(" ") }), learnedTexts(control, way).map((text) => h("span", { key: text, class: "muted small" }, text))))));
}

/**
 * What the others learn of the piece in hand if it goes this way.
 * @param {GameControl} control @param {import("../game/reach.js").Way | undefined} way @param {readonly ChipColor[]} [colors]
 */
function learnedTexts({ planning: view, rules, question: { value: question } }, way, colors = []) {
  return (view && rules && question && explain.value?.learnedTexts(view, rules, question.draft, way, colors, allWords())) || [];
}

/** The color that was laid last comes first. */
let lastColor = /** @type {ChipColor} */ ("red");

/** `told`: what there is to know before the choice. @param {{ title: string, choose: (color: ChipColor) => void, cancel?: () => void, told?: readonly string[] }} props */
function ColorSheet({ title, choose, cancel, told = [] }) {
  const colors = [lastColor, ...COLORS.filter((color) => color !== lastColor)];
  /** @param {ChipColor} color */
  const take = (color) => {
    lastColor = color;
    choose(color);
  };
  useEffect(() => {
    /** @param {KeyboardEvent} event */
    const key = (event) => {
      const isElsewhere = /** @type {Element} */ (event.target).closest?.("input, textarea, select, dialog");
      const color = COLORS[Number(event.key) - 1] ?? COLORS.find((color) => color[0] === byKeys(event.key.toLowerCase()));
      if (color && !isElsewhere && !isKeyOff(event) && !event.ctrlKey && !event.metaKey && !event.altKey) take(color);
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  });
  return h(Sheet, { title, cancel }, h("div", { class: "row-of" }, colors.map((color) =>
    h("button", { key: color, class: "button color-button", onClick: () => take(color) },
      h(ChipArt, { color }), say("color", { color }), h("kbd", { "aria-hidden": "true" }, COLORS.indexOf(color) + 1)))),
    told.map((text) => h("p", { key: text, class: "small" }, text)));
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
  const kinds = [...choices].reverse().filter(({ rank }) => rank !== "phoenix");
  const name = (/** @type {import("../game/rules.js").Rank} */ rank) => /\d+/.exec(figureOf(letterOf(rank), settings.value.numbering))?.[0] ?? say("rank", { rank });
  const why = (/** @type {string | undefined} */ refusal) => say(`choice-${refusal?.replaceAll("_", "-")}`);
  return h(Sheet, { title: statusText(control) },
    h("p", { class: "muted small" }, say("choice-text")),
    h("div", { class: "tray" }, kinds.map(({ rank, refusal }) =>
      h("button", {
        key: rank, class: "tray-piece", disabled: refusal !== undefined || !isFree,
        "aria-label": say("rank", { rank }) + (refusal ? `: ${why(refusal)}` : ""),
        onClick: () => void control.act({ kind: "choose", rank }),
      }, h(PieceArt, { side: side ?? "red", identity: letterOf(rank) })))),
    [...new Set(kinds.flatMap(({ refusal }) => refusal ?? []))].map((one) => h("p", { key: one, class: "muted small" },
      `${kinds.filter(({ refusal }) => refusal === one).map(({ rank }) => name(rank)).join(", ")}: ${why(one)}`)));
}

/** The player's reserve, to place from. @param {{ control: GameControl }} props */
function Reserve({ control }) {
  const { view, side, rules } = control;
  const reserve = side && view?.reserve?.[side];
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    // On a phone the reserve lies over what is below the board.
    if (isOpen) control.board?.frame.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  if (!reserve || !side || !rules?.reserve || view?.phase !== "playing") return null;
  const kinds = [...RANKS].reverse().flatMap((rank) => [
    { rank, labeled: false, count: reserve.unlabeled?.[rank] ?? 0 }, { rank, labeled: true, count: reserve.labeled?.[rank] ?? 0 },
  ]).filter(({ count }) => count > 0);
  const hand = control.hand.value;
  const about = control.about.value;
  const told = about && "letter" in about ? control.aboutText() : undefined;
  const isOff = !(control.isTurn || control.mayQueue) || !control.isFree;
  const pieces = kinds.map((kind) => ({
    ...kind, id: letterOf(kind.rank) + (kind.labeled ? "^" : ""), isOff,
    isChosen: hand?.kind === "reserve" && hand.rank === kind.rank && hand.labeled === kind.labeled,
  }));
  /** @param {import("./deploying.js").TrayPiece} piece */
  const handOf = ({ rank, labeled = false }) => /** @type {const} */ ({ kind: "reserve", rank, labeled });
  return h("details", { class: "card reserve", open: isOpen, onToggle: (/** @type {any} */ event) => setOpen(event.target.open) },
    h("summary", null, say("reserve-title", { count: reserve.size })),
    h(Tray, {
      side, pieces, board: () => control.board,
      acts: {
        take: (piece) => (control.hand.value = piece && handOf(piece)),
        drop: (piece, square) => control.dropFromReserve(handOf(piece), square),
        look: ({ rank }) => control.look({ letter: letterOf(rank) }),
      },
    }),
    told ? h("p", { class: "small" }, told)
      : h("p", { class: "muted small hint" }, say("reserve-hint"), h("span", { class: "for-keys" }, " ", say("reserve-hint-keys"))));
}

/**
 * A question of a turn. It takes the focus from the board, but no answer gets it: a key that was
 * meant for the board must not choose one. The opponent's moves interrupt no typing.
 * @param {{ title: string, cancel?: (() => void) | undefined, children?: any }} props
 * `cancel`: what Escape does.
 */
function Sheet({ title, cancel, children }) {
  /** @param {KeyboardEvent} event */
  const key = (event) => {
    if (event.key === "Escape") cancel?.();
  };
  return h("section", { class: "card stack tight sheet", role: "group", "aria-label": title, tabIndex: -1, "data-takes": cancel ? ".squares, .typed-form" : ".squares", onKeyDown: key },
    h("h2", null, title), children);
}

const TABS = /** @type {const} */ (["moves", "losses", "notes", "chat"]);

/** On a phone, it is also where the board is turned. @param {{ control: GameControl, flip: () => void, isOpen: boolean }} props */
export function SidePanel({ control, flip, isOpen }) {
  const [tab, setTab] = useState(/** @type {typeof TABS[number]} */ ("moves"));
  // Coins have nothing to guess.
  const tabs = TABS.filter((name) => (name === "notes" ? control.side && control.rules?.start === "deployments" : name !== "chat" || control.side));
  const panel = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (isOpen) panel.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  return h("section", { class: `card panel${isOpen ? " open" : ""}`, ref: panel },
    h("div", { class: "actions phone-only" }, button("flip", flip), h(QuarterTurn, { rules: control.rules })),
    h("div", { class: "segments", role: "tablist" }, tabs.map((name) =>
      h("button", { key: name, role: "tab", "aria-selected": tab === name, class: tab === name ? "chosen" : "", onClick: () => setTab(name) },
        say(`tab-${name}`), name === "chat" ? h(Unseen, { control }) : null))),
    h("div", { class: "panel-body", role: "tabpanel", tabIndex: 0, "data-focus": "[role='tabpanel']", "aria-label": say(`tab-${tab}`) },
      tab === "moves" ? h(Moves, { control }) : tab === "losses" ? h(LossesTab, { control }) : h(LaterTab, { key: tab, tab, control, isOpen })),
    control.side && control.view?.phase === "playing" ? h(Typed, { control }) : null);
}

/** As many moves are listed at first: a long list slows the page down. */
const LATEST = 50;

/** @param {{ control: GameControl }} props */
function Moves({ control }) {
  const entries = control.shownEntries;
  const [isWhole, setWhole] = useState(false);
  const first = isWhole ? 0 : Math.max(0, entries.length - LATEST);
  const end = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const body = end.current?.parentElement;
    if (body) body.scrollTop = body.scrollHeight;
  }, [entries.length]);
  if (entries.length === 0) return h("p", { class: "muted small" }, say("moves-empty"));
  return h("ol", { class: "moves small", ref: end },
    first > 0 ? h("li", { key: "all" }, h("button", { class: "button compact plain", onClick: () => setWhole(true) }, say("moves-all", { count: entries.length }))) : null,
    entries.slice(first).map(({ text, ply }, index) =>
      h("li", { key: first + index }, h("span", { class: "numbers muted" }, ply), " ", text)));
}

/** @param {{ control: GameControl }} props */
function LossesTab({ control }) {
  const { shown: view, rules } = control;
  return view && rules ? h(Losses, { view, rules }) : null;
}

/** A tab that is loaded when it is opened. @param {{ tab: "chat" | "notes", control: GameControl, isOpen: boolean }} props */
function LaterTab({ tab, control, isOpen }) {
  const [found, setFound] = useState(/** @type {{ Tab: (props: any) => any } | undefined} */ (undefined));
  useEffect(() => {
    const loading = tab === "chat" ? import("./chat.js").then(({ Chat }) => Chat) : import("./notes.js").then(({ Notes }) => Notes);
    Promise.all([loading, moreWords()]).then(([Tab]) => setFound({ Tab }), () => show(say("no-answer")));
  }, []);
  return found ? h(found.Tab, { control, isOpen }) : null;
}

/** Everything that was said. @param {GameControl} control */
export const saidIn = (control) => line.value.games[control.id]?.said ?? [];

/** How much the opponent has said that was not looked at. @param {{ control: GameControl }} props */
function Unseen({ control }) {
  const { opponent, side } = control;
  if (!opponent || isMuted(opponent.id)) return null;
  const said = saidIn(control);
  const last = control.seen.value;
  const count = said.slice(last ? said.indexOf(last) + 1 : 0).filter((one) => one.side !== side).length;
  return count > 0 ? h("span", { class: "unseen numbers", role: "img", "aria-label": say("chat-unseen", { count }) }, count) : null;
}

/** A field for typed commands. @param {{ control: GameControl }} props */
function Typed({ control }) {
  const [text, setText] = useState("");
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!text.trim()) return;
    const wrong = await control.typed(text).catch(() => "no-answer");
    if (wrong) show(say(wrong, { typed: text }));
    else setText("");
  };
  return h("form", { class: "row-of typed-form", onSubmit: submit },
    h("input", { id: "typed", class: "typed", value: text, autocomplete: "off", spellcheck: false, "aria-label": say("typed-label"),
      placeholder: say("typed-placeholder"), onInput: (/** @type {any} */ event) => setText(event.target.value) }),
    h("button", { class: "button compact" }, say("typed-go")));
}
