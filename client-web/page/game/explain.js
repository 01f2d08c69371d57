// A ruleset in words and diagrams, made from its data: what the terminal client's `rules` says.

import { RANKS, figureOf, isMovable, isRunner, letterOf, parsePiece, rankOf, squareAt } from "./rules.js";
import { DIRECTIONS, boardOf, isHeldByReserveRule, next } from "./reach.js";
import { rankName } from "./sentences.js";

/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./rules.js").Rank} Rank */

/**
 * A text with its arguments. @typedef {{ id: string, args: Record<string, string | number> }}
 * Text
 */

/**
 * Squares in one or more positions, one after the other, with a caption. `targets`: squares of
 * the first position where its piece can go or strike.
 * @typedef {{ caption: Text, positions: string[], targets?: Record<string, "go" | "strike"> }} Diagram
 */

/** @typedef {{ title: Text, paragraphs: Text[], diagrams: Diagram[] }} Section */

/**
 * @param {string} id @param {Record<string, string | number | boolean>} [args] @returns {Text}
 */
function text(id, args = {}) {
  const plain = Object.entries(args).map(([name, value]) =>
    [name, typeof value === "boolean" ? (value ? "yes" : "no") : value]);
  return { id, args: Object.fromEntries(plain) };
}

/** The army, the strongest rank first, with what is special about a rank. @param {Rules} rules */
export function armyOf(rules) {
  const ranks = [...RANKS].reverse().filter((rank) => (rules.army[letterOf(rank)] ?? 0) > 0);
  return ranks.map((rank) => ({ rank, count: rules.army[letterOf(rank)] ?? 0, note: noteOf(rank, rules) }));
}

/** @param {Rules} rules */
export function piecesOf(rules) {
  return Object.values(rules.army).reduce((sum, count) => sum + count, 0);
}

/** @param {Rank} rank @param {Rules} rules @returns {Text | undefined} */
function noteOf(rank, rules) {
  const squares = rules.flashes[rank];
  if (squares) return text("rules-note-flash", { squares });
  switch (rank) {
    case "flag": return text("rules-note-flag");
    case "bomb": return text("rules-note-bomb", { bombs: rules.bombs });
    case "scout": return text("rules-note-scout");
    case "phoenix": return text("rules-note-phoenix");
    case "miner": return text("rules-note-miner");
    case "spy": return text("rules-note-spy", { rank: rules.spy_beats });
    default: return undefined;
  }
}

/**
 * Why what is in hand cannot go to a square.
 * @param {Readonly<import("../../types/messages").GameView>} view @param {import("./hand.js").Hand} hand
 * @param {string} square @param {import("../words.js").Words} words
 */
export function whyNot(view, hand, square, words) {
  if (hand.kind === "reserve") return words.say("typed-no-place");
  const move = hand.square + square;
  if (view.refused_moves?.includes(move)) {
    // An older server does not say which rule it is.
    if (!view.more_squares) return words.say("refused-repetition");
    return words.say(view.more_squares.includes(move) ? "refusal-more-squares" : "refusal-two-squares");
  }
  const piece = view.pieces.map(parsePiece).find((piece) => piece.square === hand.square);
  const cannot = words.say("no-way", { rank: rankName(words, piece?.identity ?? "?"), square });
  return isHeldByReserveRule(view, hand.square) ? `${cannot} ${words.say("held-by-reserve-rule")}` : cannot;
}

/**
 * What a piece can do, for those who do not know the game: only what its view shows.
 * @param {Pick<import("./rules.js").Piece, "identity" | "moved">} piece @param {Rules} rules
 * @param {"us" | "eu"} numbering @param {import("../words.js").Words} words
 */
export function explainPiece({ identity, moved }, rules, numbering, words) {
  if (identity === "?") return words.say("about-hidden", { moved: moved ? "yes" : "no" });
  if (identity === "o") return words.say("about-coin");
  const rank = rankOf(identity);
  if (!rank) return words.say("about-several", { ranks: rankName(words, identity) });
  const figure = figureOf(letterOf(rank), numbering);
  const note = noteOf(rank, rules);
  const weaker = weakerThan(rank, rules);
  const parts = [
    ...(isMovable(rank) && !isRunner(rank) ? [words.say("about-step")] : []),
    ...(note ? [words.say(note.id, note.args)] : []),
    ...(rank === "scout" && !rules.strikes_afar ? [words.say("about-near")] : []),
    ...(weaker ? [words.say("about-captures", { rank: weaker })] : []),
  ];
  return words.say("about-rank", { rank, figure: /\d/.test(figure) ? figure : "none", does: parts.join("; ") });
}

