// A deployment in the making: by pointer and by keys, with its tray and its tools.

import { listenToTray } from "../board/screen.js";
import {
  deploymentSentence, isComplete, letterTyped, place, placesToFill, readSetup, setupPieces, swap, tray, writeSetup,
} from "../game/hand.js";
import { RANKS, homeSquares, letterOf, nextChange } from "../game/rules.js";
import { rankName } from "../game/sentences.js";
import { PieceArt, RulesLink, useTicks } from "../parts/basics.js";
import { confirm } from "../parts/dialog.js";
import { allWords, deployWith, say, sayClock, serverTime, settings, show, speak } from "../state.js";
import { h, signal, useEffect, useRef } from "../vendor/library.js";

/** @typedef {import("../game/hand.js").Setup} Setup */
/** @template T @typedef {import("../vendor/library.js").Signal<T>} Signal */
/** @typedef {import("./control.js").GameControl} GameControl */

export class Deploying {
  /** @type {Signal<Setup>} */
  setup = signal(/** @type {Setup} */ ({}));
  /** A rank of the tray, or a square. @type {Signal<{ letter: string } | { square: string } | undefined>} */
  hand = signal(/** @type {{ letter: string } | { square: string } | undefined} */ (undefined));
  /** @type {Setup[]} */
  #before = [];
  #isRead = false;

  /** @param {import("./control.js").GameControl} control */
  constructor(control) {
    this.control = control;
  }

