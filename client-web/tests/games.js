// Random games and chosen positions, played by the referee and written down: what each audience
// saw, and what each side could do.

import { Referee } from "./programs.js";
import { homeSquares } from "../page/game/rules.js";
import { withFields } from "./rules.js";

/** @typedef {import("../types/messages").GameView} GameView */
/** @typedef {import("../types/messages").GameCommand} GameCommand */
/** @typedef {import("../types/messages").GameEvent} GameEvent */
/** @typedef {import("../types/messages").ViewChange} ViewChange */
/** @typedef {import("../page/game/rules.js").Rules} Rules */

/**
 * What happened to one audience at one command.
 * @typedef {{ before: GameView, seen: { event: GameEvent, change: ViewChange }[], after: GameView }} Step
 */
/** What a side could do. @typedef {{ view: GameView, legal: GameCommand[] }} Position */
/** @typedef {{ rules: Rules, steps: Step[], positions: Position[] }} Transcript */

const AUDIENCES = /** @type {const} */ (["red", "blue", "public"]);
const ON_THE_BOARD = new Set(["move", "remove", "place", "color", "choose"]);

/** A seeded generator: the same seed gives the same numbers. @param {number} seed */
export function chance(seed) {
  let state = seed >>> 0;
  return (/** @type {number} */ below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** @template T @param {T[]} list @param {(below: number) => number} random */
export function shuffle(list, random) {
  for (let left = list.length - 1; left > 0; left--) {
    const other = random(left + 1);
    [list[left], list[other]] = [/** @type {T} */ (list[other]), /** @type {T} */ (list[left])];
  }
  return list;
}

/** A random deployment. @param {Rules} rules @param {(below: number) => number} random */
export function randomSetup(rules, random) {
  const places = homeSquares(rules, "red").length;
  const army = Object.entries(rules.army).flatMap(([letter, count]) => Array(count).fill(letter));
  const others = shuffle(army.filter((letter) => letter !== "F"), random).slice(0, places - 1);
  const empty = Array(places - 1 - others.length).fill(".");
  return shuffle(["F", ...others, ...empty], random).join("");
}

/** Three referees with the same game, one for each audience. */
export class Table {
  constructor() {
    this.referees = AUDIENCES.map((audience) => ({ audience, referee: new Referee() }));
    /** @type {Partial<Record<string, GameView>>} */
    this.views = {};
  }

  /** @param {object} request */
  async begin(request) {
    await Promise.all(this.referees.map(({ referee }) => referee.must(request)));
    for (const { audience, view } of await this.shown()) this.views[audience] = view;
  }

  shown() {
    return Promise.all(this.referees.map(async ({ audience, referee }) => {
      const { view } = await referee.must({ type: "show", audience });
      return { audience, /** @type {GameView} */ view };
    }));
  }

  /** @param {object} request @param {Step[]} steps */
  async act(request, steps) {
    const answers = this.referees.map(({ audience, referee }) => referee.must({ ...request, audience }));
    const shown = this.shown();
    const done = await Promise.all(answers);
    for (const [index, { audience, view: after }] of (await shown).entries()) {
      const before = /** @type {GameView} */ (this.views[audience]);
      steps.push({ before, seen: done[index].seen, after });
      this.views[audience] = after;
    }
    return done[0];
  }

  /** @param {"red" | "blue"} side @returns {Promise<GameCommand[]>} */
  async legal(side) {
    const { commands } = await /** @type {{ referee: Referee }} */ (this.referees[0]).referee.must({ type: "legal", side });
    return commands;
  }

  end() {
    this.referees.forEach(({ referee }) => referee.end());
  }
}

/** The rulesets that the referee knows. */
export async function listedRules() {
  const referee = new Referee();
  const { rulesets } = await referee.must({ type: "about" });
  referee.end();
  return withFields(rulesets);
}

/**
 * Plays random games and returns what everybody saw.
 * @param {Rules} rules @param {{ seed: number, plies: number, games: number, positions?: string[] }} amount
 * @returns {Promise<Transcript>}
 */
export async function playGames(rules, { seed, plies, games, positions = [] }) {
  const table = new Table();
  /** @type {Transcript} */
  const transcript = { rules, steps: [], positions: [] };
  try {
    for (let game = 0; game < games + positions.length; game++) {
      const random = chance(seed + game);
      const position = positions[game - games];
      const time = [{ kind: "unlimited" }, { kind: "fischer", base_s: 600, increment_s: 5 },
        { kind: "delay", base_s: 600, free_s: 5 }][(seed + game) % 3];
      const begin = position
        ? { type: "set_position", position }
        : { type: "new_game", ruleset: rules.id, deploy_ms: 300_000 };
      await table.begin({ ...begin, time, seed: seed + game, at: 1_000 });
      await playOne(table, transcript, random, position ? 40 : plies);
    }
  } finally {
    table.end();
  }
  return transcript;
}

/**
 * @param {Table} table @param {Transcript} transcript @param {(below: number) => number} random
 * @param {number} plies
 */
async function playOne(table, transcript, random, plies) {
  const { rules, steps, positions } = transcript;
  let at = 1_000;
  if (table.views.red?.phase === "deploying") {
    for (const side of shuffle(["red", "blue"], random)) {
      at += 100;
      const command = { kind: "deploy", setup: randomSetup(rules, random) };
      await table.act({ type: "command", side, command, at }, steps);
    }
  }
  for (let ply = 0; ply < plies && table.views.red?.phase === "playing"; ply++) {
    for (const side of /** @type {const} */ (["red", "blue"])) {
      const view = /** @type {GameView} */ (table.views[side]);
      const legal = await table.legal(side);
      const board = legal.filter((command) => ON_THE_BOARD.has(command.kind));
      if (view.phase !== "playing") continue;
      positions.push({ view, legal: board });
      const talk = legal.filter((command) => ["offer_draw", "decline_draw"].includes(command.kind));
      const isTalk = talk.length > 0 && random(12) === 0;
      const command = isTalk ? talk[random(talk.length)] : choose(board, random);
      if (!command) continue;
      at += random(900) + 1;
      await table.act({ type: "command", side, command, at }, steps);
    }
  }
  if (table.views.red?.phase === "playing") {
    await table.act({ type: "command", side: "red", command: { kind: "resign" }, at }, steps);
  }
}

/**
 * One of the commands. Kinds first, so that the many placings of a reserve don't crowd out moves.
 * @param {GameCommand[]} commands @param {(below: number) => number} random
 */
function choose(commands, random) {
  const isExchange = random(4) === 0;
  const some = commands.filter((command) => (command.kind === "remove" || command.kind === "place") === isExchange);
  const list = some.length > 0 ? some : commands;
  return list[random(list.length)];
}
