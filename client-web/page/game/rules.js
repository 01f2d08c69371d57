// A ruleset as data. No part of the page looks at a ruleset's name.

import { squareAt } from "./notation.js";

/** @typedef {import("./notation.js").Side} Side */
/** @typedef {import("./notation.js").Rank} Rank */
/** @typedef {import("../words.js").Words} Words */

/**
 * An option that a custom game may change.
 * @typedef {object} RuleOption
 * @property {string} name
 * @property {string} value The value in the unchanged ruleset.
 * @property {{ name: string, meaning: string }[]} values
 */

/**
 * A ruleset, as `/api/rulesets` lists it.
 * @typedef {object} Rules
 * @property {string} id
 * @property {string} title
 * @property {string} summary
 * @property {number} columns
 * @property {number} rows
 * @property {number} home_rows How many rows each side deploys on.
 * @property {Record<string, number>} army How many pieces a side has, by the letters of their ranks.
 * @property {boolean} may_leave_empty True if home squares may stay empty in a deployment.
 * @property {"deployments" | "coins"} start How a game begins.
 * @property {string[] | "drawn"} lakes Where the lakes are, or that each game draws them.
 * @property {string[]} joined_columns Columns whose top and bottom squares are neighbors.
 * @property {number[]} joined_rows Rows whose first and last squares are neighbors.
 * @property {boolean} strikes_afar True if a piece may strike at the end of a long move.
 * @property {boolean} illegal_act_loses True if an illegal act is accepted and loses.
 * @property {boolean} reserve True if there are more pieces than home squares; the rest waits.
 * @property {boolean} labels
 * @property {boolean} chips True if a piece that lands lays a chip.
 * @property {boolean} supply_lines True if pieces go along lines of chips of one color.
 * @property {Partial<Record<Rank, number>>} flashes The ranks that flash over chips, and how far.
 * @property {RuleOption[]} options
 * @property {Rank} spy_beats The rank that a Spy beats by striking it.
 * @property {"both" | "attacker" | "defender"} ties Who leaves, or stays, when equals meet.
 * @property {"both" | "silent"} disclosure Whose rank a strike shows.
 * @property {"stay" | "leave"} bombs What becomes of a Bomb that beats its attacker.
 * @property {boolean} winner_advances True if a defender that wins takes its attacker's square.
 * @property {number | null} two_squares_limit How often a piece may go back and forth, in a row.
 * @property {boolean} more_squares True if a chase may not bring back a position.
 * @property {boolean} blocked_draws True if the game is a draw when neither side can move.
 * @property {number | null} quiet_limit Plies without a capture until the draw.
 * @property {number} ply_limit Plies until the draw.
 */

/** The change that an option makes to what pieces can do. @type {Record<string, (value: string) => Partial<Rules>>} */
const CHANGES = {
  "scout-strike": (value) => ({ strikes_afar: value === "far" }),
  bombs: (value) => ({ bombs: /** @type {Rules["bombs"]} */ (value) }),
};

/**
 * The rules of a game. A custom game's id lists its changes: `classic,scout-strike=near`.
 * @param {readonly Rules[]} rulesets @param {string} id @returns {Rules | undefined}
 */
export function rulesOf(rulesets, id) {
  const base = rulesets.find((rules) => rules.id === id.split(",")[0]);
  if (!base) return undefined;
  return changesOf(id).reduce((rules, [name, value]) => ({ ...rules, ...CHANGES[name]?.(value) }), base);
}

/** The changes of a custom game's id. @param {string} id @returns {[string, string][]} */
export function changesOf(id) {
  return id.split(",").slice(1).map((change) => {
    const [name = "", value = ""] = change.split("=");
    return [name, value];
  });
}

/** The rules that custom games change, in the order of a form. An option that is not named stands last. */
const GROUPS = { strikes: ["ties", "disclosure", "bombs", "scout-strike", "winner"], repetition: ["two-squares", "more-squares"], end: ["quiet"], board: ["islands"] };

/**
 * All options of all rulesets, in groups.
 * @param {readonly Rules[]} rulesets @returns {{ group: string, options: RuleOption[] }[]}
 */
export function groupsOf(rulesets) {
  const known = new Map(rulesets.flatMap(({ options }) => options).map((option) => [option.name, option]));
  const groups = Object.entries(GROUPS).map(([group, names]) => ({ group, options: names.flatMap((name) => known.get(name) ?? []) }));
  const named = Object.values(GROUPS).flat();
  const others = [...known.values()].filter(({ name }) => !named.includes(name));
  return [...groups, { group: "others", options: others }].filter(({ options }) => options.length > 0);
}

/** The value of an option that a ruleset does not let change. @param {Rules} rules @param {string} name @returns {string | undefined} */
export function fixedValue(rules, name) {
  switch (name) {
    case "ties": return rules.ties;
    case "disclosure": return rules.disclosure;
    case "bombs": return rules.bombs;
    case "scout-strike": return rules.strikes_afar ? "far" : "near";
    case "winner": return rules.winner_advances ? "any" : "attacker";
    case "two-squares": return String(rules.two_squares_limit ?? "off");
    case "more-squares": return rules.more_squares ? "on" : "off";
    case "quiet": return String(rules.quiet_limit ?? "off");
    default: return undefined;
  }
}

/**
 * The id of a game by these rules with changes. What a ruleset says already is no change.
 * @param {Rules} rules @param {Readonly<Record<string, string>>} changes
 */
export function customId(rules, changes) {
  const changed = rules.options.flatMap(({ name, value, values }) => {
    const wanted = changes[name];
    return wanted !== undefined && wanted !== value && values.some((one) => one.name === wanted) ? [`${name}=${wanted}`] : [];
  });
  return [rules.id, ...changed].join();
}

/** What a ruleset is called. @param {Rules} rules @param {Words} words */
export function titleOf(rules, words) {
  return words.sayOr(`ruleset-title-${rules.id}`, rules.title);
}

/** @param {Rules} rules @param {Words} words */
export function summaryOf(rules, words) {
  return words.sayOr(`ruleset-summary-${rules.id}`, rules.summary);
}

/** @param {string} option @param {{ name: string, meaning: string }} value @param {Words} words */
export function meaningOf(option, value, words) {
  return words.sayOr(`rule-${option}-${value.name}`, value.meaning);
}

/** What the changes of a custom game mean, in words. @param {Rules} rules @param {string} id @param {Words} words */
export function meaningsOf(rules, id, words) {
  return changesOf(id).map(([name, value]) => {
    const option = rules.options.find((option) => option.name === name);
    const known = option?.values.find((known) => known.name === value);
    return known ? meaningOf(name, known, words) : `${name} = ${value}`;
  });
}

/**
 * A side's home squares in the order of a deployment: the row nearest the enemy first, each row
 * from the player's own left to right.
 * @param {Rules} rules @param {Side} side
 */
export function homeSquares(rules, side) {
  const squares = [];
  for (let depth = 0; depth < rules.home_rows; depth++) {
    for (let place = 0; place < rules.columns; place++) {
      squares.push(side === "red"
        ? squareAt(place, rules.home_rows - 1 - depth)
        : squareAt(rules.columns - 1 - place, rules.rows - rules.home_rows + depth));
    }
  }
  return squares;
}

/** All squares of the board, by rows from Red's back row. @param {Rules} rules */
export function squaresOf({ columns, rows }) {
  return Array.from({ length: columns * rows }, (_, index) => squareAt(index % columns, Math.floor(index / columns)));
}
