// Paired games: two sessions in which two of Red's ranks are exchanged and everything that is
// public is the same. What each audience is sent comes back as messages of the protocol.

import { randomSetup, shuffle, chance, Table } from "./games.js";
import { parseMove, parsePiece, squareOf } from "../page/game/rules.js";

/** @typedef {import("../types/messages").GameView} GameView */
/** @typedef {import("../types/messages").GameCommand} GameCommand */
/** @typedef {import("../types/messages").ServerMessage} ServerMessage */
/** @typedef {import("../page/game/rules.js").Rules} Rules */
/** @typedef {"red" | "blue" | "public"} Audience */
/** @typedef {Record<Audience, ServerMessage[]>} Stream */

/**
 * What two sessions are. `ranks`: the letters of the ranks that are exchanged.
 * @typedef {{ ranks: [string, string], a: Stream, b: Stream, swapped: number }} Pair
 */

export const GAME = "sentgame0000";
const AUDIENCES = /** @type {const} */ (["red", "blue", "public"]);
/** When the games begin. */
export const BEGIN = 1_700_000_000_000;
/** Ranks that differ in nothing but their strength, the most common first. */
const PLAIN_RANKS = ["5", "6", "7", "8", "2", "1"];
const NAMES = /** @type {Record<string, string>} */ ({ 5: "captain", 6: "lieutenant", 7: "sergeant", 8: "miner", 2: "general", 1: "marshal" });

/** @param {"red" | "blue"} side @param {string} name */
export const player = (side, name = side === "red" ? "ann" : "bob") => ({ id: `player-${side}`, kind: /** @type {const} */ ("guest"), name });

/** The message of a whole game. @param {GameView} view @param {number} seq @param {string} [id] @returns {ServerMessage} */
export function gameMessage(view, seq, id = GAME) {
  return {
    type: "game", audience: view.audience, driving: view.audience !== "public", epoch: 1, seq, view,
    presence: { red: "present", blue: "present" },
    game: {
      id, created: BEGIN, phase: view.phase, ply: view.ply, turn: view.turn ?? null, outcome: view.outcome ?? null,
      players: { red: player("red"), blue: player("blue") },
      terms: { ruleset: view.ruleset, time: { kind: "fischer", base_s: 600, increment_s: 5 } },
    },
  };
}

/**
 * The message of a position, as an audience sees it.
 * @param {string} position @param {Audience} audience @returns {Promise<ServerMessage>}
 */
export async function positionMessage(position, audience) {
  const table = new Table();
  try {
    await table.begin({ type: "set_position", position, time: { kind: "fischer", base_s: 600, increment_s: 5 }, seed: 1, at: BEGIN });
    return gameMessage(/** @type {GameView} */ (table.views[audience]), 1);
  } finally {
    table.end();
  }
}

/** A commitment hides a deployment, and differs with it: it is a hash. @param {any} message */
function withoutCommitments(message) {
  const none = { red: "00", blue: "00" };
  if (message.view) message.view.commitments = none;
  if (message.event?.kind === "started") message.event.commitments = none;
  return message;
}

/** Two tables that are played alike. */
class Both {
  /** @param {Rules} rules @param {number} seed */
  constructor(rules, seed) {
    this.rules = rules;
    this.random = chance(seed);
    this.seed = seed;
    this.tables = { a: new Table(), b: new Table() };
    this.at = BEGIN + 1_000;
    this.seq = { red: 0, blue: 0, public: 0 };
    /** @type {{ a: Stream, b: Stream }} */
    this.streams = { a: { red: [], blue: [], public: [] }, b: { red: [], blue: [], public: [] } };
  }

  async begin() {
    const time = { kind: "fischer", base_s: 600, increment_s: 5 };
    const request = { type: "new_game", ruleset: this.rules.id, deploy_ms: 300_000, time, seed: this.seed, at: this.at };
    await this.tables.a.begin(request);
    await this.tables.b.begin(request);
    this.show();
  }

  /** Sends the position without its events, as to a client that is behind. */
  show() {
    if (this.tables.a.views.red?.phase === "over") return;
    for (const audience of AUDIENCES) {
      for (const name of /** @type {const} */ (["a", "b"])) {
        const view = structuredClone(/** @type {GameView} */ (this.tables[name].views[audience]));
        this.streams[name][audience].push(withoutCommitments(gameMessage(view, this.seq[audience])));
      }
    }
  }

  /** The command in both sessions. @param {"red" | "blue"} side @param {GameCommand} a @param {GameCommand} [b] @param {boolean} [isShown] */
  async act(side, a, b = a, isShown = true) {
    this.at += 1_000 + this.random(900);
    /** @type {{ a: any[], b: any[] }} */
    const steps = { a: [], b: [] };
    await this.tables.a.act({ type: "command", side, command: a, at: this.at }, steps.a);
    await this.tables.b.act({ type: "command", side, command: b, at: this.at }, steps.b);
    // The end opens the deployments: it is not part of a pair.
    if (this.tables.a.views.red?.phase === "over") return;
    for (const [index, audience] of AUDIENCES.entries()) {
      const begin = this.seq[audience];
      for (const name of /** @type {const} */ (["a", "b"])) {
        const { seen } = steps[name][index];
        this.seq[audience] = begin + seen.length;
        if (!isShown) continue;
        this.streams[name][audience].push(...seen.map((/** @type {any} */ one, /** @type {number} */ n) =>
          withoutCommitments({ type: "event", game: GAME, seq: begin + n + 1, event: one.event, change: one.change })));
      }
    }
  }

