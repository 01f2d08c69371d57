// What the page says of events and squares: whole sentences for the list of moves and for those
// who listen, and the names of squares for those who hear the board.

import { chipsBySquare } from "../board/pieces.js";
import { follow } from "./follow.js";
import { RANKS, SIDES, clockText, isRunning, opponentOf, parseLaid, parseMove, parsePiece, rankOf, ranksOf, timeLeft } from "./rules.js";

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("./rules.js").Piece} Piece */
/** @typedef {import("./reach.js").Target} Target */
/** @typedef {import("../words.js").Words} Words */
/** @typedef {import("../../types/messages").GameEvent} GameEvent */
/** @typedef {import("../../types/messages").Outcome} Outcome */

/** The name of what is known of a rank. @param {Words} words @param {string} identity */
export function rankName(words, identity) {
  const rank = rankOf(identity) ?? (identity === "o" ? "coin" : undefined);
  if (rank) return words.say("rank", { rank });
  const names = ranksOf(identity).map((rank) => words.say("rank", { rank }));
  if (names.length === 0) return words.say("rank", { rank: "hidden" });
  return names.slice(1).reduce((first, last) => words.say("list-or", { first, last }), names[0] ?? "");
}

/**
 * The names of all squares.
 * @param {Readonly<GameView>} view @param {Words} words
 * @param {{ from: string, targets: readonly Target[], learned: Readonly<Record<string, string>> } | undefined} reach What the piece in hand
 *   can do, and what the others learn of it.
 * @param {{ notes: import("./reach.js").Notes, moves: readonly string[] }} [own] The player's guesses, and the moves that are planned.
 * @returns {(square: string) => string}
 */
export function squareNames(view, words, reach, own) {
  const pieces = new Map(view.pieces.map(parsePiece).map((piece) => [piece.square, piece]));
  const chips = chipsBySquare(view.chips);
  const lakes = new Set(view.lakes);
  const planned = new Map(own?.moves.map(parseMove).flatMap(({ from, to }) => /** @type {[string, string][]} */ ([[to, "to"], [from, "from"]])));
  const targets = new Map(reach?.targets.map((target) => [target.square, target]));
  return (square) => {
    const piece = pieces.get(square);
    const what = piece ? pieceName(piece, view.audience, words)
      : words.say(lakes.has(square) ? "square-lake" : "square-empty");
    const chip = chips.get(square);
    const way = targets.get(square)?.ways[0];
    const guess = own?.notes[square];
    const parts = [square, what];
    if (guess) parts.push(words.say("square-guess", { guess: rankOf(guess) ? rankName(words, guess) : words.say("note-mark", { mark: guess }) }));
    if (chip) parts.push(words.say("square-chip", { color: chip }));
    if (reach?.from === square) parts.push(words.say("square-chosen"));
    const end = planned.get(square);
    if (end) parts.push(words.say("square-planned", { end }));
    if (reach && view.refused_moves?.includes(reach.from + square)) parts.push(words.say("square-refused"));
    if (way) parts.push(words.say("square-target", { by: way.by, strikes: way.strikes ? "yes" : "no", color: chips.get(reach?.from ?? "") ?? "" }));
    const shows = reach?.learned[square];
    if (shows) parts.push(shows);
    return parts.join(", ");
  };
}

/** @param {Piece} piece @param {"red" | "blue" | "public"} audience @param {Words} words */
function pieceName(piece, audience, words) {
  const { side, identity, moved, revealed, labeled } = piece;
  const whose = audience === "public" ? side : audience === side ? "own" : "enemy";
  const isHidden = identity === "?";
  const rank = rankName(words, identity);
  const name = isHidden
    ? words.say("square-hidden", { whose, moved: moved ? "yes" : "no" })
    : words.say("square-piece", { whose, rank, moved: moved ? "yes" : "no" });
  const marks = [name];
  if (labeled) marks.push(words.say("square-labeled"));
  else if (revealed && whose === "own") marks.push(words.say("square-known"));
  return marks.join(", ");
}

// Events as whole sentences, for the list of moves and for those who listen.

/** @param {GameEvent} event @param {Words} words @returns {string} */
export function sentence(event, words) {
  switch (event.kind) {
    case "deployed": return words.say("event-deployed");
    case "ready": return words.say("event-ready", { side: event.side });
    case "started": return words.say("event-started");
    case "moved": return moveSentence(event, words);
    case "struck": return words.say("strike-pending", {
      side: event.side, squares: event.move, choosing: event.owes.red && event.owes.blue ? "both" : event.owes[event.side] ? "attacker" : "defender",
    });
    case "chosen": return words.say("choice-taken", { rank: event.rank });
    case "removed": return words.say("event-removed", { side: event.side, square: event.square });
    case "placed": return words.say(event.color ? "event-placed-on-chip" : "event-placed", {
      side: event.side, square: event.square, rank: rankOf(event.piece) ?? "piece",
      labeled: event.labeled ? "yes" : "no", color: event.color ?? "red",
    });
    case "colored": return words.say("event-colored", { side: event.side, color: event.color, square: event.square });
    case "draw_offered": return words.say("event-draw-offered", { side: event.side });
    case "draw_declined": return words.say("event-draw-declined", { side: event.side });
    case "paused": return words.say("event-paused");
    case "resumed": return words.say("event-resumed");
    case "ended": return outcomeSentence(event.outcome, words);
    default: return forgotten(event);
  }
}

/** A line of the list of moves. @typedef {{ text: string, ply: number }} Entry */

/**
 * The lines of a game's first events. Undefined if the record has less than these events.
 * @param {import("../../types/messages").GameRecord} record @param {number} count @param {Words} words
 * @returns {Entry[] | undefined}
 */
