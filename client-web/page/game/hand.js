// What the player has in hand: how gestures become commands, and a deployment while it is being made.

import { freeHomeSquares, hasJoints, laysChip, targets } from "./reach.js";
import { figureOf, homeSquares } from "./rules.js";
import { rankName } from "./sentences.js";

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").GameCommand} GameCommand */
/** @typedef {import("./rules.js").Rank} Rank */
/** @typedef {import("./rules.js").Side} Side */
/** @typedef {import("./rules.js").ChipColor} ChipColor */
/** @typedef {import("./reach.js").Way} Way */
/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("../words.js").Words} Words */

/** @typedef {{ kind: "board", square: string } | { kind: "reserve", rank: Rank, labeled: boolean }} Hand */

/**
 * A command that lacks something. `ways`: those that are still possible.
 * @typedef {{ kind: "move", from: string, to: string, ways: readonly Way[] }
 *   | { kind: "place", square: string, rank: Rank, labeled: boolean }} Draft
 */

/** What the player is asked next. @typedef {{ kind: "way" | "color", draft: Draft }} Question */
/** @typedef {{ command: GameCommand } | { question: Question } | undefined} Outcome */

/**
 * The piece in hand goes to a square. Undefined if it cannot.
 * @param {Hand} hand @param {string} square @param {Readonly<GameView>} view @param {Rules} rules
 * @param {typeof targets} [reach] `plannedTargets` for a later turn. @returns {Outcome}
 */
export function put(hand, square, view, rules, reach = targets) {
  if (hand.kind === "reserve") {
    const side = view.audience;
    if (side === "public" || !freeHomeSquares(view, rules, side).includes(square)) return undefined;
    return complete({ kind: "place", square, rank: hand.rank, labeled: hand.labeled }, rules);
  }
  const target = reach(view, rules, hand.square).find((target) => target.square === square);
  return target && complete({ kind: "move", from: hand.square, to: square, ways: target.ways }, rules);
}

/**
 * A command, or what is still to be asked for it.
 * @param {Draft} draft @param {Rules} rules @param {ChipColor} [color] @returns {Outcome}
 */
export function complete(draft, rules, color) {
  if (draft.kind === "place") {
    if (rules.chips && !color) return { question: { kind: "color", draft } };
    return {
      command: {
        kind: "place", square: draft.square, rank: draft.rank,
        ...(draft.labeled ? { labeled: true } : {}), ...(color ? { color } : {}),
      },
    };
  }
  const [way, ...others] = draft.ways;
  if (!way) return undefined;
  if (others.length > 0) return { question: { kind: "way", draft } };
  const wantsColor = laysChip(rules, way);
  if (wantsColor && !color) return { question: { kind: "color", draft } };
  return {
    command: {
      kind: "move", move: draft.from + draft.to,
      ...(hasJoints(rules) ? { path: way.sign } : {}), ...(wantsColor && color ? { color } : {}),
    },
  };
}

/** The draft with one way. @param {Draft} draft @param {Way} way @returns {Draft} */
export function byWay(draft, way) {
  return draft.kind === "move" ? { ...draft, ways: [way] } : draft;
}

/** Where a Russian layout has the letters of squares and commands. */
const KEYS = new Map([..."йцукенгшщзфывапролдячсмить"].map((letter, index) => [letter, "qwertyuiopasdfghjklzxcvbnm"[index] ?? ""]));

/** What was typed, as a Latin layout has it on the same keys. @param {string} typed Small letters. */
export function byKeys(typed) {
  return [...typed].map((letter) => KEYS.get(letter) ?? letter).join("");
}

/** The rank that a key names, by its letter or figure; 0 is 10. @param {string} key @param {Rules} rules @param {"us" | "eu"} numbering */
export function letterTyped(key, { army }, numbering) {
  const typed = byKeys(key.toLowerCase()).toUpperCase();
  return Object.keys(army).find((letter) => army[letter] && figureOf(letter, numbering).at(-1) === typed);
}

// A deployment while it is being made.

