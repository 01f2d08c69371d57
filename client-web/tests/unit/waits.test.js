// What the player waits with for an opponent, and what they are told when they come back.

import assert from "node:assert/strict";
import test from "node:test";
import { NO_WAITS, follow, hear, isWaiting } from "../../page/net/waits.js";
import { ANN, BOB, Sim, TERMS } from "../line_sim.js";

/** @typedef {import("../../types/messages").Seek} Seek */
/** @typedef {import("../../types/messages").ServerMessage} ServerMessage */
/** @typedef {import("../../page/net/line.js").Input} Input */

/** A line whose waits are followed, as `notices.js` does it. */
class Followed extends Sim {
  waits = NO_WAITS;
  /** @type {import("../../page/net/line.js").Request[]} */
  gone = [];
  /** @type {string[]} */
  begun = [];

  /** @override @param {Input} input */
  put(input) {
    const effects = super.put(input);
    this.#take(follow(this.waits, this.line));
    for (const effect of effects) if (effect.kind === "message") this.#take(hear(this.waits, effect.message));
    return effects;
  }

  /** @param {import("../../page/net/waits.js").Followed} followed */
  #take({ waits, gone, begun }) {
    this.waits = waits;
    this.gone.push(...gone);
    this.begun.push(...begun.map(({ id }) => id));
  }

  get isWaiting() {
    return isWaiting(this.waits, this.now);
  }

  /** Loses the link, and comes back to these games. @param {...string} games */
  back(...games) {
    this.put({ kind: "closed", code: 1006 });
    this.put({ kind: "tick" });
    this.welcome({ games: games.map(gameOf) });
  }
}

/** @param {string} id @param {Partial<Seek>} [fields] @returns {Seek} */
const seekOf = (id, fields) => ({ id, seeker: ANN, terms: TERMS, ...fields });
/** @param {Seek[]} seeks @returns {ServerMessage} */
const lobbyOf = (...seeks) => ({ type: "lobby", number: 1, seeks, games: [], players_online: 1 });
/** @param {string} id @returns {any} */
const gameOf = (id) => ({ id, created: 0, phase: "deploying", ply: 0, players: { red: ANN, blue: BOB }, terms: TERMS });
/** @param {Sim} sim @param {object} fields @returns {ServerMessage} */
const linkOf = (sim, fields) => /** @type {any} */ ({ type: "challenge", challenge: "c1", challenger: ANN, terms: TERMS, expires: sim.now + 100_000, ...fields });

function atHome() {
  const sim = new Followed();
  sim.put({ kind: "tick" });
  sim.welcome();
  sim.put({ kind: "open_lobby" });
  sim.hear(lobbyOf());
  return sim;
}

/** @param {Sim} sim */
function enterPool(sim) {
  sim.put({ kind: "ask", id: "c-1", request: { type: "enter_pool", terms: TERMS } });
  sim.hear({ type: "accepted", cmd_id: "c-1", outcome: { kind: "done" } });
}

test("a place in the pool is a wait until it is given up", () => {
  const sim = atHome();
  assert.equal(sim.isWaiting, false);
  enterPool(sim);
  sim.listen(20, { pool: { since: 0, waiting: 1 } });
  assert.equal(sim.isWaiting, true);
  sim.put({ kind: "ask", id: "c-2", request: { type: "leave_pool" } });
  sim.hear({ type: "accepted", cmd_id: "c-2", outcome: { kind: "done" } });
  assert.equal(sim.isWaiting, false);
});

test("an own offer is a wait on every page, until it is withdrawn or becomes a game", () => {
  const sim = atHome();
  sim.hear({ type: "lobby_changed", number: 2, players_online: 1, change: { added: [seekOf("s1")] } });
  sim.put({ kind: "close_lobby" });
  assert.equal(sim.isWaiting, true);
  sim.hear({ type: "game_started", game: gameOf("g1"), side: "red" });
  assert.equal(sim.isWaiting, false);
  sim.put({ kind: "open_lobby" });
  sim.hear(lobbyOf(seekOf("s2"), seekOf("s3", { seeker: BOB })));
  assert.equal(sim.isWaiting, true);
  sim.hear({ type: "lobby_changed", number: 2, players_online: 1, change: { removed: [0] } });
  assert.equal(sim.isWaiting, false);
  assert.deepEqual(sim.gone, []);
});