/** The next rank below one that captures more than a Spy. @param {Rank} rank @param {Rules} rules */
function weakerThan(rank, rules) {
  if (!/\d/.test(letterOf(rank))) return undefined;
  const below = RANKS.slice(RANKS.indexOf("scout"), RANKS.indexOf(rank));
  return below.findLast((one) => (rules.army[letterOf(one)] ?? 0) > 0);
}

// What the others learn of a piece by a move along chips.

/**
 * What the others know of the viewer's piece on `from` after a move without a strike: the identity that their
 * views show. They see the squares and the chips that change, not what carried the piece, so it may be
 * any rank that some path allows. Undefined if that is nothing new. Without a color, it is one that no flash lays.
 * @param {Readonly<import("../../types/messages").GameView>} view @param {Rules} rules @param {string} from @param {import("./reach.js").Way} way
 * @param {import("./rules.js").ChipColor} [color]
 */
export function learned(view, rules, from, way, color) {
  const board = boardOf(view, rules);
  if (way.strikes || !(rules.supply_lines || Object.keys(rules.flashes).length > 0) || board.own.get(from)?.revealed) return undefined;
  const own = board.chips.get(from);
  const laid = way.by === "flash" ? way.path.filter((square) => board.chips.get(square) !== own)
    : color && board.chips.get(way.to) === color ? [] : [way.to];
  const isLanding = laid.length === 0 ? board.chips.has(way.to) : laid.length === 1 && laid[0] === way.to;
  const isFlash = laid.length > 0 && own !== undefined && (way.by === "flash" || color === own);
  const paths = DIRECTIONS.map((direction) => pathTo(board, from, way.to, direction)).filter((path) => path.length > 0);
  const movable = RANKS.filter((rank) => isMovable(rank) && (rules.army[letterOf(rank)] ?? 0) > 0);
  const possible = movable.filter((rank) => paths.some((path) => {
    const isLine = rules.supply_lines && own !== undefined && path.every((square) => board.chips.get(square) === own);
    const fits = path.filter((square) => board.chips.get(square) !== own).join() === laid.join();
    return (isLanding && (path.length === 1 || isLine || isRunner(rank)))
      || (isFlash && fits && path.length > 1 && path.length <= (rules.flashes[rank] ?? 0) && path.every((square) => board.chips.has(square)));
  }));
  const letters = possible.map(letterOf).join("");
  return possible.length === movable.length ? undefined : possible.length === 1 ? letters : `[${letters}]`;
}

/** What the others learn, for the name of the square that the piece goes to. @param {string} identity @param {import("../words.js").Words} words */
export function learnedThere(identity, words) {
  return words.say("square-shows", { ranks: rankName(words, identity) });
}

/**
 * What the others learn by a move, and by which colors something else. Empty if nothing.
 * @param {Readonly<import("../../types/messages").GameView>} view @param {Rules} rules @param {import("./hand.js").Draft} draft
 * @param {import("./reach.js").Way | undefined} way @param {readonly import("./rules.js").ChipColor[]} colors Those that can be chosen.
 * @param {import("../words.js").Words} words
 */
export function learnedTexts(view, rules, draft, way, colors, words) {
  if (draft.kind !== "move" || !way) return [];
  const ranks = (/** @type {import("./rules.js").ChipColor | undefined} */ color) => {
    const identity = learned(view, rules, draft.from, way, color);
    return identity ? rankName(words, identity) : "";
  };
  const usual = ranks(undefined);
  const others = colors.map((color) => ({ color, ranks: ranks(color) })).filter((one) => one.ranks !== usual);
  return [
    ...(usual ? [words.say("move-shows", { ranks: usual })] : []),
    ...others.map((one) => words.say("move-shows-with", { color: one.color, ranks: one.ranks || "none" })),
  ];
}

/**
 * The squares of a path over empty ones, with the target. None if something is in the way.
 * @param {import("./reach.js").Board} board @param {string} from @param {string} to @param {[number, number, "+" | "-"]} direction
 */
function pathTo({ rules, own, foes, lakes }, from, to, [columns, rows]) {
  const path = [];
  for (let at = next(rules, from, columns, rows); at && !own.has(at) && !foes.has(at) && !lakes.has(at); at = next(rules, at, columns, rows)) {
    path.push(at);
    if (at === to) return path;
  }
  return [];
}

/** What is said beside the picture of the board. @param {Rules} rules @returns {Text[]} */
export function boardTexts(rules) {
  const deployment = rules.start === "coins" ? "rules-deploy-coins"
    : rules.may_leave_empty ? "rules-deploy-some"
    : rules.reserve ? "rules-deploy-reserve" : "rules-deploy-all";
  return [
    text(deployment),
    ...(rules.joined_columns.length > 0 ? [text("rules-joints")] : []),
    ...(rules.lakes === "drawn" ? [text("rules-drawn-lakes")] : []),
  ];
}