  /** @param {"red" | "blue"} side */
  async legal(side) {
    const [a, b] = [await this.tables.a.legal(side), await this.tables.b.legal(side)];
    const inB = new Set(b.map((command) => JSON.stringify(command)));
    return a.filter((command) => inB.has(JSON.stringify(command)));
  }

  /** The squares of the exchanged pieces. */
  swapped() {
    const [a, b] = [this.tables.a.views.red?.pieces ?? [], this.tables.b.views.red?.pieces ?? []];
    const inB = new Set(b);
    return a.filter((piece) => !inB.has(piece)).map((piece) => squareOf(piece));
  }

  get isPlaying() {
    return this.tables.a.views.red?.phase === "playing";
  }

  /** @param {string} square */
  isEmpty(square) {
    return !this.tables.a.views.red?.pieces.some((piece) => squareOf(piece) === square);
  }

  /** Makes a random turn that leaves the exchanged ranks unknown. @param {boolean} isShown */
  async turn(isShown) {
    const side = this.tables.a.views.red?.turn;
    if (!side) return;
    const swapped = this.swapped();
    const legal = (await this.legal(side)).filter((command) => {
      if (command.kind === "color") return true;
      if (command.kind !== "move") return false;
      const { from, to } = parseMove(command.move);
      return !swapped.includes(to) && (!swapped.includes(from) || this.isEmpty(to));
    });
    const own = legal.filter((command) => command.kind === "move" && swapped.includes(parseMove(command.move).from));
    const list = own.length > 0 && this.random(2) === 0 ? own : legal;
    const command = list[this.random(list.length)];
    if (command) await this.act(side, command, command, isShown);
  }

  /**
   * Two exchanged pieces of Red leave the board and come back, in the same order of their ranks in
   * both sessions. They come back on other squares: where a piece stood, only one of two sessions
   * would have another rank than before, and Red's own page would name it anew there.
   * @param {[string, string]} ranks @param {boolean} isShown
   */
  async exchange(ranks, isShown) {
    const pieces = (this.tables.a.views.red?.pieces ?? []).filter((piece) => this.swapped().includes(squareOf(piece))).map(parsePiece);
    const pair = ranks.map((rank) => pieces.find(({ identity }) => identity === rank)?.square);
    for (const square of pair) {
      if (square && await this.isRedToMove(isShown)) await this.act("red", { kind: "remove", square }, undefined, isShown);
    }
    for (const rank of ranks) {
      if (!await this.isRedToMove(isShown)) return;
      const places = (await this.legal("red")).filter((command) => command.kind === "place" && command.rank === NAMES[rank] && !command.labeled
        && !pair.includes(command.square));
      const command = places[this.random(places.length)];
      if (command) await this.act("red", command, undefined, isShown);
      if (!isShown) this.show();
    }
  }

  /** Lets Blue move, and owed colors be named. @param {boolean} isShown */
  async isRedToMove(isShown) {
    const view = () => this.tables.a.views.red;
    for (let turns = 0; turns < 4 && (view()?.turn === "blue" || view()?.owed_color); turns++) await this.turn(isShown);
    return this.isPlaying && view()?.turn === "red" && !view()?.owed_color;
  }

  end() {
    this.tables.a.end();
    this.tables.b.end();
  }
}

/** Red's deployment, and the same with two pieces exchanged. @param {Rules} rules @param {(below: number) => number} random @param {[string, string]} ranks */
function exchanged(rules, random, [x, y]) {
  const setup = [...randomSetup(rules, random)];
  // In the front row, so that they get to move.
  const front = shuffle(Array.from({ length: rules.columns }, (_, n) => n), random);
  const pairs = rules.reserve ? 2 : 1;
  /** @type {string[]} */
  const other = [];
  for (let n = 0; n < pairs; n++) {
    /** @param {string} rank @param {number} to */
    const put = (rank, to) => {
      const from = setup.findIndex((letter, at) => letter === rank && !front.slice(0, 2 * n).includes(at));
      [setup[from], setup[to]] = [setup[to] ?? ".", setup[from] ?? "."];
    };
    put(x, front[2 * n] ?? 0);
    put(y, front[2 * n + 1] ?? 1);
  }
  setup.forEach((letter, at) => (other[at] = letter));
  for (let n = 0; n < pairs; n++) [other[front[2 * n] ?? 0], other[front[2 * n + 1] ?? 1]] = [y, x];
  return { a: setup.join(""), b: other.join("") };
}

/**
 * Plays a pair.
 * @param {Rules} rules @param {{ seed: number, plies: number }} amount @returns {Promise<Pair>}
 */