  get #rules() {
    return /** @type {import("../game/rules.js").Rules} */ (this.control.rules);
  }

  get #side() {
    return this.control.side ?? "red";
  }

  /** Takes over what the server has already. */
  read() {
    const text = this.control.view?.own_deployment;
    if (this.#isRead || !text || !this.control.rules) return;
    this.#isRead = true;
    this.setup.value = readSetup(text, this.#rules, this.#side);
  }

  pieces() {
    return setupPieces(this.setup.value, this.#side);
  }

  left() {
    return tray(this.setup.value, this.#rules);
  }

  /** How many pieces are still to be placed. */
  get missing() {
    return placesToFill(this.#rules) - Object.keys(this.setup.value).length;
  }

  get isComplete() {
    return isComplete(this.setup.value, this.#rules);
  }

  /** True if the server has this very deployment. */
  get isHandedIn() {
    return this.control.view?.own_deployment === writeSetup(this.setup.value, this.#rules, this.#side);
  }

  /** True if the server has another one. */
  get isChanged() {
    return this.control.view?.own_deployment != null && !this.isHandedIn;
  }

  /** True if it cannot be changed any more. */
  get isFinal() {
    return this.#rules.illegal_act_loses && this.control.view?.own_deployment != null;
  }

  /**
   * Changes the deployment, and says what has changed.
   * @param {Setup} setup @param {string} [told] What is said first.
   */
  change(setup, told) {
    if (this.isFinal) return show(say("deploy-final-wait"));
    this.#before = [...this.#before.slice(-99), this.setup.value];
    this.#take(setup, told);
  }

  undo() {
    const before = this.#before.pop();
    if (before) this.#take(before, say("deploy-told", { what: "undone" }));
    else show(say("deploy-told", { what: "nothing" }));
  }

  /** @param {Setup} setup @param {string} [told] */
  #take(setup, told = "") {
    const changed = deploymentSentence(this.setup.value, setup, this.#rules, allWords());
    this.setup.value = setup;
    // Of a whole new army, no piece was looked at. The editor tells of none.
    const { about } = this.control;
    if (told && about) about.value = undefined;
    this.#show();
    const text = [told, changed].filter(Boolean).join(" ");
    if (text) speak(text);
  }

  clear() {
    this.setup.value = {};
    this.hand.value = undefined;
  }

  #show() {
    const { view, board } = this.control;
    if (view) board?.show(this.control.shownView(view));
  }

  async random() {
    const setups = await this.#setups();
    // A full board is dealt anew; what was placed by hand stays.
    const kept = this.missing === 0 ? {} : this.setup.value;
    if (setups) this.change(setups.fillRandomly(kept, this.#rules, this.#side, Math.random), say("deploy-told", { what: "random" }));
  }

  async mirror() {
    const setups = await this.#setups();
    if (setups) this.change(setups.mirror(this.setup.value, this.#rules), say("deploy-told", { what: "mirrored" }));
  }

  #setups() {
    return import("../game/setups.js").catch(() => void show(say("no-answer")));
  }

  async handIn() {
    if (!this.isComplete) return;
    const isFinal = this.#rules.illegal_act_loses;
    if (isFinal && !await confirm({ title: say("deploy-final"), text: say("deploy-final-text"), yes: say("deploy-final-yes") })) return;
    // The status takes the place of the explanation of a piece.
    this.control.about.value = undefined;
    await this.control.act({ kind: "deploy", setup: writeSetup(this.setup.value, this.#rules, this.#side) });
  }

  /** @param {string} square */
  #isHome(square) {
    return homeSquares(this.#rules, this.#side).includes(square);
  }

  /** The squares where a piece can still be placed. A deployment that is handed in shows none. */
  free() {
    const setup = this.setup.value;
    const isDone = this.isFinal || (this.isHandedIn && !this.hand.value);
    return isDone ? [] : homeSquares(this.#rules, this.#side).filter((square) => !setup[square]);
  }

  /** The ranks of the army with the pieces that are left of each, the strongest first. @returns {TrayPiece[]} */
  trayPieces() {
    const [left, hand, { army }] = [this.left(), this.hand.value, this.#rules];
    const ranks = [...RANKS].reverse().filter((rank) => (army[letterOf(rank)] ?? 0) > 0);
    return ranks.map((rank) => {
      const letter = letterOf(rank);
      const count = left[letter] ?? 0;
      return { id: letter, rank, count, isChosen: hand !== undefined && "letter" in hand && hand.letter === letter, isOff: count <= 0 || this.isFinal };
    });
  }

  /** Takes a rank of the tray, or lets go. @param {string | undefined} letter */
  take(letter) {
    this.hand.value = letter ? { letter } : undefined;
  }

  /** A rank of the tray is dragged to a square. @param {string} letter @param {string | undefined} square */
  dropFromTray(letter, square) {
    this.hand.value = undefined;
    if (!square || this.isFinal || (this.left()[letter] ?? 0) <= 0) return;
    if (this.#isHome(square)) this.change(place(this.setup.value, square, letter));
    else show(say("deploy-not-home"));
  }

  /** @param {string} square */
  press(square) {
    const hand = this.hand.value;
    if (this.isFinal) return show(say("deploy-final-wait"));
    if (!this.#isHome(square)) return hand ? show(say("deploy-not-home")) : undefined;
    const there = this.setup.value[square];
    if (hand && "letter" in hand) {
      this.change(place(this.setup.value, square, hand.letter));
      if ((this.left()[hand.letter] ?? 0) <= 0) this.hand.value = undefined;
    } else if (hand) {
      if (hand.square !== square) this.change(swap(this.setup.value, hand.square, square));
      this.hand.value = undefined;
    } else if (there) {
      this.hand.value = { square };
      speak(say("deploy-in-hand", { rank: rankName(allWords(), there), square }));
    } else {
      show(say("deploy-no-rank"));
    }
  }

  /** @param {string} square */
  mayLift(square) {
    return !this.isFinal && this.setup.value[square] !== undefined;
  }

  /** @param {string} from @param {string | undefined} to */
  drop(from, to) {
    this.hand.value = undefined;
    if (!to) this.change(place(this.setup.value, from, undefined));
    else if (this.#isHome(to)) this.change(swap(this.setup.value, from, to));
  }

  /** A rank's letter or figure places a piece; Delete takes one off. @param {KeyboardEvent} event @param {string} square */
  key(event, square) {
    const letter = letterTyped(event.key, this.#rules, settings.value.numbering);
    if (event.key === "Delete" || event.key === "Backspace") {
      if (this.setup.value[square]) this.change(place(this.setup.value, square, undefined));
      else speak(say("square-empty"));
      return true;
    }
    if (!letter) return false;
    if (!this.#isHome(square)) show(say("deploy-not-home"));
    else if ((this.left()[letter] ?? 0) <= 0) show(say("deploy-none-left", { rank: rankName(allWords(), letter) }));
    else this.change(place(this.setup.value, square, letter));
    return true;
  }
}

// The tray and the tools of a deployment.

/**
 * Equal pieces of a tray. `id` names them among the others.
 * @typedef {{ id: string, rank: import("../game/rules.js").Rank, labeled?: boolean, count: number, isChosen: boolean, isOff: boolean }} TrayPiece
 */

/**
 * What happens to a tray's pieces. `look`: one has the focus, or is asked about.
 * @typedef {object} TrayActs
 * @property {(piece: TrayPiece | undefined) => void} take Undefined: lets go.
 * @property {(piece: TrayPiece, square: string | undefined) => void} drop
 * @property {(piece: TrayPiece) => void} [look]
 */

/**
 * Pieces to place: each can be chosen, or dragged onto the board.
 * @param {{ label?: string, side: import("../game/rules.js").Side, pieces: readonly TrayPiece[], board: () => import("../board/board.js").Board | undefined,
 *   acts: TrayActs }} props
 */
export function Tray({ label, side, pieces, board, acts }) {
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  const latest = useRef({ pieces, acts });
  latest.current = { pieces, acts };
  useEffect(() => {
    const [tray, onto] = [host.current, board()];
    if (!tray || !onto) return;
    const find = (/** @type {string} */ id) => latest.current.pieces.find((piece) => piece.id === id);
    /** @param {string} id @param {(piece: TrayPiece, acts: TrayActs) => void} act */
    const on = (id, act) => {
      const piece = find(id);
      if (piece) act(piece, latest.current.acts);
    };
    const pointers = listenToTray(tray, onto, {
      pieceOf: (id) => {
        const piece = find(id);
        return { side, identity: piece ? letterOf(piece.rank) : "?", moved: false, revealed: false, labeled: piece?.labeled ?? false };
      },
      ask: (id) => on(id, (piece, { look }) => look?.(piece)),
      lift: (id) => on(id, (piece, { take }) => take(piece)),
      drop: (id, square) => on(id, (piece, { drop }) => drop(piece, square)),
    });
    return () => pointers.cancel();
  }, []);
  return h("div", { class: "tray", ref: host, ...(label ? { role: "group", "aria-label": label } : {}) }, pieces.map((piece) =>
    h("button", {
      key: piece.id, class: `tray-piece${piece.isChosen ? " chosen" : ""}`, disabled: piece.isOff, "aria-pressed": piece.isChosen,
      "data-piece": piece.id, "aria-label": say("tray-piece", { rank: piece.rank, count: piece.count }),
      onFocus: () => acts.look?.(piece),
      onClick: () => {
        acts.look?.(piece);
        acts.take(piece.isChosen ? undefined : piece);
      },
    }, h(PieceArt, { side, identity: letterOf(piece.rank), labeled: piece.labeled ?? false }), h("span", { class: "numbers" }, piece.count))));
}

/** The tray of a deployment. @param {{ deploying: Deploying, side: import("../game/rules.js").Side, look?: (letter: string) => void }} props */
export function DeployTray({ deploying, side, look }) {
  return h(Tray, {
    label: say("deploy-tray"), side, pieces: deploying.trayPieces(), board: () => deploying.control.board,
    acts: {
      take: (piece) => deploying.take(piece?.id),
      drop: ({ id }, square) => deploying.dropFromTray(id, square),
      look: ({ id }) => look?.(id),
    },
  });
}

/** @param {{ control: GameControl }} props */
export function DeployPanel({ control }) {
  const { deploying, rules, side, view, loaded } = control;
  if (!rules || !side || !view || !loaded) return null;
  const isFinal = deploying.isFinal;
  const chosen = deployWith.value[rules.id];
  return h("section", { class: "card stack tight deploy", "aria-label": say("deploy-title") },
    h("div", { class: "row-of spread" }, h("h2", null, say("deploy-title")), h(RulesLink, { ruleset: loaded.game.terms.ruleset }), h(Deadline, { at: view.deploy_deadline })),
    h(DeployTray, { deploying, side, look: (letter) => control.look({ letter }) }),
    h("div", { class: "row-of tools" },
      chosen ? h("button", {
        class: "button compact", disabled: isFinal, onClick: () => void import("../parts/library.js").then((saved) => saved.placeSaved(deploying, rules, side, chosen)),
      }, say("deploy-chosen", { name: chosen })) : null,
      h("button", {
        class: "button compact", disabled: isFinal, onClick: () => void import("../parts/library.js").then((saved) => saved.openSaved(deploying, rules, side)),
      }, say("deploy-saved")),
      h("button", { class: "button compact", disabled: isFinal, onClick: () => void deploying.mirror() }, say("deploy-mirror")),
      h("button", { class: "button compact", disabled: isFinal, onClick: () => deploying.change({}) }, say("deploy-clear")),
      h("button", { class: "button compact", disabled: isFinal, onClick: () => deploying.undo() }, say("deploy-undo")),
      h("button", {
        class: "button compact", disabled: !deploying.isComplete,
        onClick: () => void import("./notes.js").then((notes) => notes.keepDeployment(rules.id, writeSetup(deploying.setup.value, rules, side))),
      }, say("deploy-save"))),
    // On a phone it is always in view.
    h("div", { class: "row-of deploy-bar" },
      h("button", {
        class: "button compact", disabled: isFinal, onClick: () => void import("../parts/library.js").then((saved) => saved.suggestInto(deploying, rules, side)),
      }, say("deploy-suggest")),
      h("button", { class: "button compact", disabled: isFinal, onClick: () => void deploying.random() }, say("deploy-random")),
      h("button", { class: "button main", disabled: !deploying.isComplete || deploying.isHandedIn, onClick: () => deploying.handIn() },
        deploying.isHandedIn ? say("deploy-done") : deploying.missing > 0 ? say("deploy-missing", { count: deploying.missing }) : say("deploy-ready"))),
    h("p", { class: "muted small" }, say(deploying.isHandedIn ? (isFinal ? "deploy-final-wait" : "deploy-changeable") : "deploy-hint"),
      deploying.isHandedIn ? null : h("span", { class: "for-keys" }, " ", say("deploy-hint-keys"))));
}

/** @param {{ at: number | null | undefined }} props */
function Deadline({ at }) {
  const left = () => (at ? Math.max(0, at - serverTime.at(Date.now())) : 0);
  useTicks(() => (at && left() > 0 ? nextChange(left()) : Infinity), at);
  return at ? h("span", { class: "numbers muted" }, say("deploy-left", { time: sayClock(left()) })) : null;
}