/**
 * All other sections, in the order of the terminal client.
 * @param {Rules} rules @returns {Section[]}
 */
export function sectionsOf(rules) {
  const hasCoins = rules.start === "coins";
  const hasLines = rules.supply_lines || Object.keys(rules.flashes).length > 0;
  /**
   * @param {boolean} isThere @param {string} title @param {Diagram[]} diagrams
   * @returns {Section[]}
   */
  const addition = (isThere, title, diagrams = []) =>
    isThere ? [{ title: text(title), paragraphs: [text(`${title}-text`)], diagrams }] : [];
  return [
    {
      title: text("rules-moving"),
      paragraphs: [text("rules-moves", { afar: rules.strikes_afar, chips: rules.chips })],
      diagrams: [scouts(rules), ...(rules.joined_columns.length > 0 ? [JOINT] : [])],
    },
    ...addition(hasCoins, "rules-coins", COINS),
    ...addition(hasCoins, "rules-reserve-rule", [COINS_THAT_STAY]),
    ...addition(rules.reserve, "rules-reserve", exchange(rules)),
    ...addition(rules.labels, "rules-labels", [LABEL]),
    ...addition(rules.chips, "rules-chips"),
    ...addition(hasLines, "rules-lines", [SUPPLY_LINE, FLASH]),
    { title: text("rules-striking"), paragraphs: striking(rules), diagrams: strikes(rules) },
    { title: text("rules-repetition"), paragraphs: repetition(rules), diagrams: backAndForth(rules) },
    { title: text("rules-end"), paragraphs: ending(rules), diagrams: [] },
  ];
}

/** @param {Rules} rules */
function striking(rules) {
  return [
    text("rules-disclosure", { disclosure: rules.disclosure }),
    text("rules-outcome", { ties: rules.ties, advances: rules.winner_advances, bombs: rules.bombs }),
    text("rules-spy", { rank: rules.spy_beats, labels: rules.labels }),
  ];
}

/** @param {Rules} rules */
function repetition(rules) {
  const limit = rules.two_squares_limit;
  return [
    limit === null ? text("rules-no-two-squares") : text("rules-two-squares", { limit }),
    ...(rules.more_squares ? [text("rules-more-squares")] : []),
  ];
}

/** How many plies ahead the end for want of captures is announced. */
const NOTICE = 20;

/** @param {Rules} rules */
function ending(rules) {
  const { quiet_limit: quiet, ply_limit: plies } = rules;
  return [
    ...(rules.illegal_act_loses ? [text("rules-illegal")] : []),
    text("rules-win", { blocked: rules.blocked_draws }),
    quiet === null ? text("rules-limit", { plies }) : text("rules-quiet", { quiet, notice: NOTICE, plies }),
  ];
}

// Diagrams, as position texts write boards: rows from the top, separated by `/`, with `.3` for three
// empty squares, `~2` for two of a lake, and a piece with its side, letter and marks. After a blank,
// the chips by their squares.

/** @param {Rules} rules @returns {Diagram} */
function scouts(rules) {
  const free = /** @type {const} */ ({ a1: "go", c1: "go", d1: "go", e1: "go" });
  return {
    caption: text(rules.strikes_afar ? "diagram-scout-far" : "diagram-scout-near"),
    positions: [".1r9.3b?"],
    targets: rules.strikes_afar ? { ...free, f1: "strike" } : free,
  };
}

/**
 * Two ranks of the army; the second is stronger.
 * @param {Rules} rules @returns {[Rank, Rank]}
 */
function strikers(rules) {
  return rules.army["5"] && rules.army["3"] ? ["captain", "colonel"] : ["general", "marshal"];
}

/** @param {Rules} rules @returns {Diagram[]} */
function strikes(rules) {
  const [attacker, defender] = strikers(rules);
  const weak = `r${letterOf(attacker)}`;
  const advances = rules.winner_advances;
  const hidden = rules.disclosure === "silent";
  /** The squares after the defender has won. @param {string} letter @param {boolean} moves */
  const defended = (letter, moves) => (moves ? `b${hidden ? "?" : letter}'.1` : `.1b${hidden ? "?" : letter}`);
  const [strong, equal] = [letterOf(defender), letterOf(attacker)];
  const ties = {
    both: { caption: text("picture-tie-both", { attacker }), after: ".2" },
    attacker: { caption: text("picture-tie-attacker", { attacker }), after: `.1${weak}'*` },
    defender: {
      caption: text("picture-tie-defender", { attacker, advances, hidden }), after: defended(equal, advances),
    },
  };
  const bombs = {
    stay: { caption: text("picture-bomb-stays", { attacker }), after: defended("B", false) },
    leave: { caption: text("picture-bomb-leaves", { attacker }), after: ".2" },
  };
  return [
    { caption: text("picture-strong", { attacker, defender, advances, hidden }), after: defended(strong, advances) },
    bombs[rules.bombs],
    ties[rules.ties],
  ].map(({ caption, after }) => ({ caption, positions: [`${weak}b?`, after] }));
}

