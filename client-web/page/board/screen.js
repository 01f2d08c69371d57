// The board on the screen: where squares and ways lie, the strips beyond joined edges, pointers, and
// events shown one after the other.

import { columnOf, rowOf, squareAt } from "../game/rules.js";
import { svg } from "./pieces.js";

/** @typedef {import("../game/rules.js").Rules} Rules */

/**
 * `below` is the side nearest the player. A turned board has that side on the left, so that a
 * wide board fits an upright phone.
 * @typedef {object} Geometry
 * @property {number} columns Of the board.
 * @property {number} rows Of the board.
 * @property {"red" | "blue"} below
 * @property {boolean} isTurned
 */

/** How many squares the board is wide and high on the screen. @param {Geometry} geometry */
export function extent({ columns, rows, isTurned }) {
  return isTurned ? { across: rows, down: columns } : { across: columns, down: rows };
}

/** Where a square is on the screen, from the upper left. @param {Geometry} geometry @param {string} square */
export function place({ columns, rows, below, isTurned }, square) {
  const column = below === "red" ? columnOf(square) : columns - 1 - columnOf(square);
  const row = below === "red" ? rowOf(square) : rows - 1 - rowOf(square);
  return isTurned ? { x: row, y: column } : { x: column, y: rows - 1 - row };
}

/** The square at a place on the screen. @param {Geometry} geometry @param {number} x @param {number} y */
export function squareIn({ columns, rows, below, isTurned }, x, y) {
  const [column, row] = isTurned ? [y, x] : [x, rows - 1 - y];
  if (column < 0 || column >= columns || row < 0 || row >= rows) return undefined;
  return below === "red" ? squareAt(column, row) : squareAt(columns - 1 - column, rows - 1 - row);
}

/**
 * The square next to one in a direction of the screen, through a joint where the board has one.
 * @param {Geometry} geometry @param {Rules} rules @param {string} square @param {number} dx @param {number} dy
 */
export function neighbor(geometry, rules, square, dx, dy) {
  const { x, y } = place(geometry, square);
  const next = squareIn(geometry, x + dx, y + dy);
  if (next) return next;
  const { across, down } = extent(geometry);
  const isAlongRow = (dx !== 0) !== geometry.isTurned;
  const isJoined = isAlongRow
    ? rules.joined_rows.includes(rowOf(square) + 1)
    : rules.joined_columns.includes(square[0] ?? "");
  return isJoined ? squareIn(geometry, (x + dx + across) % across, (y + dy + down) % down) : undefined;
}

/** The square that a key goes to from another one. @param {Geometry} geometry @param {Rules} rules @param {string} key @param {string} square */
export function squareByKey(geometry, rules, key, square) {
  const { x, y } = place(geometry, square);
  const { across, down } = extent(geometry);
  /** @param {number} dx @param {number} dy */
  const go = (dx, dy) => neighbor(geometry, rules, square, dx, dy) ?? square;
  switch (key) {
    case "ArrowLeft": return go(-1, 0);
    case "ArrowRight": return go(1, 0);
    case "ArrowUp": return go(0, -1);
    case "ArrowDown": return go(0, 1);
    case "Home": return squareIn(geometry, 0, y);
    case "End": return squareIn(geometry, across - 1, y);
    case "PageUp": return squareIn(geometry, x, 0);
    case "PageDown": return squareIn(geometry, x, down - 1);
    default: return undefined;
  }
}

/**
 * The square at a point, also where a strip shows it. The board is 1 wide and 1 high.
 * @param {Geometry} geometry @param {Rules} rules @param {number} left @param {number} top
 */
export function squareAround(geometry, rules, left, top) {
  const { across, down } = extent(geometry);
  const [x, y] = [Math.floor(left * across), Math.floor(top * down)];
  const [inX, inY] = [Math.min(across - 1, Math.max(0, x)), Math.min(down - 1, Math.max(0, y))];
  const edge = squareIn(geometry, inX, inY);
  const away = Math.abs(x - inX) + Math.abs(y - inY);
  if (away === 0) return edge;
  return edge && away === 1 ? neighbor(geometry, rules, edge, x - inX, y - inY) : undefined;
}

/** The letters and numbers at two edges. @param {Geometry} geometry */
export function labelsOf(geometry) {
  const { across, down } = extent(geometry);
  /** @param {number} x @param {number} y @param {"left" | "foot"} edge */
  const label = (x, y, edge) => {
    const square = squareIn(geometry, x, y) ?? "";
    const element = make("span", edge);
    element.textContent = ((edge === "left") === geometry.isTurned ? square[0] : square.slice(1)) ?? "";
    setVariables(element, { "--x": x, "--y": y });
    return element;
  };
  return [
    ...Array.from({ length: down }, (_, y) => label(0, y, "left")),
    ...Array.from({ length: across }, (_, x) => label(x, down - 1, "foot")),
  ];
}

