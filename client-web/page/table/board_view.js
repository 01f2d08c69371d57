// Puts the board on the page, and keeps its marks and names up to date.

import { Board } from "../board/board.js";
import { squareNames } from "../board/names.js";
import { homeSquares } from "../game/rules.js";
import { freeHomeSquares, plannedTargets, targets } from "../game/reach.js";
import { parseMove } from "../game/notation.js";
import { underWay } from "../net/line.js";
import { useTurned } from "../parts/boards.js";
import { allWords, line, say, settings } from "../state.js";
import { h, useLayoutEffect, useRef } from "../vendor/library.js";

/** @typedef {import("./control.js").GameControl} GameControl */
/** @typedef {import("../../types/messages").Side} Side */

/** @param {{ control: GameControl, below: Side }} props */
export function BoardView({ control, below }) {
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  const { rules, view } = control;
  const isTurned = useTurned(rules);
  useLayoutEffect(() => {
    if (!host.current) return;
    control.board = new Board(host.current, {
      press: (square) => control.press(square),
      ask: (square) => void control.ask(square),
      mayLift: (square) => control.mayLift(square),
      drop: (from, to) => control.drop(from, to),
      letGo: () => {
        control.letGo();
        control.deploying.hand.value = undefined;
        control.planned.value = undefined;
      },
      movable: () => control.movable(),
      key: (event, square) => control.key(event, square),
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
  // Reading the signals makes this part follow them.
  const state = [line.value, control.hand.value, control.planned.value, control.deploying.hand.value, control.deploying.setup.value,
    control.notes.value, control.question.value];
  useLayoutEffect(() => showMarks(control), state);
  return h("div", { class: `board-place board-host${isTurned ? " tall" : ""}`, ref: host });
}

/** @param {GameControl} control */
function showMarks(control) {
  const { board, view, rules } = control;
  if (!board || !view || !rules) return;
  const hand = control.hand.value;
  const from = hand?.kind === "board" ? hand.square : undefined;
  const reach = from === undefined ? [] : control.isTurn ? targets(view, rules, from)
    : control.mayPlan ? plannedTargets(view, rules, from) : [];
  const refused = from === undefined ? [] : (view.refused_moves ?? []).map(parseMove).filter((move) => move.from === from);
  board.mark({
    chosen: from ?? chosenInDeployment(control),
    targets: [
      ...reach.map(({ square, ways }) => ({ square, kind: ways[0]?.strikes ? /** @type {const} */ ("strike") : /** @type {const} */ ("go") })),
      ...refused.map(({ to }) => ({ square: to, kind: /** @type {const} */ ("refused") })),
    ],
    lit: litPath(control),
    ahead: ahead(control),
    free: freeSquares(control),
    notes: noteTexts(control),
  });
  board.name(squareNames(control.shownView(view), allWords(), from === undefined ? undefined : { from, targets: reach }));
}

/** @param {GameControl} control */
function chosenInDeployment(control) {
  const hand = control.view?.phase === "deploying" ? control.deploying.hand.value : undefined;
  return hand && "square" in hand ? hand.square : undefined;
}

/** The path of the way that a question is about. @param {GameControl} control */
function litPath(control) {
  const draft = control.question.value?.draft;
  return draft?.kind === "move" && draft.ways.length === 1 ? draft.ways[0]?.path : undefined;
}

/** A move that is planned or under way. @param {GameControl} control */
function ahead(control) {
  const sent = underWay(line.value, control.id).at(-1)?.command;
  if (sent?.kind === "move") return { ...parseMove(sent.move), kind: /** @type {const} */ ("sent") };
  const planned = control.planned.value;
  return planned ? { ...parseMove(planned.move), kind: /** @type {const} */ ("planned") } : undefined;
}

/** The player's guesses as they stand on the board: ranks, or a sign. @param {GameControl} control */
function noteTexts(control) {
  const signs = /** @type {Record<string, string>} */ ({ weak: "−", strong: "+", watch: "!" });
  return Object.fromEntries(Object.entries(control.notes.value).map(([square, mark]) => [square, signs[mark] ?? mark]));
}

/** Where the piece in hand can be put. @param {GameControl} control */
function freeSquares(control) {
  const { view, rules, side } = control;
  if (!view || !rules || !side) return [];
  if (view.phase === "deploying") {
    const setup = control.deploying.setup.value;
    const hand = control.deploying.hand.value;
    return hand && !control.deploying.isFinal ? homeSquares(rules, side).filter((square) => !setup[square]) : [];
  }
  return control.hand.value?.kind === "reserve" ? freeHomeSquares(view, rules, side) : [];
}
