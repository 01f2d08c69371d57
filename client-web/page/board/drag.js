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