// Ways over the board and through joined edges.

/** Part of a way over the board. @typedef {{ from: { x: number, y: number }, to: { x: number, y: number } }} Leg */

/** An arrow along a way. @param {readonly Leg[]} legs @param {string} name */
export function drawArrow(legs, name) {
  const shafts = legs.map(({ from, to }, index) => {
    const [dx, dy] = [Math.sign(to.x - from.x), Math.sign(to.y - from.y)];
    // The last move comes from an empty square; a move that is not made yet, from its piece.
    const start = name === "last-arrow" || index > 0 ? 0 : 0.42;
    const shaft = `M${from.x + 0.5 + dx * start} ${from.y + 0.5 + dy * start}L`;
    if (index < legs.length - 1) return `${shaft}${to.x + 0.5} ${to.y + 0.5}`;
    const [x, y] = [to.x + 0.5 - dx * 0.46, to.y + 0.5 - dy * 0.46];
    return `${shaft}${x} ${y}M${x - dx * 0.2 - dy * 0.14} ${y - dy * 0.2 - dx * 0.14}L${x} ${y}`
      + `L${x - dx * 0.2 + dy * 0.14} ${y - dy * 0.2 + dx * 0.14}`;
  });
  return svg("path", { class: name, d: shafts.join("") });
}

const DIRECTIONS = /** @type {const} */ ([[0, -1], [1, 0], [0, 1], [-1, 0]]);

/**
 * The ways from one square to another in a straight line: the squares of each, with both ends.
 * @param {Geometry} geometry @param {Rules} rules @param {string} from @param {string} to
 * @param {(square: string) => boolean} isFree True if nothing stands on a square between.
 */
export function waysBetween(geometry, rules, from, to, isFree) {
  return DIRECTIONS.flatMap(([dx, dy]) => {
    const way = [from];
    for (let next = neighbor(geometry, rules, from, dx, dy); next && next !== from; next = neighbor(geometry, rules, next, dx, dy)) {
      way.push(next);
      if (next === to) return [way];
      if (!isFree(next)) return [];
    }
    return [];
  });
}

/**
 * The parts of a way on the screen: it leaves the board at one edge and enters it at the other.
 * @param {Geometry} geometry @param {readonly string[]} way Its squares, with both ends. @returns {Leg[]}
 */
export function legsOf(geometry, way) {
  const places = way.map((square) => place(geometry, square));
  let from = places[0] ?? { x: 0, y: 0 };
  let at = from;
  /** @type {Leg[]} */
  const legs = [];
  for (const next of places.slice(1)) {
    const [dx, dy] = [next.x - at.x, next.y - at.y];
    if (Math.abs(dx) + Math.abs(dy) > 1) {
      const [x, y] = [Math.sign(dx), Math.sign(dy)];
      legs.push({ from, to: { x: at.x - x, y: at.y - y } });
      from = { x: next.x + x, y: next.y + y };
    }
    at = next;
  }
  return [...legs, { from, to: at }];
}

/** A place of a strip, in squares from the upper left of the board. @typedef {{ square: string, x: number, y: number }} Ghost */

/** @param {Geometry} geometry @param {Rules} rules @returns {Ghost[]} */
export function ghosts(geometry, rules) {
  const { across, down } = extent(geometry);
  const found = [];
  for (let x = 0; x < across; x++) {
    found.push(ghost(geometry, rules, x, 0, 0, -1), ghost(geometry, rules, x, down - 1, 0, 1));
  }
  for (let y = 0; y < down; y++) {
    found.push(ghost(geometry, rules, 0, y, -1, 0), ghost(geometry, rules, across - 1, y, 1, 0));
  }
  return found.flatMap((one) => one ?? []);
}

/**
 * @param {Geometry} geometry @param {Rules} rules @param {number} x @param {number} y
 * @param {number} dx @param {number} dy @returns {Ghost | undefined}
 */
function ghost(geometry, rules, x, y, dx, dy) {
  const edge = squareIn(geometry, x, y);
  const square = edge && neighbor(geometry, rules, edge, dx, dy);
  return square ? { square, x: x + dx, y: y + dy } : undefined;
}

/** How much room the strips take on each side, in squares. @param {Geometry} geometry @param {Rules} rules */
export function strips(geometry, rules) {
  const [rows, columns] = [rules.joined_rows.length > 0, rules.joined_columns.length > 0];
  const [sides, ends] = geometry.isTurned ? [columns, rows] : [rows, columns];
  return { x: sides ? 0.5 : 0, y: ends ? 0.5 : 0 };
}

/** @param {string} name @param {string} className */
export function make(name, className) {
  const element = document.createElement(name);
  element.className = className;
  return element;
}