export async function playPair(rules, { seed, plies }) {
  const both = new Both(rules, seed);
  const [x, y] = PLAIN_RANKS.filter((rank) => (rules.army[rank] ?? 0) > 0);
  const ranks = /** @type {[string, string]} */ ([x, y]);
  try {
    await both.begin();
    if (rules.start === "deployments") {
      const red = exchanged(rules, both.random, ranks);
      await both.act("red", { kind: "deploy", setup: red.a }, { kind: "deploy", setup: red.b });
      await both.act("blue", { kind: "deploy", setup: randomSetup(rules, both.random) });
    }
    if (rules.start === "coins") await playCoins(both, ranks, plies);
    else await playPieces(both, ranks, plies);
    return { ranks, a: both.streams.a, b: both.streams.b, swapped: both.swapped().length };
  } finally {
    both.end();
  }
}

/** @param {Both} both @param {[string, string]} ranks @param {number} plies */
async function playPieces(both, ranks, plies) {
  for (let ply = 0; ply < plies && both.isPlaying; ply++) {
    // Now and then an audience is behind and gets the position alone.
    const isShown = ply % 7 !== 5;
    await both.turn(isShown);
    if (!isShown) both.show();
    if (both.rules.reserve && (ply === 4 || ply === 8)) await both.exchange(ranks, ply === 4);
  }
}

/** Coins have no ranks to exchange until one is named: the pair ends with that. @param {Both} both @param {[string, string]} ranks @param {number} plies */
async function playCoins(both, ranks, plies) {
  for (let ply = 0; ply < plies * 6 && both.isPlaying; ply++) {
    const strike = both.tables.a.views.red?.pending_strike;
    if (!strike) {
      const side = /** @type {"red" | "blue"} */ (both.tables.a.views.red?.turn);
      const legal = (await both.legal(side)).filter(({ kind }) => kind === "move");
      const strikes = legal.filter((command) => command.kind === "move" && !both.isEmpty(parseMove(command.move).to));
      const list = strikes.length > 0 ? strikes : legal;
      const command = list[both.random(list.length)];
      if (!command) return;
      await both.act(side, command, command, ply % 7 !== 5);
      if (ply % 7 === 5) both.show();
      continue;
    }
    if (strike.owes.red && strike.owes.blue) {
      const legal = (await both.legal("red")).filter(({ kind }) => kind === "choose");
      const named = ranks.map((letter) => legal.find((command) => command.kind === "choose" && command.rank === NAMES[letter]));
      if (named[0] && named[1]) {
        await both.act("red", named[0], named[1]);
        return both.show();
      }
    }
    const side = strike.owes.red ? "red" : "blue";
    // A lost Flag would end the game.
    const choices = (await both.legal(side)).filter((command) => command.kind === "choose" && command.rank !== "flag");
    const choice = choices[both.random(choices.length)];
    if (!choice) return;
    await both.act(side, choice);
  }
}

/**
 * A random game as one side is sent it, up to a number of plies or its end.
 * @param {Rules} rules @param {{ seed: number, plies: number, id?: string }} how @returns {Promise<ServerMessage[]>}
 */
export async function playLong(rules, { seed, plies, id = GAME }) {
  const table = new Table();
  const random = chance(seed);
  let at = BEGIN;
  try {
    const time = { kind: "fischer", base_s: 600, increment_s: 5 };
    await table.begin({ type: "new_game", ruleset: rules.id, deploy_ms: 300_000, time, seed, at });
    const messages = [gameMessage(structuredClone(/** @type {GameView} */ (table.views.red)), 0, id)];
    /** @param {"red" | "blue"} side @param {GameCommand} command */
    const act = async (side, command) => {
      /** @type {import("./games.js").Step[]} */
      const steps = [];
      at += 500;
      await table.act({ type: "command", side, command, at }, steps);
      for (const { event, change } of steps[0]?.seen ?? []) messages.push({ type: "event", game: id, seq: messages.length, event, change });
    };
    await act("red", { kind: "deploy", setup: randomSetup(rules, random) });
    await act("blue", { kind: "deploy", setup: randomSetup(rules, random) });
    while (table.views.red?.phase === "playing" && table.views.red.ply < plies) {
      const side = /** @type {"red" | "blue"} */ (table.views.red.turn);
      const legal = await table.legal(side);
      const isStrike = random(12) === 0;
      // Strikes are rare, so that the game is long; without any, it is a draw.
      const quiet = legal.filter((command) => command.kind === "move"
        && !table.views.red?.pieces.some((piece) => squareOf(piece) === parseMove(command.move).to));
      const flag = table.views[side === "red" ? "blue" : "red"]?.pieces.find((piece) => /[rb]F/.test(piece));
      const all = legal.filter((command) => command.kind === "color" || (command.kind === "move" && parseMove(command.move).to !== (flag && squareOf(flag))));
      const moves = quiet.length > 0 && !isStrike ? quiet : all;
      const command = moves[random(moves.length)];
      if (!command) break;
      await act(side, command);
    }
    if (table.views.red?.phase === "playing") await act("red", { kind: "resign" });
    return messages;
  } finally {
    table.end();
  }
}
