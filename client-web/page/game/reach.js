// What a viewer may do on their turn, from their view and the rules as data, and what they plan. The
// server decides; this only says what to offer.

import { RANKS, columnOf, homeSquares, isMovable, isRunner, parseMove, parsePiece, rankOf, rowOf, squareAt, squareOf } from "./rules.js";

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").GameCommand} GameCommand */
/** @typedef {import("../../types/messages").ChipColor} ChipColor */
/** @typedef {import("../../types/messages").GameEvent} GameEvent */
/** @typedef {import("./rules.js").Piece} Piece */
/** @typedef {import("./rules.js").Rank} Rank */
/** @typedef {import("./rules.js").Side} Side */
/** @typedef {import("./rules.js").Rules} Rules */

/**
 * What carries a piece: one square or a run; a long move that makes a coin a Scout; a supply
 * line; a flash.
 * @typedef {"legs" | "scout" | "supply_line" | "flash"} Carrier
 */

/**
 * One way to a square. `path` ends with the square; `sign` names the way in a command.
 * @typedef {object} Way
 * @property {string} to
 * @property {"+" | "-"} sign
 * @property {Carrier} by
 * @property {string[]} path
 * @property {boolean} strikes
 */

/**
 * A square that a piece can reach. The first way is the one that a command without a path takes.
 * @typedef {object} Target
 * @property {string} square
 * @property {Way[]} ways
 */

/** The four directions: steps in columns and rows, and the sign of a path along them. @type {[number, number, "+" | "-"][]} */
export const DIRECTIONS = [[0, 1, "+"], [1, 0, "+"], [0, -1, "-"], [-1, 0, "-"]];

/** The viewer's side if it is their turn to move. @param {Readonly<GameView>} view @returns {Side | undefined} */
export function sideToMove(view) {
  return view.audience !== "public" && view.turn === view.audience ? view.audience : undefined;
}

/**
 * The squares that the viewer's own piece on `from` can go to or strike now.
 * @param {Readonly<GameView>} view @param {Rules} rules @param {string} from @returns {Target[]}
 */
export function targets(view, rules, from) {
  if (!sideToMove(view) || view.owed_color || view.pending_strike) return [];
  return targetsOn(boardOf(view, rules), from);
}

/**
 * The squares that the viewer's own piece could go to if it were their turn, for planning ahead.
 * @param {Readonly<GameView>} view @param {Rules} rules @param {string} from @returns {Target[]}
 */
export function plannedTargets(view, rules, from) {
  if (view.audience === "public" || view.phase !== "playing") return [];
  return targetsOn(boardOf({ ...view, turn: view.audience, refused_moves: [] }, rules), from);
}

/** The way of a move among the targets of its piece. @param {readonly Target[]} targets @param {string} to @param {"+" | "-"} [sign] */
export function wayTo(targets, to, sign) {
  return targets.find(({ square }) => square === to)?.ways.find((way) => !sign || way.sign === sign);
}

/** True if a move along this way has to name the color of a chip. @param {Rules} rules @param {Way} way */
export function laysChip(rules, way) {
  return rules.chips && way.by !== "flash";
}

/** @param {Rules} rules */
export function hasJoints(rules) {
  return rules.joined_columns.length + rules.joined_rows.length > 0;
}

/**
 * The home squares on which a piece of the reserve can be placed.
 * @param {Readonly<GameView>} view @param {Rules} rules @param {Side} side
 */
export function freeHomeSquares(view, rules, side) {
  const taken = new Set([...view.pieces.map((piece) => parsePiece(piece).square), ...view.lakes]);
  return homeSquares(rules, side).filter((square) => !taken.has(square));
}

/**
 * What the viewer's coin in a strike may become, if they still owe a choice.
 * @param {Readonly<GameView>} view @returns {Rank[]}
 */
export function choices(view) {
  return choiceList(view).filter((choice) => !choice.refusal).map((choice) => choice.rank);
}

/**
 * Every rank, with the code of the refusal for those that the viewer's coin cannot become.
 * Empty if the viewer owes no choice.
 * @param {Readonly<GameView>} view
 * @returns {{ rank: Rank, refusal?: "not_in_pool" | "immovable" | "reserve_rule" }[]}
 */