/** A layer of pictures, which only those who see the board need. @param {string} className */
export function layer(className) {
  const element = make("div", `layer ${className}`);
  element.setAttribute("aria-hidden", "true");
  return element;
}

/** @param {HTMLElement} element @param {Record<string, any>} variables */
export function setVariables(element, variables) {
  for (const [name, value] of Object.entries(variables)) element.style.setProperty(name, String(value));
}

/**
 * Enlarges a board whose squares are too small for fingers: it scrolls then, to this square. Most boards are as
 * wide as the screen, so theirs may be smaller. True if it did.
 * @param {HTMLElement} host @param {ReadonlyMap<string, HTMLElement>} cells @param {string} square
 */
export function enlarge(host, cells, square) {
  const cell = cells.get(square);
  if (!cell || host.hasAttribute("data-enlarged") || cell.clientWidth >= (cells.size > 100 ? 40 : 28)) return false;
  host.setAttribute("data-enlarged", "");
  const [frame, { left, top, width, height }] = [host.getBoundingClientRect(), cell.getBoundingClientRect()];
  host.scrollBy(left - frame.left + (width - frame.width) / 2, top - frame.top + (height - frame.height) / 2);
  return true;
}

/** Shows a board as a whole again. False if it was so. @param {HTMLElement} host */
export function shrink(host) {
  if (!host.hasAttribute("data-enlarged")) return false;
  host.removeAttribute("data-enlarged");
  host.scrollTo(0, 0);
  return true;
}

/** False where an enlarged board is out of sight. @param {HTMLElement} host @param {number} x @param {number} y */
export function isInSight(host, x, y) {
  const { left, right, top, bottom } = host.getBoundingClientRect();
  return !host.hasAttribute("data-enlarged") || (x >= left && x <= right && y >= top && y <= bottom);
}

// Pointers on the board: a press, a drag, or a question (a right click or a long press).

/** A pointer that has moved so far drags. */
const DRAG_PX = 6;
/** A pointer that rests so long asks. */
const ASK_MS = 500;

/**
 * What is held is named by its square, or by its id in a tray.
 * @typedef {object} DragHandlers
 * @property {(event: PointerEvent | MouseEvent) => string | undefined} heldAt What a pointer would take.
 * @property {(x: number, y: number) => string | undefined} squareAt The square at a point of the window.
 * @property {(held: string) => boolean} mayLift
 * @property {(held: string, isTouch: boolean) => void} press
 * @property {(held: string) => void} ask
 * @property {(held: string) => void} lift
 * @property {(held: string, way: DragWay) => void} carry
 * @property {(held: string, over: string | undefined) => void} drop
 * @property {(held: string) => void} cancel
 */

/**
 * How far a pointer has gone, and where it is in the window.
 * @typedef {{ dx: number, dy: number, x: number, y: number, over: string | undefined, isTouch: boolean }} DragWay
 */

/** @param {HTMLElement} element @param {DragHandlers} handlers */
export function listenToPointers(element, handlers) {
  /** @type {{ id: number, what: string, x: number, y: number, isLifted: boolean, hasAsked: boolean, timer: ReturnType<typeof setTimeout> } | undefined} */
  let held;
  let hasDragged = false;

  /** @param {PointerEvent} event */
  function down(event) {
    hasDragged = false;
    const what = handlers.heldAt(event);
    if (held || !what || event.button !== 0 || !event.isPrimary) return;
    const timer = setTimeout(() => {
      if (!held || held.isLifted || event.pointerType === "mouse") return;
      // A finger that has rested may still drag.
      held.hasAsked = true;
      handlers.ask(what);
    }, ASK_MS);
    held = { id: event.pointerId, what, x: event.clientX, y: event.clientY, isLifted: false, hasAsked: false, timer };
    // A click goes to what has the pointer: a button keeps its own.
    const button = /** @type {Element} */ (event.target).closest("button");
    (button ?? element).setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  function move(event) {
    if (!held || held.id !== event.pointerId) return;
    const { clientX: x, clientY: y } = event;
    const [dx, dy] = [x - held.x, y - held.y];
    if (!held.isLifted) {
      if (Math.hypot(dx, dy) < DRAG_PX || !handlers.mayLift(held.what)) return;
      clearTimeout(held.timer);
      held.isLifted = true;
      handlers.lift(held.what);
    }
    handlers.carry(held.what, { dx, dy, x, y, over: handlers.squareAt(x, y), isTouch: event.pointerType === "touch" });
  }

  /** @param {PointerEvent} event */
  function up(event) {
    if (!held || held.id !== event.pointerId) return;
    const { what, isLifted, hasAsked, timer } = held;
    held = undefined;
    clearTimeout(timer);
    hasDragged = isLifted;
    const over = handlers.squareAt(event.clientX, event.clientY);
    if (isLifted) handlers.drop(what, over);
    else if (over === what && !hasAsked) handlers.press(what, event.pointerType === "touch");
  }

  function cancel() {
    if (!held) return;
    const { what, isLifted, timer } = held;
    held = undefined;
    clearTimeout(timer);
    if (isLifted) handlers.cancel(what);
  }

  element.addEventListener("pointerdown", down);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", cancel);
  // The end of a drag is no click. Clicks by keys have no detail.
  element.addEventListener("click", (event) => hasDragged && event.detail > 0 && event.stopPropagation(), true);
  element.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    const what = handlers.heldAt(event);
    if (what && !held) handlers.ask(what);
  });
  return { cancel };
}