test("a link for a friend is a wait until it is answered, withdrawn or expired; that of somebody else is none", () => {
  const sim = atHome();
  sim.hear(linkOf(sim, { challenger: BOB }));
  assert.equal(sim.isWaiting, false);
  for (const end of [
    () => sim.hear({ type: "challenge_answered", challenge: "c1", accepted: false, by: BOB }),
    () => sim.put({ kind: "ask", id: "c-1", request: { type: "cancel_challenge", challenge: "c1" } }),
    () => sim.listen(100),
  ]) {
    sim.hear(linkOf(sim, {}));
    assert.equal(sim.isWaiting, true);
    end();
    assert.equal(sim.isWaiting, false);
  }
});

test("players who come back learn what ended meanwhile, with what it takes to wait again", () => {
  const sim = atHome();
  const narrow = seekOf("s1", { side: "red", rating: { min: 900 } });
  sim.hear(lobbyOf(narrow, seekOf("s2"), seekOf("s3", { seeker: BOB })));
  enterPool(sim);
  sim.back();
  sim.hear(lobbyOf(narrow, seekOf("s2")));
  sim.listen(5, { pool: { since: 0, waiting: 1 } });
  assert.deepEqual(sim.gone, [], "nothing has ended yet");
  sim.back();
  sim.hear(lobbyOf(seekOf("s2")));
  sim.listen(5);
  assert.deepEqual(sim.gone, [
    { type: "seek", terms: TERMS, side: "red", rating: { kind: "between", min: 900 } }, { type: "enter_pool", terms: TERMS },
  ]);
  // What players end themselves is not reported, and neither is what a shortened list lacks.
  sim.back();
  sim.hear(lobbyOf(...Array.from({ length: 80 }, (_, at) => seekOf(`x${at}`, { seeker: BOB }))));
  sim.listen(5);
  assert.equal(sim.gone.length, 2);
  assert.equal(sim.isWaiting, true);
});

test("a page without the lobby hears whether the offers are still there", () => {
  const sim = atHome();
  sim.hear(lobbyOf(seekOf("s1"), seekOf("s2")));
  sim.put({ kind: "close_lobby" });
  sim.back();
  sim.hear(lobbyOf(seekOf("s2")));
  assert.equal(sim.line.lobby, undefined);
  assert.equal(sim.gone.length, 1);
  assert.deepEqual(sim.waits.seeks.map(({ id }) => id), ["s2"]);
});

test("an own offer that a filter hides is still a wait, and is not missed later", () => {
  const sim = atHome();
  const filter = { ruleset: "barrage" };
  sim.hear(lobbyOf(seekOf("s1"), seekOf("s2")));
  sim.put({ kind: "open_lobby", filter });
  sim.hear(lobbyOf());
  sim.back();
  sim.hear(lobbyOf());
  assert.deepEqual(sim.gone, []);
  assert.equal(sim.isWaiting, true);
  sim.put({ kind: "ask", id: "c-1", request: { type: "cancel_seek", seek: "s1" } });
  sim.put({ kind: "open_lobby" });
  sim.hear(lobbyOf());
  assert.equal(sim.gone.length, 1, "the server has ended the other one");
  assert.equal(sim.isWaiting, false);
});

test("a game that began while the line was away is announced, and its offer is not missed", () => {
  const sim = atHome();
  sim.hear(lobbyOf(seekOf("s1")));
  sim.back("g1");
  assert.deepEqual(sim.begun, ["g1"]);
  sim.hear(lobbyOf());
  sim.back("g1", "g2");
  assert.deepEqual(sim.begun, ["g1"], "nobody waited any more");
  assert.deepEqual(sim.gone, []);
});

test("another player has no part in what the one before waited with", () => {
  const sim = atHome();
  sim.hear(lobbyOf(seekOf("s1")));
  sim.put({ kind: "session", ok: true });
  sim.welcome({ player: BOB, games: [gameOf("g1")] });
  sim.hear(lobbyOf());
  assert.deepEqual([sim.isWaiting, sim.gone, sim.begun], [false, [], []]);
});
