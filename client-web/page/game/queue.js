// Queued moves as people type them: `a4a5 if b7b6, a5a6`.

import { byKeys } from "./hand.js";
import { colorOf, letterOf, rankOf } from "./rules.js";

/** @typedef {import("../../types/api").QueuedMove} QueuedMove */
/** @typedef {import("../../types/messages").GameCommand} GameCommand */

/** How many moves can be queued. */
export const MOST = 20;

const SQUARE = "[a-p](?:10|[1-9])";
const MOVE = new RegExp(`^(${SQUARE}${SQUARE})([+-])?(?:=([rybg]))?$`);
const PLACE = new RegExp(`^place ([1-9sbp])(\\^)? (${SQUARE})(?:=([rybg]))?$`);
const REMOVE = new RegExp(`^remove (${SQUARE})$`);

/**
 * Reads moves, separated by commas or lines. `wrong`: the part that is none.
 * @param {string} text @returns {{ moves: QueuedMove[] } | { wrong: string }}
 */
export function readQueue(text) {
  const moves = [];
  for (const part of text.toLowerCase().split(/[,\n]/).map((part) => part.trim().replace(/\s+/g, " ")).filter(Boolean)) {
    const [act = "", condition, ...rest] = byKeys(part).split(" if ");
    const command = readAct(act);
    const after = condition === undefined ? undefined : MOVE.exec(condition)?.[1];
    if (!command || rest.length > 0 || (condition !== undefined && !after)) return { wrong: part };
    moves.push({ command, ...(after ? { if: after } : {}) });
  }
  return { moves };
}

/** @param {string} text @returns {GameCommand | undefined} */
function readAct(text) {
  const move = MOVE.exec(text);
  if (move?.[1]) {
    const color = move[3] ? colorOf(move[3]) : undefined;
    return { kind: "move", move: move[1], ...(move[2] ? { path: /** @type {"+" | "-"} */ (move[2]) } : {}), ...(color ? { color } : {}) };
  }
  const place = PLACE.exec(text);
  const rank = place?.[1] ? rankOf(place[1]) : undefined;
  if (rank && place?.[3]) {
    const color = place[4] ? colorOf(place[4]) : undefined;
    return { kind: "place", square: place[3], rank, ...(place[2] ? { labeled: true } : {}), ...(color ? { color } : {}) };
  }
  const square = REMOVE.exec(text)?.[1];
  return square ? { kind: "remove", square } : undefined;
}

/** @param {readonly QueuedMove[]} moves */
export function writeQueue(moves) {
  return moves.map((queued) => actText(queued.command) + (queued.if ? ` if ${queued.if}` : "")).join(", ");
}

/** @param {GameCommand} command */
export function actText(command) {
  switch (command.kind) {
    case "move": return command.move + (command.path ?? "") + (command.color ? `=${command.color[0]}` : "");
    case "place": return `place ${letterOf(command.rank)}${command.labeled ? "^" : ""} ${command.square}${command.color ? `=${command.color[0]}` : ""}`;
    case "remove": return `remove ${command.square}`;
    default: return command.kind;
  }
}
