// The board: squares that can be focused and read, pieces as pictures above them. It animates
// what an event says, never what differs between two positions.

import { COLORS, opponentOf, parseMove, parsePiece, squareOf } from "../game/notation.js";
import { CHIP_SQUARE, PLAIN_STYLE, drawChips, drawPiece, svg } from "./pieces.js";
import { Playback, extent, ghosts, listenToPointers, neighbor, place, squareIn, strips } from "./screen.js";

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").GameEvent} GameEvent */
/** @typedef {import("../game/notation.js").Piece} Piece */
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
 * @property {(event: KeyboardEvent, square: string) => boolean} key Any other key; true if it was used.
 * @property {(event: KeyboardEvent) => boolean} [isOff] True for keys that do nothing.
 * @property {(square: string) => void} [look] The focus has come to a square.
 * @property {() => void} [shown] The board shows more of what has happened.
 */

/**
 * What is marked. `refused`: squares that a rule refuses.
 * @typedef {object} Marks
 * @property {string} [chosen]
 * @property {readonly { square: string, kind: "go" | "strike" | "refused" }[]} [targets]
 * @property {readonly string[]} [lit] Squares of a path.
 * @property {{ from: string, to: string, kind: "planned" | "sent" }} [ahead] A move that is not made yet.
 * @property {readonly string[]} [free] Squares where a piece can be put.
 * @property {Readonly<Record<string, string>>} [notes] Short marks on squares.
 */