/** The letters of pieces by their squares. @typedef {Readonly<Record<string, string>>} Setup */

/** Reads a deployment's text. @param {string} text @param {Rules} rules @param {Side} side @returns {Setup} */
export function readSetup(text, rules, side) {
  const letters = [...text.replace(/\s/g, "").toUpperCase()];
  return Object.fromEntries(homeSquares(rules, side).flatMap((square, index) => {
    const letter = letters[index];
    return letter && letter !== "." ? [[square, letter]] : [];
  }));
}

/** @param {Setup} setup @param {Rules} rules @param {Side} side */
export function writeSetup(setup, rules, side) {
  return homeSquares(rules, side).map((square) => setup[square] ?? ".").join("");
}

/** The pieces of a deployment as the texts of a view. @param {Setup} setup @param {Side} side */
export function setupPieces(setup, side) {
  return Object.entries(setup).map(([square, letter]) => `${square}${side === "red" ? "r" : "b"}${letter}`);
}

/** How many pieces of each rank are still to be placed. @param {Setup} setup @param {Rules} rules @returns {Record<string, number>} */
export function tray(setup, rules) {
  const left = { ...rules.army };
  for (const letter of Object.values(setup)) left[letter] = (left[letter] ?? 0) - 1;
  return left;
}

/** How many pieces a deployment has. @param {Rules} rules */
export function placesToFill(rules) {
  const army = Object.values(rules.army).reduce((sum, count) => sum + count, 0);
  return Math.min(army, rules.home_rows * rules.columns);
}

/** True if a deployment can be handed in. @param {Setup} setup @param {Rules} rules */
export function isComplete(setup, rules) {
  const letters = Object.values(setup);
  return letters.length === placesToFill(rules) && letters.includes("F")
    && Object.values(tray(setup, rules)).every((left) => left >= 0);
}

/** Puts a piece on a square, or takes the one there off. @param {Setup} setup @param {string} square @param {string | undefined} letter @returns {Setup} */
export function place(setup, square, letter) {
  const { [square]: _, ...others } = setup;
  return letter ? { ...others, [square]: letter } : others;
}

/** Exchanges what is on two squares. @param {Setup} setup @param {string} a @param {string} b */
export function swap(setup, a, b) {
  return place(place(setup, a, setup[b]), b, setup[a]);
}

/**
 * What has changed in a deployment, for those who hear the board. Empty if nothing has.
 * @param {Setup} before @param {Setup} after
 * @param {Rules} rules @param {Words} words
 */
export function deploymentSentence(before, after, rules, words) {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((square) => before[square] !== after[square]);
  const [a = "", b = ""] = changed;
  if (a === "") return "";
  const left = placesToFill(rules) - Object.keys(after).length;
  const what = changed.length === 1 ? oneChanged(a, before, after, rules, words)
    : changed.length === 2 && before[a] === after[b] && before[b] === after[a] ? exchanged(before, a, b, words)
    : Object.keys(after).length === 0 ? words.say("deploy-told", { what: "cleared" })
    : left > 0 ? `${words.say("deploy-missing", { count: left })}.` : "";
  return [what, ...(left === 0 ? [words.say("deploy-all-placed")] : [])].filter(Boolean).join(" ");
}

/**
 * @param {string} square @param {Setup} before @param {Setup} after
 * @param {Rules} rules @param {Words} words
 */
function oneChanged(square, before, after, rules, words) {
  const letter = after[square] ?? before[square] ?? "";
  return words.say(after[square] ? "deploy-placed" : "deploy-taken-off", {
    rank: rankName(words, letter), square, count: tray(after, rules)[letter] ?? 0,
  });
}

/** @param {Setup} before @param {string} a @param {string} b @param {Words} words */
function exchanged(before, a, b, words) {
  const [from, to] = before[a] ? [a, b] : [b, a];
  const [rank, other] = [rankName(words, before[from] ?? ""), before[to]];
  return other ? words.say("deploy-swapped", { rank, to, other: rankName(words, other), from }) : words.say("deploy-moved", { rank, from, to });
}
