// Moves queued from the board, in games with days per move. The server makes them when their turns come.

import { lay } from "../game/follow.js";
import { letterOf, parseMove, squareOf } from "../game/rules.js";
import { MOST, actText, readQueue } from "../game/queue.js";
import { hasJoints, plannedTargets, wayTo } from "../game/reach.js";
import { confirm } from "../parts/dialog.js";
import { change } from "../parts/load.js";
import { moreWords, say, show } from "../state.js";
import { h } from "../vendor/library.js";

/** @typedef {import("../../types/api").MoveQueue} MoveQueue */
/** @typedef {import("../../types/api").QueuedMove} QueuedMove */
/** @typedef {import("../../types/messages").GameCommand} GameCommand */
/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../board/board.js").Ahead} Ahead */
/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("./control.js").GameControl} GameControl */

/**
 * The queued moves: on the board, and the position after them as far as it can be known.
 * @typedef {object} Queued
 * @property {readonly QueuedMove[]} moves
 * @property {readonly string[]} squares Those of moves on the board.
 * @property {readonly Ahead[]} ahead
 * @property {GameView} view
 * @property {() => any[]} buttons Take moves back.
 */

/** The server has these moves. @param {GameControl} control @param {MoveQueue} queue */
export async function take(control, { moves }) {
  const { view, rules } = control;
  await moreWords();
  if (!view || !rules || control.view?.ply !== view.ply) return;
  control.queued.value = moves.length === 0 ? undefined : {
    moves,
    squares: moves.flatMap(({ command }) => (command.kind === "move" ? [command.move] : [])),
    ...after(view, rules, moves),
    buttons: () => buttons(control, moves),
  };
}

/**
 * The position after queued moves, if the opponent does nothing and every strike is won; and the moves as
 * the board draws them.
 * @param {Readonly<GameView>} before @param {Rules} rules @param {readonly QueuedMove[]} moves
 * @returns {{ view: GameView, ahead: Ahead[] }}
 */
export function after(before, rules, moves) {
  const view = { ...before };
  /** @type {Ahead[]} */
  const ahead = [];
  /** @param {string[]} squares @param {string} [piece] */
  const replace = (squares, piece) => {
    view.pieces = [...view.pieces.filter((text) => !squares.includes(squareOf(text))), ...(piece ? [piece] : [])];
  };
  for (const { command } of moves) {
    if (command.kind === "move") {
      const { from, to } = parseMove(command.move);
      const piece = view.pieces.find((text) => squareOf(text) === from);
      const way = wayTo(plannedTargets(view, rules, from), to, command.path ?? undefined);
      if (!piece) continue;
      ahead.push({ from, to, piece, path: way?.path ?? (hasJoints(rules) ? undefined : [to]), kind: "planned" });
      const color = command.color ?? colorOn(view, from);
      if (rules.chips && color) lay(view, command.color ? [to] : way?.path ?? [], color);
      replace([from, to], to + piece.slice(from.length).replace(/^([rb](?:\[[^\]]+\]|.))'?/u, "$1'"));
    } else if (command.kind === "place") {
      const { square, rank, labeled, color } = command;
      const piece = `${square}${before.audience === "red" ? "r" : "b"}${letterOf(rank)}${labeled ? "^" : ""}`;
      ahead.push({ to: square, piece, kind: "planned" });
      if (color) lay(view, [square], color);
      replace([square], piece);
    } else if (command.kind === "remove") {
      replace([command.square]);
    }
  }
  return { view, ahead };
}

/** The color of the chip on a square. @param {Readonly<GameView>} view @param {string} square */
function colorOn({ chips }, square) {
  return /** @type {import("../../types/messages").ChipColor | undefined} */ (Object.entries(chips ?? {}).find(([, squares]) => squares.includes(square))?.[0]);
}

/** Offers to queue a turn after those that are queued. @param {GameControl} control @param {GameCommand} command */
export async function offer(control, command) {
  await moreWords();
  const queued = control.queued.value?.moves ?? [];
  const move = actText(command);
  if (queued.length >= MOST) return show(say("queue-length", { max: MOST }));
  let condition = "";
  const content = h("label", { class: "field" }, h("span", null, say("queue-condition")),
    h("input", {
      class: "typed", autocomplete: "off", spellcheck: false, autocapitalize: "off", placeholder: "b7b6",
      onInput: (/** @type {any} */ event) => (condition = event.target.value.trim()),
    }));
  const text = [
    say("queue-offer-text"),
    ...(queued.length > 0 ? [say("queue-after", { moves: queued.map(({ command }) => actText(command)).join(", ") })] : []),
  ].join(" ");
  if (!await confirm({ title: say("queue-offer", { move }), text, yes: say("queue-offer-yes"), content })) return;
  const read = condition ? readQueue(`${move} if ${condition}`) : { moves: [{ command }] };
  if ("wrong" in read) return show(say("queue-wrong", { typed: condition }));
  await put(control, [...queued, ...read.moves.map((one) => ({ ...one, command }))]);
}

/** Replaces the queue. @param {GameControl} control @param {readonly QueuedMove[]} moves */
async function put(control, moves) {
  const { loaded } = control;
  if (!loaded) return;
  const path = `/api/games/${control.id}/queue`;
  const done = moves.length === 0 ? await change("DELETE", path)
    : await change("PUT", path, { ply: loaded.view.ply, epoch: loaded.epoch, moves });
  if ("trouble" in done) return show(done.trouble);
  await take(control, { game: control.id, ply: loaded.view.ply + 1, moves: [...moves] });
  show(moves.length === 0 ? say("queue-cleared") : say("queue-set", { count: moves.length }));
}

/** @param {GameControl} control @param {readonly QueuedMove[]} moves */
function buttons(control, moves) {
  const last = moves.at(-1);
  /** @param {string} text @param {readonly QueuedMove[]} left */
  const button = (text, left) => h("button", { class: "button compact", key: text, onClick: () => void put(control, left) }, text);
  return [
    last ? button(say("queue-back", { move: actText(last.command), if: last.if ?? "none" }), moves.slice(0, -1)) : null,
    moves.length > 1 ? button(say("queue-clear"), []) : null,
  ];
}
