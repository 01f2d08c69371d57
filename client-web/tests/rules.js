// The rulesets as data for tests: what the referee lists, with the fields of `/api/rulesets` that
// the referee lacks.

/** @typedef {import("../page/game/rules.js").Rules} Rules */

/** @param {string[]} corners Lower left squares. @param {number} width */
function lakes(corners, width) {
  return corners.flatMap((corner) => [5, 6].flatMap((row) =>
    Array.from({ length: width }, (_, n) => String.fromCharCode(corner.charCodeAt(0) + n) + row)));
}

const TEN = { columns: 10, rows: 10, home_rows: 4, lakes: lakes(["c", "g"], 2) };
const FORTY = { F: 1, B: 6, S: 1, 9: 8, 8: 5, 7: 4, 6: 4, 5: 4, 4: 3, 3: 2, 2: 1, 1: 1 };
const PLAIN = {
  ...TEN, army: FORTY, may_leave_empty: false, start: "deployments", joined_columns: [], joined_rows: [],
  strikes_afar: true, illegal_act_loses: false, reserve: false, labels: false, chips: false,
  supply_lines: false, flashes: {},
  spy_beats: "marshal", ties: "both", disclosure: "both", bombs: "stay", winner_advances: false,
  two_squares_limit: 3, more_squares: false, blocked_draws: true, quiet_limit: 200, ply_limit: 5_000,
};
const ORIGINAL = { ...PLAIN, strikes_afar: false, winner_advances: true, two_squares_limit: null };
const MOBILITY = {
  ...ORIGINAL, columns: 16, lakes: lakes(["d", "k"], 3), reserve: true,
  blocked_draws: false, quiet_limit: 600,
  army: { F: 1, B: 15, S: 3, 9: 24, 8: 15, 7: 12, 6: 12, 5: 12, 4: 9, 3: 6, 2: 3, 1: 3 },
};
const INFORMATION = {
  ...MOBILITY, army: { ...MOBILITY.army, P: 1 }, labels: true, chips: true,
  joined_columns: [..."abcghijnop"], joined_rows: [1, 2, 3, 4, 7, 8, 9, 10],
};

/** @type {Record<string, object>} */
const FIELDS = {
  classic: PLAIN,
  tournament: { ...PLAIN, more_squares: true },
  barrage: { ...PLAIN, more_squares: true, army: { F: 1, B: 1, S: 1, 9: 2, 8: 1, 2: 1, 1: 1 }, may_leave_empty: true },
  pbm: { ...PLAIN, two_squares_limit: null },
  "pbm-small": {
    ...PLAIN, columns: 8, rows: 8, home_rows: 3, two_squares_limit: null, spy_beats: "general",
    lakes: ["c4", "f4", "c5", "f5"],
    army: { F: 1, B: 4, S: 1, 9: 4, 8: 4, 7: 4, 5: 2, 4: 2, 3: 1, 2: 1 },
  },
  original: ORIGINAL,
  "silent-defense": { ...PLAIN, ties: "attacker", disclosure: "silent" },
  course: {
    ...PLAIN, lakes: "drawn", illegal_act_loses: true, bombs: "leave", winner_advances: true, two_squares_limit: null,
  },
  "shadowflash-1": MOBILITY,
  "shadowflash-2": INFORMATION,
  "shadowflash-3": { ...INFORMATION, supply_lines: true, flashes: { general: 2, colonel: 3, major: 4 } },
  quantum: { ...PLAIN, start: "coins" },
};

/**
 * The listed rulesets with the fields that they lack. What is listed wins.
 * @param {{ id: string }[]} listed @returns {Rules[]}
 */
export function withFields(listed) {
  return listed.map((ruleset) => /** @type {Rules} */ ({ ...FIELDS[ruleset.id], ...ruleset }));
}

/** The ids of the rulesets. */
export const IDS = Object.keys(FIELDS);

/** @param {string} id */
export function rulesFor(id) {
  return /** @type {Rules} */ (withFields([{ id }])[0]);
}
