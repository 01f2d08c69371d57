// The board: squares that can be focused and read, pieces as pictures above them. It animates
// what an event says, never what differs between two positions.

import { COLORS, opponentOf, parseMove, parsePiece, squareOf } from "../game/rules.js";
import { CHIP_SQUARE, PLAIN_STYLE, drawChips, drawPiece, svg } from "./pieces.js";
import {
  Playback, drawArrow, enlarge, extent, ghosts, isInSight, labelsOf, layer, legsOf, listenToPointers, make, place, setVariables, shrink, squareAround,
  squareByKey, squareIn, strips, waysBetween,
} from "./screen.js";

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").GameEvent} GameEvent */
/** @typedef {import("../game/rules.js").Piece} Piece */
/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("./screen.js").Geometry} Geometry */

/**
 * What the board tells of gestures. Squares only: the board knows no rules.
 * @typedef {object} Handlers
 * @property {(square: string) => void} press
 * @property {(square: string) => void} ask What is this square?
 * @property {(square: string) => boolean} mayLift
 * @property {(from: string, to: string | undefined) => void} drop
 * @property {() => void} letGo
 * @property {() => readonly string[]} movable The squares of the pieces that can move, for the keys n and p.
 * @property {(event: KeyboardEvent, square: string) => boolean} key A key that is not the board's own; true if it was used.
 * @property {(event: KeyboardEvent) => boolean} [isOff] True for keys that do nothing.
 * @property {(square: string) => void} [look] The focus has come to a square.
 * @property {(square: string | undefined) => void} [rest] The mouse rests on a square, or has left the board.
 * @property {() => void} [shown] The board shows more of what has happened.
 * @property {() => boolean} [isHolding] True if the next press puts something on a square.
 * @property {(isEnlarged: boolean) => void} [enlarged] Without this, no touch enlarges the board.
 */

/**
 * A move that is not made yet; `from` is undefined for a piece that comes from the reserve. `path`: its squares, without the first.
 * `piece`: the text of the piece, if it does not stand there yet.
 * @typedef {{ from?: string | undefined, to: string, path?: readonly string[] | undefined, piece?: string | undefined, kind: "planned" | "sent" }} Ahead
 */
/** What can be done on a square, or is refused by a rule. @typedef {"go" | "supply_line" | "flash" | "strike" | "refused"} TargetKind */

/**
 * What is marked.
 * @typedef {object} Marks
 * @property {string} [chosen]
 * @property {readonly { square: string, kind: TargetKind }[]} [targets]
 * @property {readonly string[]} [lit] Squares of a path.
 * @property {{ color: import("../game/rules.js").ChipColor, squares: readonly string[] }} [coming] Chips that a move would lay.
 * @property {readonly Ahead[]} [ahead] In the order in which they will be made.
 * @property {readonly string[]} [free] Squares where a piece can be put.
 * @property {Readonly<Record<string, string>>} [notes] Short marks on squares.
 */

/** How long each part of a motion takes, in milliseconds. */
const TIMES = { go: 200, look: 700, leave: 220 };
/** A mouse that rests so long on a square asks what it is. */
const REST_MS = 600;

/** A picture on its square. @typedef {{ element: HTMLElement, text: string }} Shown */

