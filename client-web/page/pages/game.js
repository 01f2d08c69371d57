// A game: deploying, playing, over; for its players and for those who look on. Its board, and what
// stands around it.

import { Board } from "../board/board.js";
import { chipsBySquare } from "../board/pieces.js";
import { figureOf, opponentOf, parseMove } from "../game/rules.js";
import { freeHomeSquares, plannedTargets, targets, wayTo } from "../game/reach.js";
import { squareNames } from "../game/sentences.js";
import { AGAIN_MS, TEMPORARY, underWay } from "../net/line.js";
import { RulesLink, changesText, termsText } from "../parts/basics.js";
import { PlayerStrip, TableSkeleton, TakenRow, placeClass, useTurned } from "../parts/boards.js";
import { alarm, allWords, aloud, isKeyOff, line, loadedRefusal, onMessage, onNews, say, settings, tell } from "../state.js";
import { GameControl, explain } from "../table/control.js";
import { DeployPanel } from "../table/deploying.js";
import { Actions, Latest, Sheets, SidePanel, StatusLine } from "../table/panels.js";
import { h, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../vendor/library.js";

/** @typedef {import("../../types/messages").Side} Side */

/** @param {{ id: string }} props */
export function GamePage({ id }) {
  const control = useMemo(() => new GameControl(id), [id]);
  useEffect(() => {
    const stop = onNews((news) => control.hear(news));
    const stopRated = onMessage((message) => void (message.type === "rated" && message.change.game === id && control.hearRated(message.change)));
    control.isOpen = true;
    // What was said of another game.
    aloud.value = "";
    alarm.value = "";
    tell({ kind: "open_game", game: id });
    return () => {
      stop();
      stopRated();
      control.isOpen = false;
      tell({ kind: "close_game", game: id });
    };
  }, [id]);
  const game = line.value.games[id];
  useTitle(control);
  if (game?.trouble && !game.loaded) {
    return h(NotShown, { id, trouble: game.trouble });
  }
  if (!game?.loaded || !control.rules) return h(TableSkeleton, { waitingFor: say("waiting-for-game") });
  return h(Table, { control });
}

/** @param {{ id: string, trouble: import("../state.js").Refusal }} props */
function NotShown({ id, trouble }) {
  const [text, setText] = useState("");
  const code = trouble.code ?? "";
  useEffect(() => {
    void loadedRefusal(trouble).then(setText);
    if (!TEMPORARY.has(code)) return undefined;
    const timer = setTimeout(() => tell({ kind: "open_game", game: id }), AGAIN_MS);
    return () => clearTimeout(timer);
  }, [trouble]);
  return h("div", { class: "page stack narrow" },
    h("h1", null, say("game-not-shown")),
    h("p", { class: "muted", role: "status" }, text),
    h("p", { class: "muted small" }, h("code", null, code)),
    h("a", { class: "button main", href: "/" }, say("to-home")));
}

/** Tells "your turn" in the title of the tab. @param {GameControl} control */
function useTitle(control) {
  const { view, loaded } = control;
  const isTurn = view && control.side && (view.phase === "deploying" ? !view.ready[control.side] : control.isTurn);
  const names = loaded ? `${loaded.game.players.red.name} – ${loaded.game.players.blue.name}` : "Flagfall";
  useEffect(() => {
    document.title = isTurn ? `● ${say("your-turn-note")} · ${names}` : names;
    return () => {
      document.title = "Flagfall";
    };
  }, [isTurn, names]);
}

/** @param {{ control: GameControl }} props */
function Table({ control }) {
  const [isFlipped, setFlipped] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const { loaded, view, shown = view, side } = control;
  // The board is what a new phase is about.
  useEffect(() => {
    document.querySelector("#main")?.scrollTo(0, 0);
    control.board?.shrink();
  }, [view?.phase]);
  if (!loaded || !view || !shown) return null;
  const below = isFlipped ? opponentOf(side ?? "red") : side ?? "red";
  const isDeploying = view.phase === "deploying" && side !== undefined;
  const flip = () => setFlipped(!isFlipped);
  const successors = view.phase === "over" ? ".actions .button, .squares [tabindex='0']" : ".sheet, .squares [tabindex='0']";
  return h("div", { class: `table phase-${view.phase}`, "data-focus": successors },
    // Where a low screen has no room for the top of the page.
    h("a", { class: "button plain way-out", href: "/", "aria-label": say("to-home") }, "←"),
    h("h1", { class: "aloud" }, say("game-heading", { red: loaded.game.players.red.name, blue: loaded.game.players.blue.name })),
    h("div", { class: "at-top" }, h(Strip, { control, side: opponentOf(below) }), h(TakenRow, { view: shown, side: opponentOf(below) })),
    h(BoardView, { control, below }),
    h("div", { class: "at-foot" }, h(TakenRow, { view: shown, side: below }), h(Strip, { control, side: below })),
    h("div", { class: "side" },
      h("div", { class: "terms" },
        h("span", { class: "small" }, termsText(loaded.game.terms)),
        changesText(loaded.game.terms.ruleset).map((change) => h("span", { class: "small muted" }, change)),
        h("div", { class: "row-of spread" },
          isDeploying ? h("span", null) : h(RulesLink, { ruleset: loaded.game.terms.ruleset }), h("button", { class: "button compact plain", onClick: flip }, say("flip")))),
      h(StatusLine, { control }),
      isDeploying ? h(DeployPanel, { control }) : null,
      h(Latest, { control }),
      h(Sheets, { control }),
      h(Actions, { control, more: () => setOpen(!isOpen), isOpen }),
      h(SidePanel, { control, flip, isOpen })));
}

/** @param {{ control: GameControl, side: Side }} props */
function Strip({ control, side }) {
  const { loaded, view, shown = view } = control;
  if (!loaded || !view || !shown) return null;
  return h(PlayerStrip, {
    side, player: loaded.game.players[side], isYou: control.side === side,
    isToAct: shown.phase === "playing" && shown.turn === side,
    presence: loaded.presence[side], left: loaded.left[side], claimableAt: loaded.claimableAt[side],
    clock: view.clock, isPaused: view.paused ?? false, isLive: view.phase !== "over", rating: control.ratings.value[side],
  });
}

// Puts the board on the page, and keeps its marks and names up to date.

/** @param {{ control: GameControl, below: Side }} props */
export function BoardView({ control, below }) {
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  const { rules, view } = control;
  const isTurned = useTurned(rules);
  useLayoutEffect(() => {
    if (!host.current) return;
    /** @type {{ square: string } | undefined} */
    let rested;
    control.board = new Board(host.current, {
      press: (square) => {
        control.look({ square });
        control.press(square);
      },
      look: (square) => control.look({ square }),
      // What was looked at by a click stays.
      rest: (square) => {
        if (square) control.look((rested = { square }));
        else if (control.about.value === rested) control.about.value = undefined;
      },
      ask: (square) => void control.ask(square),
      mayLift: (square) => control.mayLift(square),
      drop: (from, to) => control.drop(from, to),
      letGo: () => {
        control.letGo();
        control.deploying.hand.value = undefined;
        control.planned.value = undefined;
      },
      movable: () => control.movable(),
      shown: () => control.catchUp(),
      isHolding: () => control.hand.value !== undefined || control.deploying.hand.value !== undefined,
      enlarged: (isEnlarged) => (control.isEnlarged.value = isEnlarged),
      key: (event, square) => control.key(event, square),
      isOff: isKeyOff,
    });
  }, [control]);
  useLayoutEffect(() => {
    if (!rules || !view) return;
    control.deploying.read();
    control.board?.layOut(rules, below, isTurned, say("board-name", { side: below }));
    control.board?.show(control.shownView(view));
  }, [control, rules, below, isTurned]);
  const { numbering, print, motion } = settings.value;
  useLayoutEffect(() => {
    control.board?.restyle({ numbering, print });
    control.board?.setMotion(motion);
  }, [control, numbering, print, motion]);
  // Read to be followed.
  const state = [line.value, control.hand.value, control.planned.value, control.deploying.hand.value, control.deploying.setup.value,
    control.notes.value, control.question.value, control.way.value, control.queued.value, explain.value];
  useLayoutEffect(() => showMarks(control), state);
  return h("div", { class: placeClass(rules, isTurned), ref: host });
}

/** @param {GameControl} control */
function showMarks(control) {
  const { board, view, rules } = control;
  if (!board || !view || !rules) return;
  const hand = control.hand.value;
  const from = hand?.kind === "board" ? hand.square : undefined;
  const reach = from !== undefined && control.mayChoose ? control.reach(control.planning ?? view, rules, from) : [];
  const refused = from === undefined ? [] : (view.refused_moves ?? []).map(parseMove).filter((move) => move.from === from);
  const explained = explain.value;
  const learned = Object.fromEntries(reach.flatMap(({ square, ways: [way] }) => {
    const identity = way && from !== undefined ? explained?.learned(control.planning ?? view, rules, from, way) : undefined;
    return identity ? [[square, identity]] : [];
  }));
  const scouts = reach.flatMap(({ square, ways: [way] }) => (way?.by === "scout" ? [[square, "9"]] : []));
  board.mark({
    chosen: from ?? chosenInDeployment(control),
    targets: [
      ...reach.flatMap(({ ways: [way] }) => (way ? { square: way.to, kind: kindOf(way) } : [])),
      ...refused.map(({ to }) => ({ square: to, kind: /** @type {const} */ ("refused") })),
    ],
    ...paths(control, reach.flatMap(({ ways }) => ways[0] ?? [])),
    ahead: ahead(control),
    free: freeSquares(control),
    notes: { ...noteTexts(control), ...Object.fromEntries([...scouts, ...Object.entries(learned)].map(([square = "", identity = ""]) => [square, figuresOf(identity)])) },
  });
  board.name(squareNames(control.shownView(view), allWords(), from === undefined ? undefined : {
    from, targets: reach,
    learned: Object.fromEntries(Object.entries(learned).map(([square, identity]) => [square, explained?.learnedThere(identity, allWords()) ?? ""])),
  }, control.own));
}

/** What is known of a piece, as it stands on the board. @param {string} identity */
const figuresOf = (identity) => [...identity.replace(/[[\]]/g, "")].map((letter) => figureOf(letter, settings.value.numbering)).join(settings.value.numbering === "eu" ? " " : "");

/** @param {GameControl} control */
function chosenInDeployment(control) {
  const hand = control.view?.phase === "deploying" ? control.deploying.hand.value : undefined;
  return hand && "square" in hand ? hand.square : undefined;
}

/** @typedef {import("../game/reach.js").Way} Way */

/** What carries a piece to a square, or that it strikes there. @param {Way} way @returns {import("../board/board.js").TargetKind} */
function kindOf({ strikes, by }) {
  return strikes ? "strike" : by === "supply_line" || by === "flash" ? by : "go";
}

/**
 * What a move goes over: the squares of supply lines, and those of flashes with the color that they get. If it is
 * asked which way a piece goes, only the way that the player looks at; once that is known, its path.
 * @param {GameControl} control @param {readonly Way[]} ways The ways of the piece in hand.
 */
function paths(control, ways) {
  const { question: { value: question }, way: { value: looked } } = control;
  const draft = question?.draft.kind === "move" ? question.draft : undefined;
  const shown = draft ? (draft.ways.length === 1 ? draft.ways : looked ? [looked] : []) : ways;
  const lit = shown.filter(({ by }) => draft !== undefined || by === "supply_line").flatMap(({ path }) => path);
  const squares = [...new Set(shown.filter(({ by }) => by === "flash").flatMap(({ path }) => path))];
  const from = draft?.from ?? (control.hand.value?.kind === "board" ? control.hand.value.square : "");
  const color = squares.length > 0 ? chipsBySquare(control.planning?.chips).get(from) : undefined;
  return { lit, ...(color ? { coming: { color, squares } } : {}) };
}

/** The moves that are under way, planned or queued. @param {GameControl} control @returns {readonly import("../board/board.js").Ahead[]} */
function ahead(control) {
  const { view, rules, planned: { value: planned }, queued: { value: queued } } = control;
  if (!view || !rules) return [];
  const sent = underWay(line.value, control.id).at(-1)?.command;
  const move = sent?.kind === "move" ? sent : planned;
  if (!move) return queued?.ahead ?? [];
  const { from, to } = parseMove(move.move);
  const reach = move === planned ? plannedTargets : targets;
  return [{ from, to, path: wayTo(reach(view, rules, from), to, move.path ?? undefined)?.path, kind: move === planned ? "planned" : "sent" }];
}

/** The player's guesses as they stand on the board: ranks, or a sign. @param {GameControl} control */
function noteTexts(control) {
  const signs = /** @type {Record<string, string>} */ ({ weak: "−", strong: "+", watch: "!" });
  return Object.fromEntries(Object.entries(control.notes.value).map(([square, mark]) => [square, signs[mark] ?? figuresOf(mark)]));
}

/** Where the piece in hand can be put. @param {GameControl} control */
function freeSquares(control) {
  const { view, rules, side } = control;
  if (!view || !rules || !side) return [];
  if (view.phase === "deploying") return control.deploying.free();
  return control.hand.value?.kind === "reserve" ? freeHomeSquares(control.planning ?? view, rules, side) : [];
}