export function choiceList(view) {
  const strike = view.pending_strike;
  const side = view.audience;
  if (!strike || side === "public" || view.phase !== "playing") return [];
  if (!strike.owes[side] || strike.own_choice) return [];
  const { from, to } = parseMove(strike.move);
  const square = side === strike.side ? from : to;
  const coins = coinsOf(view, side);
  const isUnmoved = coins.unmoved.has(square);
  return RANKS.map((rank) => {
    if ((coins.pool[rank] ?? 0) === 0) return { rank, refusal: "not_in_pool" };
    if (!isMovable(rank)) return isUnmoved ? { rank } : { rank, refusal: "immovable" };
    return isUnmoved && !coins.maySpare ? { rank, refusal: "reserve_rule" } : { rank };
  });
}

/** True if the reserve rule holds the viewer's coin on this square. @param {Readonly<GameView>} view @param {string} square */
export function isHeldByReserveRule(view, square) {
  if (view.audience === "public" || !view.pools) return false;
  const coins = coinsOf(view, view.audience);
  return coins.unmoved.has(square) && !coins.maySpare;
}

/**
 * A side's coins. At least as many coins must stay unmoved as the pool has Bombs and Flags.
 * @param {Readonly<GameView>} view @param {Side} side
 */
function coinsOf(view, side) {
  const pool = view.pools?.[side] ?? {};
  const coins = view.pieces.map(parsePiece).filter((piece) => piece.side === side && piece.identity === "o");
  const unmoved = new Set(coins.filter((piece) => !piece.moved).map((piece) => piece.square));
  return { pool, unmoved, maySpare: unmoved.size > (pool.bomb ?? 0) + (pool.flag ?? 0) };
}

/**
 * A board as its mover sees it.
 * @typedef {object} Board
 * @property {Rules} rules
 * @property {Map<string, Piece>} own
 * @property {Set<string>} foes
 * @property {Set<string>} lakes
 * @property {Map<string, string>} chips The colors of chips by their squares.
 * @property {Set<string>} refused
 * @property {ReturnType<typeof coinsOf> | undefined} coins
 */

/** @param {Readonly<GameView>} view @param {Rules} rules @returns {Board} */
export function boardOf(view, rules) {
  const pieces = view.pieces.map(parsePiece);
  const side = view.audience === "public" ? undefined : view.audience;
  const chips = Object.entries(view.chips ?? {});
  return {
    rules,
    own: new Map(pieces.filter((piece) => piece.side === side).map((piece) => [piece.square, piece])),
    foes: new Set(pieces.filter((piece) => piece.side !== side).map((piece) => piece.square)),
    lakes: new Set(view.lakes),
    chips: new Map(chips.flatMap(([color, squares]) => squares.map((square) => [square, color]))),
    refused: new Set(view.refused_moves ?? []),
    coins: side && view.pools ? coinsOf(view, side) : undefined,
  };
}

/** @param {Board} board @param {string} from @returns {Target[]} */
function targetsOn(board, from) {
  const piece = board.own.get(from);
  const gait = piece && gaitOf(board, piece);
  if (!gait) return [];
  const ways = DIRECTIONS.flatMap((direction) => waysAlong(board, from, gait, direction));
  // The shorter way first; of two equal ones, the one that counts up.
  ways.sort((a, b) => a.path.length - b.path.length || (a.sign === b.sign ? 0 : a.sign === "+" ? -1 : 1));
  /** @type {Map<string, Target>} */
  const found = new Map();
  for (const way of ways) {
    const target = found.get(way.to);
    if (target) target.ways.push(way);
    else found.set(way.to, { square: way.to, ways: [way] });
  }
  return [...found.values()];
}

/**
 * How a piece goes: whether it runs, what a run makes of it, and how far it flashes.
 * @typedef {{ runs: boolean, isCoin: boolean, flash: number }} Gait
 */

