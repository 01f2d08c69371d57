// A board alone on a page, for tests: they drive it through `window.flagfall`.

import { Board } from "/assets/dev/board/board.js";

const told = [];
const handlers = {
  press: (square) => told.push(`press ${square}`),
  ask: (square) => told.push(`ask ${square}`),
  mayLift: (square) => window.flagfall.liftable.includes(square),
  drop: (from, to) => told.push(`drop ${from} ${to ?? "off"}`),
  letGo: () => told.push("let go"),
  movable: () => window.flagfall.liftable,
  key: (event, square) => event.code === "KeyL" && Boolean(told.push(`key l ${square}`)),
};
window.flagfall = { liftable: [], told, handlers };
window.flagfall.board = new Board(document.querySelector("#host"), handlers);
