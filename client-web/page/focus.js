// The focus. When a control that has it disappears or is disabled, browsers give it to the
// document, where keys do nothing and a screen reader starts over. Here a successor gets it
// instead. A region can name one with `data-focus`: selectors in order of preference, separated by
// ", ". An element with `data-takes` takes the focus from the regions of that selector when it
// appears.
//
// This module is loaded when something gets the focus for the first time, so that a first visit
// stays small.

/**
 * A control that has or had the focus. `around`: the elements around it, from the inside out.
 * @typedef {{ control: HTMLElement, around: Around[] }} Place
 */
/**
 * An element around a control. `index`: of the child that was the control or contained it.
 * @typedef {{ region: HTMLElement, children: Element[], index: number }} Around
 */

const CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex]";
const HEADINGS = "h1, h2, h3";

/** Where the focus is, or was until it was lost. @type {Place | undefined} */
let held;
/** A page has been opened, and has not been given the focus yet. */
let isNewPage = false;
/** Where the focus was before a dialog took it. @type {Place | undefined} */
let beneath;
/** Elements with `data-takes` that have appeared before. @type {WeakSet<Element>} */
const known = new WeakSet(document.querySelectorAll("[data-takes]"));
/** The player used a pointer last: then the page is not scrolled to the focus. */
let isPointer = false;

/** @param {HTMLElement} control @returns {Place} */
function placeOf(control) {
  /** @type {Around[]} */
  const around = [];
  for (let child = control, region = control.parentElement; region; child = region, region = region.parentElement) {
    const children = [...region.children];
    around.push({ region, children, index: children.indexOf(child) });
  }
  return { control, around };
}

/** Where the focus is now; undefined if nothing has it. @returns {Place | undefined} */
function here() {
  const control = /** @type {HTMLElement | null} */ (document.activeElement);
  return control && control !== document.body ? placeOf(control) : undefined;
}

/** A page was opened: it gets the focus as soon as it is there. */
export function focusPage() {
  isNewPage = true;
  keepFocus();
}

/** @param {Place | undefined} place */
function isInDialog(place) {
  return place?.around.some(({ region }) => region.matches("dialog")) ?? false;
}

/** The focus is somewhere else now. */
function follow() {
  const now = here();
  if (isInDialog(now) && !isInDialog(held)) beneath = held;
  held = now;
  isNewPage = false;
}

/** Finds a successor if the focus is lost. If there is none yet, the next change tries again. */
function keepFocus() {
  const now = /** @type {HTMLElement | null} */ (document.activeElement);
  for (const taker of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-takes]"))) {
    if (known.has(taker)) continue;
    known.add(taker);
    if (now?.closest(taker.dataset.takes ?? "") && isUsable(taker)) return give(taker);
  }
  if (isNewPage) {
    const start = startOfPage();
    if (start) give(start);
    return;
  }
  if (!held || (now && now !== document.body && !isOff(now))) return;
  // A dialog that was closed leaves the focus to what had it before.
  if (beneath && !held.control.isConnected && isInDialog(held)) held = beneath;
  const { control } = held;
  // A control that waits for an answer comes back.
  if (control.isConnected && control.getAttribute("aria-busy") === "true") return;
  const next = isUsable(control) ? control : successor(held);
  if (next) give(next);
}

/** @param {HTMLElement} element */
function give(element) {
  if (!element.matches(CONTROLS)) element.tabIndex = -1;
  element.focus({ preventScroll: isPointer });
  // A window in the background sends no events of its focus.
  held = here();
  isNewPage = false;
}

/** @param {Element} element */
function isOff(element) {
  return element.matches(":disabled");
}

/** @param {Element} element */
function isUsable(element) {
  return element.isConnected && !isOff(element) && element.checkVisibility();
}

/** Where the focus goes from a place that has lost it. @param {Place} place @returns {HTMLElement | undefined} */
function successor({ control, around }) {
  const left = around.filter(({ region }) => region.isConnected);
  const within = left.filter(({ region }) => region.id !== "main");
  return first(left.slice(0, 1), (one) => replacement(one, control))
    ?? first(left, ({ region, index }) => (region.matches("ul, ol, tbody") ? inNextRow(region, index, control) : undefined))
    ?? first(within, ({ region }) => named(region))
    ?? first(left, ({ region }) => (region.matches("section, form, fieldset, dialog") ? headingOf(region) : undefined))
    ?? startOfPage();
}

/** Where a page begins, if it is there. */
function startOfPage() {
  const main = document.querySelector("#main");
  return main ? named(main) : undefined;
}

/** The first result that there is. @template T, U @param {readonly T[]} list @param {(one: T) => U | undefined} find @returns {U | undefined} */
function first(list, find) {
  for (const one of list) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The successor that a region names: one of its elements, or itself. @param {Element} region @returns {HTMLElement | undefined} */
function named(region) {
  const { focus } = /** @type {HTMLElement} */ (region).dataset;
  if (!focus) return undefined;
  const all = /** @type {HTMLElement[]} */ ([region, ...region.querySelectorAll("*")]);
  return first(focus.split(", "), (selector) => all.find((element) => element.matches(selector) && isUsable(element)));
}

/** What came in place of a control, or of what it was in. @param {Around} around @param {HTMLElement} control @returns {HTMLElement | undefined} */
function replacement({ region, children, index }, control) {
  const there = region.children[index];
  if (!there || children.includes(there)) return undefined;
  const wasControl = children[index] === control;
  const all = /** @type {HTMLElement[]} */ ([there, ...(wasControl ? there.querySelectorAll("*") : [])]);
  return all.find((element) => element.matches(CONTROLS) && isUsable(element));
}

/**
 * The same control of the nearest row. Another one would be a trap for those who press a key
 * twice.
 * @param {Element} list @param {number} index @param {HTMLElement} control @returns {HTMLElement | undefined}
 */
function inNextRow(list, index, control) {
  const rows = [...list.children];
  const text = control.textContent;
  return first([...rows.slice(index), ...rows.slice(0, index).reverse()], (row) =>
    /** @type {HTMLElement[]} */ ([...row.querySelectorAll(CONTROLS)]).find((other) => other.textContent === text && isUsable(other)));
}

/** @param {Element} region @returns {HTMLElement | undefined} */
function headingOf(region) {
  return /** @type {HTMLElement[]} */ ([...region.querySelectorAll(HEADINGS)]).find(isUsable);
}

document.addEventListener("focusin", follow);
// A click beside all controls takes the focus from them on purpose.
document.addEventListener("click", () => (held = here()), { capture: true });
document.addEventListener("pointerdown", () => (isPointer = true), { capture: true });
document.addEventListener("keydown", () => (isPointer = false), { capture: true });
new MutationObserver(keepFocus).observe(document.body, {
  subtree: true, childList: true, attributeFilter: ["disabled", "aria-busy", "hidden", "open"],
});
held = here();