/**
 * @typedef {object} TrayHandlers
 * @property {(id: string) => Omit<import("../game/rules.js").Piece, "square">} pieceOf
 * @property {(id: string) => void} ask What is this piece?
 * @property {(id: string) => void} lift
 * @property {(id: string, square: string | undefined) => void} drop Undefined: beside the board, or nowhere.
 */

/**
 * Lets pieces of a tray be dragged onto a board, as those on it are. The tray's buttons have their
 * ids in `data-piece`.
 * @param {HTMLElement} tray @param {import("./board.js").Board} board @param {TrayHandlers} handlers
 */
export function listenToTray(tray, board, { pieceOf, ask, lift, drop }) {
  /** @type {HTMLElement | undefined} */
  let carried;
  /** @param {string} id @param {string | undefined} [square] */
  const put = (id, square) => {
    carried?.remove();
    board.markOver(undefined);
    drop(id, square);
  };
  return listenToPointers(tray, {
    heldAt: ({ target }) => /** @type {Element} */ (target).closest("button:enabled")?.getAttribute("data-piece") ?? undefined,
    squareAt: (x, y) => board.squareAtPoint(x, y),
    mayLift: () => true,
    // The buttons hear of clicks themselves.
    press: () => undefined,
    ask,
    lift: (id) => {
      carried = board.drawCarried(pieceOf(id));
      lift(id);
    },
    carry: (_, way) => carried && board.carryIn(carried, way),
    drop: put,
    cancel: put,
  });
}

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").GameEvent} GameEvent */
/** What to do, and the milliseconds until the next step. @typedef {{ ms: number, act: () => void }} Step */

/** Of more events that wait, only the latest is animated: the board must not fall behind. */
const MOST_WAITING = 3;

/** Shows events one after the other, each when the motion of the one before has ended. */
export class Playback {
  /** @type {{ event: GameEvent, after: Readonly<GameView> }[]} */
  #waiting = [];
  /** Stops the motion that is under way, and returns the position after it. @type {(() => Readonly<GameView>) | undefined} */
  #stop;

  /**
   * @param {(event: GameEvent, after: Readonly<GameView>) => Step[] | undefined} begin Returns the motion of an event, if it has one.
   * @param {(after: Readonly<GameView>) => void} end Shows the position after an event.
   */
  constructor(begin, end) {
    this.begin = begin;
    this.end = end;
  }

  /** True while an event is animated. */
  get isMoving() {
    return this.#stop !== undefined;
  }

  /** How many of the last events are not shown yet. */
  get unshown() {
    return this.#waiting.length + (this.isMoving ? 1 : 0);
  }

  /** Shows what an event did, after the events before it. @param {GameEvent} event @param {Readonly<GameView>} after */
  play(event, after) {
    if (this.#waiting.length >= MOST_WAITING) this.finish();
    this.#waiting.push({ event, after });
    if (!this.isMoving) this.#playNext();
  }

  #playNext() {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { event, after } = next;
      const motion = this.begin(event, after);
      if (motion) return this.#move(motion, after);
      this.end(after);
    }
  }

  /** @param {Step[]} motion @param {Readonly<GameView>} after */
  #move(motion, after) {
    /** @type {ReturnType<typeof setTimeout>[]} */
    const timers = [];
    this.#stop = () => {
      timers.forEach(clearTimeout);
      this.#stop = undefined;
      return after;
    };
    let at = 0;
    for (const { ms, act } of motion) {
      timers.push(setTimeout(act, at));
      at += ms;
    }
    timers.push(setTimeout(() => {
      this.#stop = undefined;
      this.end(after);
      this.#playNext();
    }, at));
  }

  /** Shows at once all that has happened. */
  finish() {
    const after = this.#stop?.();
    const last = this.#waiting.at(-1)?.after ?? after;
    this.#waiting = [];
    if (last) this.end(last);
  }

  /** Forgets what has not been shown. */
  clear() {
    this.#stop?.();
    this.#waiting = [];
  }
}