/** How long each part of a motion takes, in milliseconds. */
const TIMES = { go: 200, look: 700, leave: 220 };

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
    this.labels.replaceChildren(...this.#labels(across, down));
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

  /** The letters and numbers at two edges. @param {number} across @param {number} down */
  #labels(across, down) {
    const { isTurned } = this.#geometry;
    /** @param {number} x @param {number} y @param {"left" | "foot"} edge */
    const label = (x, y, edge) => {
      const square = squareIn(this.#geometry, x, y) ?? "";
      const element = make("span", edge);
      element.textContent = ((edge === "left") === isTurned ? square[0] : square.slice(1)) ?? "";
      setVariables(element, { "--x": x, "--y": y });
      return element;
    };
    return [
      ...Array.from({ length: down }, (_, y) => label(0, y, "left")),
      ...Array.from({ length: across }, (_, x) => label(x, down - 1, "foot")),
    ];
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
    return [{ ms: TIMES.go, act: () => this.#send(from, to) }];
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
      { ms: TIMES.go, act: () => this.#send(from, to) },
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
    if (fate === "leaves") shown.element.classList.add("leaving");
    else this.#put(shown.element, fate === "advances" ? other : own);
  }

  /** Sends the piece on a square to another one. @param {string} from @param {string} to */
  #send(from, to) {
    const shown = this.#pieces.get(from);
    if (!shown) return;
    shown.element.classList.add(this.#isPlainWay(from, to) ? "going" : "vanishing");
    this.#put(shown.element, to);
  }

  /** True if a piece can only have gone straight over the board. @param {string} from @param {string} to */
  #isPlainWay(from, to) {
    if (!this.frame.classList.contains("joined")) return true;
    const [a, b] = [place(this.#geometry, from), place(this.#geometry, to)];
    return Math.abs(a.x - b.x) + Math.abs(a.y - b.y) === 1;
  }

  /** @param {HTMLElement} element @param {string} square */
  #put(element, square) {
    const { x, y } = place(this.#geometry, square);
    setVariables(element, { "--x": x, "--y": y });
  }

  /** Makes the board that of a view. Pieces that have not changed keep their element. @param {Readonly<GameView>} view */
  #update(view) {
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
    const { chosen, targets = [], lit = [], ahead, free = [] } = this.#marks;
    const last = this.#lastSquares();
    const kinds = new Map(targets.map(({ square, kind }) => [square, kind]));
    for (const [square, cell] of this.#cells) {
      const kind = kinds.get(square);
      cell.classList.toggle("chosen", square === chosen);
      cell.classList.toggle("target", kind === "go");
      cell.classList.toggle("strike", kind === "strike");
      cell.classList.toggle("refused", kind === "refused");
      cell.classList.toggle("lit", lit.includes(square));
      cell.classList.toggle("free", free.includes(square));
      cell.classList.toggle("last", last.includes(square));
      cell.classList.toggle("ahead", square === ahead?.from || square === ahead?.to);
      cell.classList.toggle("liftable", this.handlers.mayLift(square));
      if (square === chosen) cell.setAttribute("aria-selected", "true");
      else cell.removeAttribute("aria-selected");
      const name = this.#name(square);
      if (cell.getAttribute("aria-label") !== name) cell.setAttribute("aria-label", name);
    }
    this.#drawArrows();
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
    const arrows = [];
    if (last) {
      const { from, to } = parseMove(last.move);
      if (this.#isPlainWay(from, to)) arrows.push(this.#arrow(from, to, "last-arrow"));
    }
    const { ahead } = this.#marks;
    if (ahead) arrows.push(this.#arrow(ahead.from, ahead.to, `${ahead.kind}-arrow`), this.#hollow(ahead.from, ahead.to));
    this.arrows.replaceChildren(...arrows);
  }

  /** @param {string} from @param {string} to @param {string} name */
  #arrow(from, to, name) {
    const [a, b] = [place(this.#geometry, from), place(this.#geometry, to)];
    const [dx, dy] = [Math.sign(b.x - a.x), Math.sign(b.y - a.y)];
    const [x, y] = [b.x + 0.5 - dx * 0.46, b.y + 0.5 - dy * 0.46];
    const head = `M${x - dx * 0.2 - dy * 0.14} ${y - dy * 0.2 - dx * 0.14}L${x} ${y}`
      + `L${x - dx * 0.2 + dy * 0.14} ${y - dy * 0.2 + dx * 0.14}`;
    // The last move comes from an empty square; a move that is not made yet, from its piece.
    const start = name === "last-arrow" ? 0 : 0.42;
    const shaft = `M${a.x + 0.5 + dx * start} ${a.y + 0.5 + dy * start}L${x} ${y}`;
    return svg("path", { class: name, d: shaft + head });
  }

  /** The outline of a piece that is under way. @param {string} from @param {string} to */
  #hollow(from, to) {
    const text = this.#view?.pieces.find((piece) => squareOf(piece) === from);
    const { x, y } = place(this.#geometry, to);
    const nested = svg("svg", { x, y, width: 1, height: 1, viewBox: "-8 -8 116 116", class: "hollow" });
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
    const next = this.#keyTarget(event, square);
    if (next) this.focus(next);
    else if (event.key === "Enter" || event.key === " ") this.#press(square);
    else if (event.key === "Escape") this.handlers.letGo();
    else if (!this.handlers.key(event, square)) return;
    event.preventDefault();
  }

  /** @param {string} square */
  #press(square) {
    this.finish();
    this.handlers.press(square);
  }

  /** The square that a key goes to. @param {KeyboardEvent} event @param {string} square */
  #keyTarget(event, square) {
    const { x, y } = place(this.#geometry, square);
    const { across, down } = extent(this.#geometry);
    const go = (/** @type {number} */ dx, /** @type {number} */ dy) =>
      this.#rules && (neighbor(this.#geometry, this.#rules, square, dx, dy) ?? square);
    switch (event.key) {
      case "ArrowLeft": return go(-1, 0);
      case "ArrowRight": return go(1, 0);
      case "ArrowUp": return go(0, -1);
      case "ArrowDown": return go(0, 1);
      case "Home": return squareIn(this.#geometry, 0, y);
      case "End": return squareIn(this.#geometry, across - 1, y);
      case "PageUp": return squareIn(this.#geometry, x, 0);
      case "PageDown": return squareIn(this.#geometry, x, down - 1);
    }
    // By key position, so that other layouts work.
    if (event.code !== "KeyN" && event.code !== "KeyP") return undefined;
    const movable = this.handlers.movable();
    const at = movable.indexOf(square);
    const step = event.code === "KeyN" ? 1 : -1;
    return movable[at < 0 ? 0 : (at + step + movable.length) % movable.length];
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
      press: (square) => {
        this.focus(square);
        this.#press(square);
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

  /** Marks the square that a dragged piece is over. @param {string | undefined} square */
  markOver(square) {
    for (const [other, cell] of this.#cells) cell.classList.toggle("over", other === square);
  }

  /** The square at a point of the window. @param {number} clientX @param {number} clientY */
  squareAtPoint(clientX, clientY) {
    const box = this.squares.getBoundingClientRect();
    const { across, down } = extent(this.#geometry);
    const x = Math.floor(((clientX - box.left) / box.width) * across);
    const y = Math.floor(((clientY - box.top) / box.height) * down);
    return squareIn(this.#geometry, x, y) ?? this.#ghostAt(x, y);
  }

  /** @param {number} x @param {number} y */
  #ghostAt(x, y) {
    const { across, down } = extent(this.#geometry);
    const [inX, inY] = [Math.min(across - 1, Math.max(0, x)), Math.min(down - 1, Math.max(0, y))];
    const edge = squareIn(this.#geometry, inX, inY);
    if (!edge || !this.#rules || Math.abs(x - inX) + Math.abs(y - inY) !== 1) return undefined;
    const next = neighbor(this.#geometry, this.#rules, edge, x - inX, y - inY);
    return next;
  }
}

/** @param {string} name @param {string} className */
function make(name, className) {
  const element = document.createElement(name);
  element.className = className;
  return element;
}

/** A layer of pictures, which only those who see the board need. @param {string} className */
function layer(className) {
  const element = make("div", `layer ${className}`);
  element.setAttribute("aria-hidden", "true");
  return element;
}

/** @param {HTMLElement} element @param {Record<string, any>} variables */
function setVariables(element, variables) {
  for (const [name, value] of Object.entries(variables)) element.style.setProperty(name, String(value));
}