/** @param {Rules} rules @returns {Diagram[]} */
function backAndForth(rules) {
  const limit = rules.two_squares_limit;
  if (limit === null) return [];
  const piece = `r${letterOf(strikers(rules)[0])}'`;
  const positions = Array.from({ length: limit + 1 }, (_, times) => (times % 2 === 0 ? `${piece}.1` : `.1${piece}`));
  return [{ caption: text("picture-two-squares", { limit }), positions }];
}

/** @type {Diagram[]} */
const COINS = [
  { caption: text("diagram-coin-one"), positions: ["ro.1", ".1ro'"] },
  { caption: text("picture-coin-far"), positions: ["ro.2", ".2r9'*"] },
  { caption: text("picture-coin-strike"), positions: ["ro'bo", "r5'*b4*"] },
  { caption: text("picture-coin-resolved"), positions: ["r5'*b4*", ".1b4*"] },
];

/** @type {Diagram} */
const COINS_THAT_STAY = { caption: text("picture-coin-reserve"), positions: ["roro"] };

/** @param {Rules} rules @returns {Diagram[]} */
function exchange(rules) {
  return [
    { caption: text("diagram-exchange-own"), positions: ["b8.1", ".2", ".1b4"] },
    { caption: text("picture-exchange", { chips: rules.chips }), positions: ["b?'.1", ".2", ".1b?"] },
  ];
}

/** @type {Diagram} */
const LABEL = { caption: text("diagram-label"), positions: ["r9b?", "b3'^.1"] };

/** @type {Diagram} */
const JOINT = { caption: text("picture-joint"), positions: ["b?.2/.3/.3/.3/.3/.3/.3/.3/.3/r5.2"], targets: { a10: "strike" } };

/** @type {Diagram} */
const SUPPLY_LINE = {
  caption: text("diagram-supply-line"),
  positions: ["r5.5 a1r,b1r,c1r,d1r,e1y"],
  targets: { b1: "go", c1: "go", d1: "go" },
};

/** @type {Diagram} */
const FLASH = { caption: text("picture-flash"), positions: ["r4.5 a1r,b1y,c1g,d1b,e1y", ".4r4'.1 a1r,b1r,c1r,d1r,e1r"] };

/**
 * Reads the position of a diagram.
 * @param {string} position
 * @returns {{ columns: number, rows: number, pieces: string[], lakes: string[], chips: Record<string, string[]> }}
 */
export function readPosition(position) {
  const [squares = "", laid = ""] = position.split(" ");
  const lines = squares.split("/");
  /** @type {string[]} */
  const pieces = [];
  /** @type {string[]} */
  const lakes = [];
  let columns = 0;
  lines.forEach((line, index) => {
    const row = lines.length - 1 - index;
    let column = 0;
    for (const [, kind, count, side, identity, marks] of line.matchAll(/([.~])(\d+)|([rb])(\[[^\]]+\]|.)('?\*?\^?)/g)) {
      if (side) pieces.push(`${squareAt(column, row)}${side}${identity}${marks}`);
      for (let n = 0; kind === "~" && n < Number(count); n++) lakes.push(squareAt(column + n, row));
      column += side ? 1 : Number(count);
    }
    columns = Math.max(columns, column);
  });
  const colors = /** @type {Record<string, string>} */ ({ r: "red", y: "yellow", b: "blue", g: "green" });
  /** @type {Record<string, string[]>} */
  const chips = {};
  for (const [, square = "", letter = ""] of laid.matchAll(/([a-p]\d+)([rybg])/g)) {
    (chips[colors[letter] ?? ""] ??= []).push(square);
  }
  return { columns, rows: lines.length, pieces, lakes, chips };
}

/**
 * The board at the start: every home square has a piece that nobody knows.
 * @param {Rules} rules
 */
export function startPosition(rules) {
  const lakes = rules.lakes === "drawn" ? [] : rules.lakes;
  const rows = Array.from({ length: rules.rows }, (_, index) => {
    const row = rules.rows - 1 - index;
    const side = row < rules.home_rows ? "r" : row >= rules.rows - rules.home_rows ? "b" : "";
    return Array.from({ length: rules.columns }, (_, column) => {
      if (side) return side + (rules.start === "coins" ? "o" : "?");
      return lakes.includes(squareAt(column, row)) ? "~1" : ".1";
    }).join("");
  });
  return rows.join("/");
}
