// A line to the server with the time of a test.

import assert from "node:assert/strict";
import { barOf, newLine, step, wakeAt } from "../page/net/line.js";

/** @typedef {import("../page/net/line.js").Input} Input */
/** @typedef {import("../page/net/line.js").Effect} Effect */
/** @typedef {import("../types/messages").ServerMessage} ServerMessage */
/** @typedef {import("../types/messages").GameView} GameView */

export const GAME = "0fxm529wdncz";
export const ANN = /** @type {import("../types/messages").Player} */ ({ id: "p-1", name: "ann", kind: "guest" });
export const BOB = /** @type {import("../types/messages").Player} */ ({ id: "p-2", name: "bob", kind: "account" });
export const TERMS = /** @type {const} */ ({ ruleset: "classic", time: { kind: "unlimited" } });

/** A line with its time and everything it has done. */
export class Sim {
  constructor() {
    this.now = 1_000_000;
    this.line = newLine(this.now);
    /** @type {Effect[]} */
    this.effects = [];
    this.sequence = 0;
  }

  /** @param {Input} input */
  put(input) {
    const { line, effects } = step(this.line, input, { now: this.now, random: 1 });
    this.line = line;
    this.effects.push(...effects);
    return effects;
  }

  /** @param {ServerMessage} message */
  hear(message) {
    return this.put({ kind: "message", message });
  }

  /** Lets time pass, with the ticks that the line asks for. @param {number} ms */
  wait(ms) {
    const end = this.now + ms;
    for (let at = wakeAt(this.line); at <= end; at = wakeAt(this.line)) {
      this.now = Math.max(this.now, at);
      this.put({ kind: "tick" });
      // Or the page would be woken again and again.
      const isTry = this.line.link === "down" && this.line.retryAt === this.now;
      assert.ok(isTry || wakeAt(this.line) > this.now, "a tick does all that is due");
    }
    this.now = end;
    this.put({ kind: "tick" });
  }

  /** Lets time pass while the server is heard. @param {number} seconds */
  listen(seconds, fields = {}) {
    for (let n = 0; n < seconds; n += 5) {
      this.wait(5_000);
      this.hear({ type: "ping", id: n, server_time: this.now, heads: [], ...fields });
    }
  }

  /** The messages sent since the last call. */
  sent() {
    const sent = this.effects.flatMap((effect) => (effect.kind === "send" ? [effect.message] : []));
    this.effects = [];
    return sent;
  }

  bar() {
    return barOf(this.line, GAME);
  }

  /** @param {Partial<ServerMessage & { type: "welcome" }>} [fields] */
  welcome(fields = {}) {
    this.put({ kind: "opened" });
    this.hear(/** @type {ServerMessage} */ ({
      type: "welcome", player: ANN, protocol: 1, server: "flagfall", server_time: this.now, games: [], ...fields,
    }));
  }

  /** @param {string} move @param {number} [ply] */
  move(move, ply = 0) {
    const id = `c-${++this.sequence}`;
    this.put({ kind: "ask", id, request: { type: "command", game: GAME, ply, epoch: 1, command: { kind: "move", move } } });
    return id;
  }
}

/** @param {Partial<GameView>} [fields] @returns {GameView} */
export function view(fields) {
  return {
    audience: "red", ruleset: "classic", phase: "playing", ready: { red: true, blue: true }, lakes: [],
    pieces: ["a4r6", "a7b?"], captured: { red: {}, blue: {}  }, ply: 0, turn: "red",
    commitments: { red: null, blue: null }, opened: { red: null, blue: null }, ...fields,
  };
}

/** @param {Partial<ServerMessage & { type: "game" }>} [fields] @returns {ServerMessage} */
export function game(fields) {
  return /** @type {ServerMessage} */ ({
    type: "game", audience: "red", driving: true, epoch: 1, seq: 3, view: view(),
    game: { id: GAME, created: 0, phase: "playing", ply: 0, players: { red: ANN, blue: BOB }, terms: TERMS },
    presence: { red: "present", blue: "present" }, ...fields,
  });
}

/** @param {string} move @param {number} seq @returns {ServerMessage} */
export function moved(move, seq) {
  const to = move.slice(2);
  return {
    type: "event", game: GAME, seq,
    event: { kind: "moved", side: "red", move, piece: "6" }, change: { turn: "blue", pieces: [`${to}r6'`] },
  };
}

/** The line of a tab in which Red plays. */
export function playing() {
  const sim = new Sim();
  sim.put({ kind: "tick" });
  sim.welcome();
  sim.put({ kind: "open_game", game: GAME });
  sim.hear(game());
  sim.sent();
  return sim;
}