/** @param {Board} board @param {Piece} piece @returns {Gait | undefined} */
function gaitOf(board, piece) {
  if (piece.identity === "o") {
    const coins = board.coins;
    if (!coins || (!piece.moved && !coins.maySpare)) return undefined;
    return { runs: (coins.pool.scout ?? 0) > 0, isCoin: true, flash: 0 };
  }
  const rank = rankOf(piece.identity);
  if (!rank || !isMovable(rank)) return undefined;
  return { runs: isRunner(rank), isCoin: false, flash: board.rules.flashes[rank] ?? 0 };
}

/**
 * The ways of a piece in one direction, until something stands in its path.
 * @param {Board} board @param {string} from @param {Gait} gait @param {[number, number, "+" | "-"]} direction
 * @returns {Way[]}
 */
function waysAlong(board, from, gait, [columns, rows, sign]) {
  const { rules } = board;
  const color = board.chips.get(from);
  const ways = [];
  const path = [];
  let isLine = rules.supply_lines && color !== undefined;
  let isColored = color !== undefined;
  for (let to = next(rules, from, columns, rows); to && to !== from; to = next(rules, to, columns, rows)) {
    if (board.lakes.has(to) || board.own.has(to)) break;
    path.push(to);
    isLine = isLine && board.chips.get(to) === color;
    isColored = isColored && board.chips.has(to);
    const strikes = board.foes.has(to);
    const by = carrier(rules, gait, path.length, strikes, isLine, isColored);
    if (by && !board.refused.has(from + to)) ways.push({ to, sign, by, path: [...path], strikes });
    if (strikes) break;
  }
  return ways;
}

/**
 * What carries a piece so far, if anything does.
 * @param {Rules} rules @param {Gait} gait @param {number} distance @param {boolean} strikes
 * @param {boolean} isLine True if every chip of the path has the color of the first square.
 * @param {boolean} isColored True if every square of the path has a chip.
 * @returns {Carrier | undefined}
 */
function carrier(rules, gait, distance, strikes, isLine, isColored) {
  if (distance === 1) return "legs";
  if (strikes && !(gait.runs && rules.strikes_afar)) return undefined;
  if (gait.runs) return gait.isCoin ? "scout" : "legs";
  if (isLine) return "supply_line";
  return isColored && distance <= gait.flash ? "flash" : undefined;
}

/**
 * The next square in a direction, through a joint where the board has one.
 * @param {Rules} rules @param {string} square @param {number} columns @param {number} rows
 */
export function next(rules, square, columns, rows) {
  const column = columnOf(square) + columns;
  const row = rowOf(square) + rows;
  if (column >= 0 && column < rules.columns && row >= 0 && row < rules.rows) return squareAt(column, row);
  const isJoined = rows === 0
    ? rules.joined_rows.includes(row + 1)
    : rules.joined_columns.includes(square[0] ?? "");
  if (!isJoined) return undefined;
  return squareAt((column + rules.columns) % rules.columns, (row + rules.rows) % rules.rows);
}

/** @param {string} identity A coin, or the letter of a rank. */
export function canEverMove(identity) {
  const rank = rankOf(identity);
  return identity === "o" || (rank !== undefined && isMovable(rank));
}

/** A game can be called off until the player's own first turn. @param {Readonly<GameView>} view @param {Side} side */
export function canAbort(view, side) {
  if (view.phase === "deploying") return true;
  return view.phase === "playing" && view.ply <= (side === "red" ? 0 : 1);
}

// What a player keeps for later: a planned move, and guesses about enemy pieces.

/**
 * @typedef {object} Premove
 * @property {string} move
 * @property {"+" | "-"} [path]
 * @property {ChipColor} [color]
 * @property {string} piece The text of the piece that moves.
 * @property {string | undefined} target The text of the piece on the target.
 */

/**
 * Plans a move. None if no piece stands there.
 * @param {Readonly<GameView>} view @param {string} move
 * @param {{ path?: "+" | "-", color?: ChipColor }} [details] @returns {Premove | undefined}
 */
export function planMove(view, move, details = {}) {
  const { from, to } = parseMove(move);
  const piece = pieceOn(view, from);
  return piece === undefined ? undefined : { move, ...details, piece, target: pieceOn(view, to) };
}

/** True if the plan still holds. @param {Premove} plan @param {Readonly<GameView>} view */
export function holds(plan, view) {
  const { from, to } = parseMove(plan.move);
  return view.phase === "playing"
    && isSamePiece(plan.piece, pieceOn(view, from))
    && isSamePiece(plan.target, pieceOn(view, to));
}