export function entriesOf(record, count, words) {
  let view = record.first_view;
  if (!view || record.events.length < count) return undefined;
  /** @type {Entry[]} */
  const entries = [];
  for (const { event, change } of record.events.slice(0, count)) {
    if (!change) return undefined;
    view = follow(view, event, change);
    const text = sentence(event, words);
    if (text) entries.push({ text, ply: view.ply });
  }
  return entries;
}

/** An event of a record, told in the third person: a choice names its side. @param {GameEvent} event @param {Words} words */
export function recordedSentence(event, words) {
  return event.kind === "chosen" ? words.say("event-chosen", { side: event.side, rank: event.rank }) : sentence(event, words);
}

/** An event of a later version of the protocol has no words. @param {never} _ */
function forgotten(_) {
  return "";
}

/** @param {Outcome} outcome @param {Words} words */
export function outcomeSentence(outcome, words) {
  return words.say("outcome", { winner: outcome.winner ?? "none", reason: outcome.reason });
}

/**
 * How a game ended; if it was aborted, also why, as far as that is known.
 * @param {Outcome} outcome @param {import("../../types/messages").Abort | undefined} abort @param {Words} words
 */
export function endSentence(outcome, abort, words) {
  if (outcome.reason !== "aborted" || !abort) return outcomeSentence(outcome, words);
  const { called_off_by: by, not_deployed: late = [] } = abort;
  const [one, other] = late;
  return words.say("outcome-aborted", { cause: by ? `${by}-called-off` : other ? "both-late" : one ? `${one}-late` : "idle" });
}

/**
 * What a game changed in the ratings; a player's own comes first.
 * @param {import("../../types/messages").RatingChange} change @param {import("../../types/messages").Side | undefined} own @param {Words} words
 */
export function ratingSentence({ before, after }, own, words) {
  const text = (/** @type {import("../../types/messages").Side} */ side) => {
    const points = after[side].rating - before[side].rating;
    const shown = (/** @type {import("../../types/messages").RatingPoint} */ { rating, provisional }) => `${rating}${provisional ? "?" : ""}`;
    return words.say("rating-change", { before: shown(before[side]), after: shown(after[side]), change: `${points < 0 ? "−" : "+"}${Math.abs(points)}` });
  };
  return own
    ? words.say("rating-change-own", { own: text(own), theirs: text(opponentOf(own)) })
    : words.say("rating-change-both", { red: text("red"), blue: text("blue") });
}

/** @param {GameEvent & { kind: "moved" }} event @param {Words} words */
function moveSentence(event, words) {
  const { side, strike, laid } = event;
  const { from, to } = parseMove(event.move);
  const move = strike
    ? words.say(strikeText(strike.attacker_fate, strike.defender_fate), {
      side, square: to, from, attacker: nameForText(strike.attacker, words), defender: nameForText(strike.defender, words),
    })
    : event.piece.startsWith("[")
      ? words.say("move-proof", { side, squares: event.move, rank: rankName(words, event.piece) })
      : words.say("move", { side, squares: event.move });
  if (!laid) return move;
  const { squares, color } = parseLaid(laid);
  return words.say("move-and-chips", { move, chips: words.say("move-chips", { color, squares: squares.join(" ") }) });
}

/** The texts choose the name of a rank by its name in messages. @param {string} identity @param {Words} words */
function nameForText(identity, words) {
  if (identity === "?") return "hidden";
  if (identity === "o") return "coin";
  return rankOf(identity) ?? rankName(words, identity);
}

/** @param {"stays" | "advances" | "leaves"} attacker @param {"stays" | "advances" | "leaves"} defender */
function strikeText(attacker, defender) {
  if (attacker !== "leaves") return defender === "leaves" ? "strike-won" : "strike-both-stay";
  if (defender === "leaves") return "strike-both-lost";
  return defender === "advances" ? "strike-lost-advance" : "strike-lost";
}

/** Both clocks at a moment of the server's time. @param {Readonly<GameView>} view @param {number} now @param {Words} words */
export function clocksSentence({ clock }, now, words) {
  if (!clock) return words.say("time-unlimited");
  return SIDES.map((side) => words.say("clock-said", {
    side, clock: clockText(timeLeft(clock, side, now).ms, words), runs: isRunning(clock, side) ? "yes" : "no",
  })).join(" ");
}

/** What each side has lost, and its reserve. @param {Readonly<GameView>} view @param {Words} words */
export function lossesSentence(view, words) {
  const losses = SIDES.map((side) => {
    const lost = counted(view.captured[side], "rank-count", words);
    return words.say("losses", { side, kinds: lost.length, pieces: lost.join(", ") });
  });
  return [...losses, ...reserveSentences(view, words)].join(" ");
}

/** The size of each reserve, if there are any, and its pieces that are known. @param {Readonly<GameView>} view @param {Words} words */
export function reserveSentences({ reserve }, words) {
  return SIDES.flatMap((side) => {
    if (!reserve) return [];
    const { size: count, unlabeled, labeled } = reserve[side];
    const pieces = [...counted(unlabeled, "rank-count", words), ...counted(labeled, "rank-count-labeled", words)].join(", ");
    return words.say(pieces ? "reserve-known" : "reserve", { side, count, pieces });
  });
}

/** @param {Record<string, number> | null | undefined} counts The strongest rank comes first. @param {string} text @param {Words} words */
function counted(counts, text, words) {
  return [...RANKS].reverse().flatMap((rank) => (counts?.[rank] ? words.say(text, { count: counts[rank], rank }) : []));
}