export class Board {
  /** @type {Geometry} */
  #geometry = { columns: 1, rows: 1, below: "red", isTurned: false };
  /** @type {Rules | undefined} */
  #rules;
  /** @type {Map<string, HTMLElement>} */
  #cells = new Map();
  /** @type {Map<string, Shown>} */
  #pieces = new Map();
  /** The chips of each color: their squares, and their picture. @type {Map<string, { squares: string, element: SVGElement }>} */
  #chips = new Map();
  /** @type {SVGElement | undefined} */
  #coming;
  /** @type {{ square: string, element: HTMLElement, text: string }[]} */
  #ghosts = [];
  /** @type {GameView | undefined} */
  #view;
  #focused = "a1";
  /** @type {Marks} */
  #marks = {};
  #playback = new Playback(
    (event, after) => {
      this.#view = after;
      return this.isStill ? undefined : this.#motion(event);
    },
    (after) => {
      this.#view = after;
      this.#update(after);
      this.handlers.shown?.();
    },
  );
  /** @type {(square: string) => string} */
  #name = (square) => square;

  /** @param {HTMLElement} host @param {Handlers} handlers */
  constructor(host, handlers) {
    this.handlers = handlers;
    this.host = host;
    this.style = PLAIN_STYLE;
    this.isStill = false;
    this.setMotion("system");
    this.frame = make("div", "board");
    this.squares = make("div", "squares");
    this.squares.setAttribute("role", "grid");
    this.strips = layer("strips");
    this.pieces = layer("pieces");
    this.chips = svg("svg", { class: "layer chips", "aria-hidden": "true" });
    this.notes = layer("notes");
    this.labels = layer("labels");
    this.arrows = svg("svg", { class: "arrows", "aria-hidden": "true" });
    this.frame.append(this.squares, this.strips, this.arrows, this.pieces, this.chips, this.notes, this.labels);
    host.classList.add("board-host");
    host.replaceChildren(this.frame);
    this.squares.addEventListener("focusin", (event) => {
      const square = /** @type {HTMLElement} */ (event.target).dataset.square;
      if (!square) return;
      this.#setFocus(square);
      handlers.look?.(square);
    });
    this.squares.addEventListener("keydown", (event) => this.#keyDown(event));
    let resting = /** @type {any} */ (0);
    this.squares.addEventListener("pointerover", ({ target, pointerType }) => {
      clearTimeout(resting);
      if (pointerType === "mouse") resting = setTimeout(() => handlers.rest?.(/** @type {HTMLElement} */ (target).dataset.square), REST_MS);
    });
    for (const kind of ["pointerdown", "pointerleave"]) this.squares.addEventListener(kind, () => clearTimeout(resting));
    this.squares.addEventListener("pointerleave", () => handlers.rest?.(undefined));
    this.pointers = listenToPointers(this.frame, this.#pointerHandlers());
  }

  /** Lays out the squares. @param {Rules} rules @param {"red" | "blue"} below @param {boolean} isTurned @param {string} label */
  layOut(rules, below, isTurned, label) {
    this.finish();
    this.#rules = rules;
    this.#geometry = { columns: rules.columns, rows: rules.rows, below, isTurned };
    const { across, down } = extent(this.#geometry);
    const strip = strips(this.#geometry, rules);
    setVariables(this.frame, { "--across": across, "--down": down, "--strip-x": strip.x, "--strip-y": strip.y });
    this.frame.classList.toggle("joined", strip.x + strip.y > 0);
    this.squares.setAttribute("aria-label", label);
    this.arrows.setAttribute("viewBox", `0 0 ${across} ${down}`);
    this.chips.setAttribute("viewBox", `0 0 ${across * CHIP_SQUARE} ${down * CHIP_SQUARE}`);
    this.chips.replaceChildren();
    this.#chips.clear();
    this.#cells.clear();
    const rows = Array.from({ length: down }, (_, y) => this.#row(y, across));
    this.squares.replaceChildren(...rows);
    this.labels.replaceChildren(...labelsOf(this.#geometry));
    this.#ghosts = ghosts(this.#geometry, rules).map(({ square, x, y }) => {
      const element = make("div", "ghost");
      setVariables(element, { "--x": x, "--y": y });
      return { square, element, text: "" };
    });
    this.strips.replaceChildren(...this.#ghosts.map(({ element }) => element));
    const lowest = squareIn(this.#geometry, 0, down - 1) ?? "a1";
    this.#setFocus(this.#cells.has(this.#focused) && this.#view ? this.#focused : lowest);
    const view = this.#view;
    if (view) this.show(view);
  }

  /** @param {number} y @param {number} across */
  #row(y, across) {
    const row = make("div", "row");
    row.setAttribute("role", "row");
    for (let x = 0; x < across; x++) {
      const square = squareIn(this.#geometry, x, y) ?? "";
      const cell = make("div", "square");
      cell.setAttribute("role", "gridcell");
      cell.tabIndex = -1;
      cell.dataset.square = square;
      cell.classList.toggle("odd", (x + y) % 2 === 1);
      this.#cells.set(square, cell);
      row.append(cell);
    }
    return row;
  }

  /** Shows a position at once. @param {Readonly<GameView>} view */
  show(view) {
    this.#playback.clear();
    this.#view = view;
    for (const { element } of this.#pieces.values()) element.remove();
    this.#pieces.clear();
    this.#update(view);
    this.handlers.shown?.();
  }

  /** Shows what an event did, after the events before it. @param {GameEvent} event @param {Readonly<GameView>} after */
  play(event, after) {
    this.#playback.play(event, after);
  }

  /** Shows at once all that has happened: a player who acts does not wait for pictures. */
  finish() {
    this.#playback.finish();
  }

  /** How many of the last events are not shown yet. */
  get unshown() {
    return this.#playback.unshown;
  }

  /** The steps of an event's animation. @param {GameEvent} event */
  #motion(event) {
    switch (event.kind) {
      case "moved": return event.strike ? this.#strikeMotion(event, event.strike) : this.#moveMotion(event);
      case "removed": {
        const shown = this.#pieces.get(event.square);
        return [{ ms: TIMES.leave, act: () => shown?.element.classList.add("leaving") }];
      }
      default: return undefined;
    }
  }

  /** @param {GameEvent & { kind: "moved" }} event */
  #moveMotion(event) {
    const { from, to } = parseMove(event.move);
    return this.#sending(from, to);
  }

  /**
   * The attacker arrives, both show what is known of them, and then who leaves, leaves. Every
   * outcome takes the same time.
   * @param {GameEvent & { kind: "moved" }} event @param {import("../../types/messages").SeenStrike} strike
   */
  #strikeMotion(event, strike) {
    const { from, to } = parseMove(event.move);
    const [attacker, defender] = [this.#pieces.get(from), this.#pieces.get(to)];
    return [
      ...this.#sending(from, to),
      {
        ms: TIMES.look,
        act: () => {
          this.#reveal(attacker, event.side, strike.attacker, "attacking");
          this.#reveal(defender, opponentOf(event.side), strike.defender, "defending");
        },
      },
      {
        ms: TIMES.leave,
        act: () => {
          this.#meetFate(attacker, strike.attacker_fate, from, to);
          this.#meetFate(defender, strike.defender_fate, to, from);
        },
      },
    ];
  }

  /** @param {Shown | undefined} shown @param {"red" | "blue"} side @param {string} identity @param {string} role */
  #reveal(shown, side, identity, role) {
    if (!shown) return;
    shown.element.classList.add(role);
    // The picture is not that of the text any more.
    shown.text = "";
    shown.element.replaceChildren(drawPiece({ side, identity, moved: true, revealed: false, labeled: false }, this.style));
  }

  /** @param {Shown | undefined} shown @param {"stays" | "advances" | "leaves"} fate @param {string} own @param {string} other */
  #meetFate(shown, fate, own, other) {
    if (!shown) return;
    shown.element.classList.remove("attacking", "defending");
    shown.element.classList.add(fate === "leaves" ? "leaving" : "going");
    if (fate !== "leaves") this.#put(shown.element, fate === "advances" ? other : own);
  }

  /** Sends the piece on a square to another one: in one go, or off one edge and in at the other. @param {string} from @param {string} to */
  #sending(from, to) {
    const element = this.#pieces.get(from)?.element;
    const legs = this.#legs(from, to);
    const parts = legs ?? [{ from: place(this.#geometry, from), to: place(this.#geometry, to) }];
    return parts.map((leg, index) => ({
      ms: TIMES.go / parts.length,
      act: () => {
        if (!element) return;
        if (index > 0) {
          element.classList.remove("going");
          setVariables(element, { "--x": leg.from.x, "--y": leg.from.y });
          // The browser has to see the piece there before it goes on.
          void element.offsetWidth;
        }
        element.classList.add(legs ? "going" : "vanishing");
        this.pieces.classList.toggle("through", parts.length > 1);
        setVariables(element, { "--x": leg.to.x, "--y": leg.to.y });
      },
    }));
  }

  /**
   * Where a way runs. Undefined if a piece can have gone two ways, over the board and through a joint.
   * @param {string} from @param {string} to @param {readonly string[]} [path] Its squares, if they are known.
   * @returns {import("./screen.js").Leg[] | undefined}
   */
  #legs(from, to, path) {
    if (!this.#rules || !this.frame.classList.contains("joined")) return [{ from: place(this.#geometry, from), to: place(this.#geometry, to) }];
    const [way, other] = path ? [[from, ...path]]
      : waysBetween(this.#geometry, this.#rules, from, to, (square) => !this.#isTaken(square));
    return way && !other ? legsOf(this.#geometry, way) : undefined;
  }

  /** @param {string} square */
  #isTaken(square) {
    const view = this.#view;
    return view !== undefined && (view.lakes.includes(square) || view.pieces.some((text) => squareOf(text) === square));
  }

  /** @param {HTMLElement} element @param {string} square */
  #put(element, square) {
    const { x, y } = place(this.#geometry, square);
    setVariables(element, { "--x": x, "--y": y });
  }

  /** Makes the board that of a view. Pieces that have not changed keep their element. @param {Readonly<GameView>} view */
  #update(view) {
    this.pieces.classList.remove("through");
    const texts = new Map(view.pieces.map((text) => [squareOf(text), text]));
    for (const [square, shown] of this.#pieces) {
      const isKept = texts.get(square) === shown.text && shown.element.className === "piece";
      if (isKept) continue;
      shown.element.remove();
      this.#pieces.delete(square);
    }
    for (const [square, text] of texts) {
      if (this.#pieces.has(square)) continue;
      const element = make("div", "piece");
      this.#put(element, square);
      element.append(drawPiece(parsePiece(text), this.style));
      this.pieces.append(element);
      this.#pieces.set(square, { element, text });
    }
    const lakes = new Set(view.lakes);
    for (const [square, cell] of this.#cells) this.#shape(cell, square, lakes);
    this.#updateChips(view);
    for (const ghost of this.#ghosts) {
      const text = texts.get(ghost.square) ?? "";
      if (ghost.text === text) continue;
      ghost.text = text;
      ghost.element.replaceChildren(...(text ? [drawPiece(parsePiece(text), this.style)] : []));
    }
    this.#showMarks();
  }

  /** Rounds the corners of lakes. @param {HTMLElement} cell @param {string} square @param {Set<string>} lakes */
  #shape(cell, square, lakes) {
    const isLake = lakes.has(square);
    cell.classList.toggle("lake", isLake);
    if (!isLake) return;
    const { x, y } = place(this.#geometry, square);
    const isNear = (/** @type {number} */ dx, /** @type {number} */ dy) =>
      lakes.has(squareIn(this.#geometry, x + dx, y + dy) ?? "");
    cell.classList.toggle("lake-left", isNear(-1, 0));
    cell.classList.toggle("lake-right", isNear(1, 0));
    cell.classList.toggle("lake-above", isNear(0, -1));
    cell.classList.toggle("lake-below", isNear(0, 1));
  }

  /** @param {Readonly<GameView>} view */
  #updateChips(view) {
    const chips = view.chips ?? {};
    for (const color of COLORS) {
      const squares = chips[color] ?? [];
      const shown = this.#chips.get(color);
      if ((shown?.squares ?? "") === squares.join()) continue;
      shown?.element.remove();
      this.#chips.delete(color);
      if (squares.length === 0) continue;
      const element = drawChips(color, squares.map((square) => place(this.#geometry, square)));
      this.chips.append(element);
      this.#chips.set(color, { squares: squares.join(), element });
    }
  }

  /** Marks squares, in place of the marks before. @param {Marks} marks */
  mark(marks) {
    this.#marks = marks;
    this.#showMarks();
  }

  #showMarks() {
    const { chosen, targets = [], lit = [], coming, ahead = [], free = [] } = this.#marks;
    const last = this.#lastSquares();
    const ends = ahead.flatMap(({ from, to }) => [from, to]);
    const kinds = new Map(targets.map(({ square, kind }) => [square, kind]));
    for (const [square, cell] of this.#cells) {
      const kind = kinds.get(square);
      cell.classList.toggle("chosen", square === chosen);
      cell.classList.toggle("target", kind !== undefined && kind !== "strike" && kind !== "refused");
      cell.classList.toggle("by-line", kind === "supply_line");
      cell.classList.toggle("by-flash", kind === "flash");
      cell.classList.toggle("strike", kind === "strike");
      cell.classList.toggle("refused", kind === "refused");
      cell.classList.toggle("lit", lit.includes(square));
      cell.classList.toggle("free", free.includes(square));
      cell.classList.toggle("last", last.includes(square));
      cell.classList.toggle("ahead", ends.includes(square));
      cell.classList.toggle("liftable", this.handlers.mayLift(square));
      if (square === chosen) cell.setAttribute("aria-selected", "true");
      else cell.removeAttribute("aria-selected");
      const name = this.#name(square);
      if (cell.getAttribute("aria-label") !== name) cell.setAttribute("aria-label", name);
    }
    this.#drawArrows();
    this.#coming?.remove();
    this.#coming = coming && drawChips(coming.color, coming.squares.map((square) => place(this.#geometry, square)));
    this.#coming?.classList.add("coming");
    if (this.#coming) this.chips.append(this.#coming);
    this.notes.replaceChildren(...Object.entries(this.#marks.notes ?? {}).map(([square, text]) => {
      const element = make("div", "note");
      element.append(make("span", ""));
      element.firstElementChild?.append(text);
      this.#put(element, square);
      return element;
    }));
  }

  /** The squares of the last turn. */
  #lastSquares() {
    const move = this.#view?.pending_strike ?? this.#view?.last_move;
    if (move) return Object.values(parseMove(move.move));
    return this.#view?.last_exchange ? [this.#view.last_exchange.square] : [];
  }

  #drawArrows() {
    const last = this.#view?.pending_strike ?? this.#view?.last_move;
    /** @param {Omit<Ahead, "kind">} move @param {string} name */
    const arrow = ({ from, to, path }, name) => {
      const legs = from && this.#legs(from, to, path);
      return legs ? [drawArrow(legs, name)] : [];
    };
    const frames = this.#lastSquares().map((square) => {
      const { x, y } = place(this.#geometry, square);
      return svg("rect", { class: "last-frame", x: x + 0.04, y: y + 0.04, width: 0.92, height: 0.92, rx: 0.06 });
    });
    this.arrows.replaceChildren(
      ...frames, ...(last ? arrow(parseMove(last.move), "last-arrow") : []),
      ...(this.#marks.ahead ?? []).flatMap((move) => [...arrow(move, `${move.kind}-arrow`), this.#hollow(move)]));
  }

  /** The outline of a piece on the square that it will go to. @param {Ahead} move */
  #hollow({ from, to, piece }) {
    const text = piece ?? this.#view?.pieces.find((text) => squareOf(text) === from);
    const { x, y } = place(this.#geometry, to);
    const nested = svg("svg", { x: x + 0.055, y: y + 0.055, width: 0.89, height: 0.89, viewBox: "0 0 100 100", class: "hollow" });
    if (text) nested.append(drawPiece(parsePiece(text), this.style));
    return nested;
  }

  /** Names the squares for those who hear the board. @param {(square: string) => string} name */
  name(name) {
    this.#name = name;
    this.#showMarks();
  }

  /** Animates as the system says, or not at all. @param {"system" | "none"} motion */
  setMotion(motion) {
    this.isStill = motion === "none" || matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (this.isStill) this.finish();
  }

  /** Draws pieces in another style. @param {import("./pieces.js").Style} style */
  restyle(style) {
    this.style = style;
    this.#ghosts.forEach((ghost) => (ghost.text = ""));
    this.finish();
    if (this.#view) this.show(this.#view);
  }

  get focused() {
    return this.#focused;
  }

  /** Moves the focus to a square. @param {string} square */
  focus(square) {
    this.#setFocus(square);
    this.#cells.get(square)?.focus();
  }

  /** @param {string} square */
  #setFocus(square) {
    const old = this.#cells.get(this.#focused);
    if (old) old.tabIndex = -1;
    this.#focused = square;
    const cell = this.#cells.get(square);
    if (cell) cell.tabIndex = 0;
  }

  /** @param {KeyboardEvent} event */
  #keyDown(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || this.handlers.isOff?.(event)) return;
    const square = this.#focused;
    const next = this.#rules && squareByKey(this.#geometry, this.#rules, event.key, square);
    if (next) this.focus(next);
    else if (event.key === "Enter" || event.key === " ") this.#press(square);
    else if (event.key === "Escape") this.handlers.letGo();
    else if (!this.handlers.key(event, square) && !this.#walk(event, square)) return;
    event.preventDefault();
  }

  /** @param {string} square */
  #press(square) {
    this.finish();
    this.handlers.press(square);
  }

  /** The keys n and p, by their position, so that other layouts work. @param {KeyboardEvent} event @param {string} square */
  #walk({ code }, square) {
    const step = code === "KeyN" ? 1 : code === "KeyP" ? -1 : 0;
    const movable = step ? this.handlers.movable() : [];
    const at = movable.indexOf(square);
    const next = movable[at < 0 ? 0 : (at + step + movable.length) % movable.length];
    if (next) this.focus(next);
    return next !== undefined;
  }

  /** @returns {import("./screen.js").DragHandlers} */
  #pointerHandlers() {
    /** @param {string} square @param {Record<string, number>} variables */
    const carry = (square, variables) => {
      const element = this.#pieces.get(square)?.element;
      if (element) setVariables(element, variables);
    };
    /** @param {string} square */
    const rest = (square) => {
      this.#pieces.get(square)?.element.classList.remove("lifted");
      this.markOver(undefined);
      carry(square, { "--lift-x": 0, "--lift-y": 0 });
    };
    return {
      heldAt: ({ clientX, clientY }) => this.squareAtPoint(clientX, clientY),
      squareAt: (x, y) => this.squareAtPoint(x, y),
      mayLift: (square) => this.handlers.mayLift(square),
      press: (square, isTouch) => {
        this.focus(square);
        const { enlarged, isHolding } = this.handlers;
        const isUnsure = isTouch && enlarged !== undefined && enlarge(this.host, this.#cells, square);
        if (isUnsure) enlarged(true);
        // An unsure touch may choose a piece: the next one can choose another.
        if (!isUnsure || !isHolding?.()) this.#press(square);
      },
      ask: (square) => this.handlers.ask(square),
      lift: (square) => {
        this.finish();
        this.#pieces.get(square)?.element.classList.add("lifted");
      },
      carry: (square, { dx, dy, over, isTouch }) => {
        carry(square, { "--lift-x": dx, "--lift-y": dy - (isTouch ? this.#squareSize : 0) });
        this.markOver(over === square ? undefined : over);
      },
      drop: (square, over) => {
        rest(square);
        if (over !== square) this.handlers.drop(square, over);
      },
      cancel: rest,
    };
  }

  /** Draws a piece that is dragged onto the board from elsewhere. @param {Omit<Piece, "square">} piece */
  drawCarried(piece) {
    const element = make("div", "piece lifted");
    element.append(drawPiece(piece, this.style));
    this.pieces.append(element);
    return element;
  }

  /** @param {HTMLElement} element @param {import("./screen.js").DragWay} way */
  carryIn(element, { x, y, over, isTouch }) {
    const { left, top } = this.squares.getBoundingClientRect();
    const half = this.#squareSize / 2;
    setVariables(element, { "--x": 0, "--y": 0, "--lift-x": x - left - half, "--lift-y": y - top - (isTouch ? 3 : 1) * half });
    this.markOver(over);
  }

  /** In pixels. */
  get #squareSize() {
    return this.squares.clientHeight / extent(this.#geometry).down;
  }

  /** Shows the board as a whole again. */
  shrink() {
    if (shrink(this.host)) this.handlers.enlarged?.(false);
  }

  /** Marks the square that a dragged piece is over. @param {string | undefined} square */
  markOver(square) {
    for (const [other, cell] of this.#cells) cell.classList.toggle("over", other === square);
  }

  /** The square at a point of the window. @param {number} clientX @param {number} clientY */
  squareAtPoint(clientX, clientY) {
    const box = this.squares.getBoundingClientRect();
    if (!this.#rules || !isInSight(this.host, clientX, clientY)) return undefined;
    return squareAround(this.#geometry, this.#rules, (clientX - box.left) / box.width, (clientY - box.top) / box.height);
  }
}