/**
 * The command of a plan whose turn has come. None if it is not the player's turn yet, or if the
 * move is not legal: then `isIllegal` is true.
 * @param {Premove} plan @param {Readonly<GameView>} view @param {Rules} rules
 * @returns {{ command?: GameCommand, isIllegal: boolean }}
 */
export function dueCommand(plan, view, rules) {
  if (!sideToMove(view) || view.owed_color || view.pending_strike || view.paused) return { isIllegal: false };
  const { from, to } = parseMove(plan.move);
  const way = wayTo(targets(view, rules, from), to, plan.path);
  if (!way || laysChip(rules, way) !== (plan.color !== undefined)) return { isIllegal: true };
  const path = plan.path ? { path: plan.path } : {};
  const color = plan.color ? { color: plan.color } : {};
  return { command: { kind: "move", move: plan.move, ...path, ...color }, isIllegal: false };
}

/** @param {Readonly<GameView>} view @param {string} square */
function pieceOn(view, square) {
  return view.pieces.find((piece) => squareOf(piece) === square);
}

/**
 * That the opponent learned a rank changes the mark of the player's piece and nothing of the
 * plan.
 * @param {string | undefined} a @param {string | undefined} b
 */
function isSamePiece(a, b) {
  return a?.replace("*", "") === b?.replace("*", "");
}

// A player's guesses about enemy pieces. They stay on the device, follow their piece from event
// to event, and go with it.

/** Guesses by the squares of their pieces. @typedef {Readonly<Record<string, string>>} Notes */

/** The marks that a player can set, in the order of the menu. */
export const MARKS = ["F", "B", "S", "9", "8", "7", "6", "5", "4", "3", "2", "1", "weak", "strong", "watch"];

/** Sets a note, or takes it off. @param {Notes} notes @param {string} square @param {string | undefined} mark @returns {Notes} */
export function note(notes, square, mark) {
  const { [square]: _, ...others } = notes;
  return mark === undefined ? others : { ...others, [square]: mark };
}

/**
 * The notes after an event, given the view after it.
 * @param {Notes} notes @param {GameEvent} event @param {Readonly<GameView>} after @returns {Notes}
 */
export function followNotes(notes, event, after) {
  let followed = notes;
  if (event.kind === "moved") {
    const { from, to } = parseMove(event.move);
    const [mover, struck] = [notes[from], notes[to]];
    followed = note(note(notes, from, undefined), to, undefined);
    const strike = event.strike;
    // Each goes where its piece went.
    if (mover && (!strike || strike.attacker_fate === "advances")) followed = note(followed, to, mover);
    if (mover && strike?.attacker_fate === "stays") followed = note(followed, from, mover);
    if (struck && strike?.defender_fate === "stays") followed = note(followed, to, struck);
    if (struck && strike?.defender_fate === "advances") followed = note(followed, from, struck);
  }
  if (event.kind === "removed") followed = note(notes, event.square, undefined);
  return keepHidden(followed, after);
}

/**
 * The notes that still hold in a view whose events were not seen: only a piece that never moved
 * is surely the one that was noted. With a reserve, not even that.
 * @param {Notes} notes @param {Readonly<GameView>} view @param {boolean} hasReserve @returns {Notes}
 */
export function afterGap(notes, view, hasReserve) {
  if (hasReserve) return {};
  const unmoved = new Set(view.pieces.map(parsePiece).filter((piece) => !piece.moved).map((piece) => piece.square));
  return Object.fromEntries(Object.entries(keepHidden(notes, view)).filter(([square]) => unmoved.has(square)));
}

/** The notes on pieces whose rank is still hidden. @param {Notes} notes @param {Readonly<GameView>} view @returns {Notes} */
export function keepHidden(notes, view) {
  const hidden = new Set(view.pieces.map(parsePiece)
    .filter((piece) => piece.side !== view.audience && (piece.identity === "?" || piece.identity.startsWith("[")))
    .map((piece) => piece.square));
  return Object.fromEntries(Object.entries(notes).filter(([square]) => hidden.has(square)));
}
