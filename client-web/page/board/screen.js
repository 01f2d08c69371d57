// The board on the screen: where squares lie, the strips beyond joined edges, and pointers.

import { columnOf, rowOf, squareAt } from "../game/notation.js";

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

// Pointers on the board: a press, a drag, or a question (a right click or a long press).

/** A pointer that has moved so far drags. */
const DRAG_PX = 6;
/** A pointer that rests so long asks. */
const ASK_MS = 500;

/**
 * @typedef {object} DragHandlers
 * @property {(x: number, y: number) => string | undefined} squareAt The square at a point of the window.
 * @property {(square: string) => boolean} mayLift
 * @property {(square: string) => void} press
 * @property {(square: string) => void} ask
 * @property {(square: string) => void} lift
 * @property {(square: string, dx: number, dy: number, over: string | undefined, isTouch: boolean) => void} carry
 * @property {(square: string, over: string | undefined) => void} drop
 * @property {(square: string) => void} cancel
 */

/** @param {HTMLElement} element @param {DragHandlers} handlers */
export function listenToPointers(element, handlers) {
  /** @type {{ id: number, square: string, x: number, y: number, isLifted: boolean, timer: ReturnType<typeof setTimeout> } | undefined} */
  let held;

  /** @param {PointerEvent} event */
  function down(event) {
    const square = handlers.squareAt(event.clientX, event.clientY);
    if (held || !square || event.button !== 0 || !event.isPrimary) return;
    const timer = setTimeout(() => {
      if (held && !held.isLifted && event.pointerType !== "mouse") {
        held = undefined;
        handlers.ask(square);
      }
    }, ASK_MS);
    held = { id: event.pointerId, square, x: event.clientX, y: event.clientY, isLifted: false, timer };
    element.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  function move(event) {
    if (!held || held.id !== event.pointerId) return;
    const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
    if (!held.isLifted) {
      if (Math.hypot(dx, dy) < DRAG_PX || !handlers.mayLift(held.square)) return;
      clearTimeout(held.timer);
      held.isLifted = true;
      handlers.lift(held.square);
    }
    const over = handlers.squareAt(event.clientX, event.clientY);
    handlers.carry(held.square, dx, dy, over, event.pointerType === "touch");
  }

  /** @param {PointerEvent} event */
  function up(event) {
    if (!held || held.id !== event.pointerId) return;
    const { square, isLifted, timer } = held;
    held = undefined;
    clearTimeout(timer);
    const over = handlers.squareAt(event.clientX, event.clientY);
    if (isLifted) handlers.drop(square, over);
    else if (over === square) handlers.press(square);
  }

  function cancel() {
    if (!held) return;
    const { square, isLifted, timer } = held;
    held = undefined;
    clearTimeout(timer);
    if (isLifted) handlers.cancel(square);
  }

  element.addEventListener("pointerdown", down);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", cancel);
  element.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    const square = handlers.squareAt(event.clientX, event.clientY);
    if (square && !held) handlers.ask(square);
  });
  return { cancel };
}
