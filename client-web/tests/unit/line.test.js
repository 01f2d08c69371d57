// The line to the server: every state of the bar, and that no command is lost or made twice.

import assert from "node:assert/strict";
import test from "node:test";
import { barOf, newId, underWay } from "../../page/net/line.js";
import { ANN, BOB, GAME, Sim, TERMS, game, moved, playing, view } from "../line_sim.js";

/** @typedef {import("../../types/messages").ServerMessage} ServerMessage */

test("a line connects at once, says hello, and opens what was asked for before", () => {
  const sim = new Sim();
  sim.put({ kind: "open_game", game: GAME });
  sim.put({ kind: "open_lobby" });
  assert.deepEqual(sim.put({ kind: "tick" }), [{ kind: "connect" }]);
  sim.welcome();
  assert.deepEqual(sim.sent().map(({ type }) => type), ["hello", "open_game", "open_lobby"]);
  assert.equal(sim.bar(), undefined);
});

test("the lobby is followed by changes, and asked for again after a gap", () => {
  const sim = new Sim();
  sim.put({ kind: "tick" });
  sim.welcome({ lobby_changes: true });
  sim.sent();
  sim.put({ kind: "open_lobby" });
  assert.deepEqual(sim.sent(), [{ type: "open_lobby", changes: true, filter: undefined }]);
  const seek = (/** @type {string} */ id) => ({ id, seeker: BOB, terms: TERMS });
  const summary = (/** @type {string} */ id) => ({ id, created: 0, phase: /** @type {const} */ ("playing"), ply: 3, players: { red: ANN, blue: BOB }, terms: TERMS });
  sim.hear({ type: "lobby", number: 7, seeks: [seek("s1"), seek("s3")], games: [summary("g1"), summary("g2")], players_online: 2 });
  sim.hear({
    type: "lobby_changed", number: 8, players_online: 3,
    change: {
      removed: [1], added: [{ at: 0, ...seek("s0") }, { at: 2, ...seek("s2") }],
      gone: ["g1"], came: [{ at: 1, game: summary("g3") }], progress: [{ game: "g2", phase: "playing", ply: 4, turn: "blue" }],
    },
  });
  const shown = () => [sim.line.lobby?.seeks.map(({ id }) => id), sim.line.lobby?.games.map(({ id, ply }) => `${id} ${ply}`), sim.line.lobby?.players_online];
  assert.deepEqual(shown(), [["s0", "s1", "s2"], ["g2 4", "g3 3"], 3]);
  sim.sent();
  sim.hear({ type: "lobby_changed", number: 10, players_online: 4, change: { removed: [0] } });
  assert.deepEqual(sim.sent(), [{ type: "open_lobby", changes: true, filter: undefined }]);
  assert.equal(sim.line.lobby?.seeks.length, 3, "a change after a gap is not applied");
});

test("a filter is sent to servers that know filters, again when it changes, and after a reconnect", () => {
  const sim = new Sim();
  const filter = { ruleset: "barrage", rated: false };
  sim.put({ kind: "open_lobby", filter });
  sim.put({ kind: "tick" });
  sim.welcome();
  assert.deepEqual(sim.sent().at(-1), { type: "open_lobby" });
  sim.put({ kind: "closed", code: 1006 });
  sim.put({ kind: "tick" });
  sim.welcome({ lobby_changes: true });
  assert.deepEqual(sim.sent().at(-1), { type: "open_lobby", changes: true, filter });
  /** @type {ServerMessage} */
  const lobby = { type: "lobby", number: 7, seeks: [], games: [], players_online: 2 };
  sim.hear(lobby);
  sim.put({ kind: "open_lobby" });
  assert.deepEqual(sim.sent(), [{ type: "open_lobby", changes: true, filter: undefined }]);
  assert.equal(sim.line.lobby?.filter, filter, "until the server answers");
  sim.hear(lobby);
  assert.equal(sim.line.lobby?.filter, undefined);
});

test("a new seek takes its seeker and its terms from others", () => {
  const sim = new Sim();
  sim.put({ kind: "tick" });
  sim.welcome({ lobby_changes: true });
  sim.sent();
  sim.put({ kind: "open_lobby" });
  const seek = (/** @type {string} */ id, seeker = BOB, terms = TERMS) => ({ id, seeker, terms });
  sim.hear({ type: "lobby", number: 7, seeks: [seek("s0"), seek("s1", ANN), seek("s2")], games: [], players_online: 2 });
  const rated = { ...TERMS, rated: true };
  sim.hear({
    type: "lobby_changed", number: 8, players_online: 2,
    change: {
      removed: [0, 2],
      added: [
        { at: 0, id: "s3", seeker_of: 0, terms: rated },
        { id: "s4", seeker: BOB, terms_of: 0 },
        { id: "s5", seeker_of: 2, terms_of: 1, side: "red" },
        { id: "s6", seeker_of: 9, terms_of: 0 },
      ],
    },
  });
  const expected = [seek("s3", ANN, rated), seek("s1", ANN), seek("s4", BOB, rated), { ...seek("s5"), side: "red" }];
  assert.deepEqual(sim.line.lobby?.seeks, expected);
});

test("the pauses between tries double up to five seconds", () => {
  const sim = new Sim();
  sim.put({ kind: "tick" });
  const pauses = [];
  for (let n = 0; n < 8; n++) {
    sim.put({ kind: "closed", code: 1006 });
    pauses.push(sim.line.retryAt - sim.now);
    sim.wait(pauses.at(-1) ?? 0);
    assert.equal(sim.line.link, "connecting");
  }
  assert.deepEqual(pauses, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  sim.welcome();
  sim.put({ kind: "closed", code: 1006 });
  assert.equal(sim.line.retryAt, sim.now, "at once after a welcome");
});

test("events are followed, a missing one opens the game again, an old one is ignored", () => {
  const sim = playing();
  sim.hear(moved("a4a5", 4));
  assert.deepEqual(sim.line.games[GAME]?.loaded?.view.pieces, ["a5r6'", "a7b?"]);
  assert.deepEqual(sim.effects.map((effect) => effect.kind), ["news"]);
  sim.hear(moved("a4a5", 4));
  sim.hear(moved("a5a6", 6));
  assert.deepEqual(sim.sent(), [{ type: "open_game", game: GAME, since: { epoch: 1, seq: 4 } }]);
  sim.hear(moved("a5a6", 7));
  assert.deepEqual(sim.sent(), [], "asked once");
  sim.hear(game({ seq: 7, view: view({ ply: 4 }) }));
  assert.equal(sim.line.games[GAME]?.loaded?.seq, 7);
});

test("a ping is answered, and one that knows of more opens the game again", () => {
  const sim = playing();
  sim.hear({ type: "ping", id: 9, server_time: 5, heads: [{ game: GAME, seq: 5 }] });
  assert.deepEqual(sim.sent(), [
    { type: "open_game", game: GAME, since: { epoch: 1, seq: 3 } }, { type: "pong", id: 9 },
  ]);
});

test("a lost link shows after a second, with the move that is on its way, which is sent again", () => {
  const sim = playing();
  const id = sim.move("a4a5");
  assert.equal(underWay(sim.line, GAME).length, 1);
  sim.put({ kind: "closed", code: 1006 });
  assert.equal(sim.bar(), undefined);
  sim.put({ kind: "tick" });
  sim.put({ kind: "closed", code: 1006 });
  sim.wait(1_000);
  assert.deepEqual(sim.bar(), { key: "reconnecting", move: "a4a5" });
  const { line } = sim;
  sim.wait(100);
  assert.equal(sim.line, line, "nothing is drawn anew while it lasts");
  sim.sent();
  sim.welcome();
  const again = sim.sent();
  assert.deepEqual(again.map(({ type }) => type), ["hello", "open_game", "command"]);
  assert.equal(/** @type {any} */ (again[2]).cmd_id, id, "with the same id");
  sim.hear({ type: "accepted", cmd_id: id, outcome: { kind: "game", game: GAME, seq: 4 } });
  assert.equal(underWay(sim.line, GAME).length, 0);
  assert.equal(sim.bar(), undefined);
});

test("a link that hangs while it is made shows after a second", () => {
  const sim = new Sim();
  sim.put({ kind: "tick" });
  assert.equal(sim.bar(), undefined);
  const { line } = sim;
  sim.wait(1_000);
  assert.notEqual(sim.line, line, "who draws the line hears of it");
  assert.deepEqual(sim.bar(), { key: "reconnecting" });
  sim.welcome();
  assert.equal(sim.bar(), undefined);
});

test("a silent link is lost", () => {
  const sim = playing();
  sim.wait(9_000);
  assert.equal(sim.line.link, "up");
  sim.wait(1_500);
  assert.ok(sim.effects.some(({ kind }) => kind === "disconnect"));
  assert.equal(sim.line.link, "connecting");
});

test("offline, nothing is tried until the browser is back", () => {
  const sim = playing();
  sim.put({ kind: "offline" });
  assert.deepEqual(sim.bar(), { key: "offline" });
  sim.effects = [];
  sim.wait(60_000);
  assert.deepEqual(sim.effects, []);
  sim.put({ kind: "online" });
  assert.deepEqual(sim.effects, [{ kind: "connect" }]);
});

test("while the store is away, moves are kept and asked again", () => {
  const sim = playing();
  sim.hear({ type: "store_state", available: false });
  assert.deepEqual(sim.bar(), { key: "store_away" });
  const id = sim.move("a4a5");
  sim.sent();
  for (const pause of [100, 200, 400, 800, 1_600, 2_000, 2_000]) {
    sim.hear({ type: "refused", cmd_id: id, game: GAME, code: "store_unavailable", message: "" });
    sim.wait(pause - 1);
    assert.deepEqual(sim.sent(), []);
    sim.wait(1);
    assert.equal(sim.sent().filter(({ type }) => type === "command").length, 1, `after ${pause} ms`);
  }
  sim.hear({ type: "refused", cmd_id: id, game: GAME, code: "store_unavailable", message: "" });
  sim.hear({ type: "store_state", available: true });
  sim.put({ kind: "tick" });
  assert.equal(sim.sent().filter(({ type }) => type === "command").length, 1);
  assert.equal(sim.bar(), undefined);
});

test("while a part of the store is away, only its games stand still", () => {
  const sim = playing();
  sim.hear({ type: "store_state", available: false, game: "ba9876543210" });
  assert.equal(sim.bar(), undefined);
  sim.hear({ type: "store_state", available: false, game: GAME });
  assert.deepEqual(sim.bar(), { key: "store_away" });
  const id = sim.move("a4a5");
  sim.hear({ type: "refused", cmd_id: id, game: GAME, code: "store_unavailable", message: "" });
  sim.sent();
  sim.hear({ type: "store_state", available: true, game: GAME });
  sim.put({ kind: "tick" });
  assert.equal(sim.sent().filter(({ type }) => type === "command").length, 1);
  assert.equal(sim.bar(), undefined);
});

test("a command that cannot be saved says so on its own page, until it is accepted", () => {
  const sim = playing();
  const onHome = () => barOf(sim.line, undefined)?.key;
  const refuse = (/** @type {string} */ id, times = 5) => {
    for (let n = 0; n < times; n++) sim.hear({ type: "refused", cmd_id: id, code: "store_unavailable", message: "" });
  };
  sim.put({ kind: "ask", id: "c-seek", request: { type: "seek", terms: TERMS } });
  refuse("c-seek", 4);
  assert.equal(onHome(), undefined, "a short gap is not shown");
  refuse("c-seek", 1);
  assert.deepEqual([onHome(), sim.bar()], ["store_away", undefined], "the game goes on");
  sim.hear({ type: "accepted", cmd_id: "c-seek", outcome: { kind: "done" } });
  const id = sim.move("a4a5");
  refuse(id);
  assert.deepEqual([onHome(), sim.bar()], [undefined, { key: "store_away" }]);
  sim.hear({ type: "accepted", cmd_id: id, outcome: { kind: "game", game: GAME, seq: 4 } });
  assert.deepEqual([onHome(), sim.bar()], [undefined, undefined], "no message of the store comes");
});

test("a tab that another one has taken over can take back while the store is away", () => {
  const sim = playing();
  sim.hear({ type: "superseded", game: GAME });
  sim.hear({ type: "store_state", available: false });
  assert.deepEqual(sim.bar(), { key: "superseded" });
});

test("a server without its store is tried again, slower", () => {
  const sim = playing();
  sim.put({ kind: "closed", code: 1013 });
  assert.deepEqual(sim.bar(), { key: "store_away" });
  assert.equal(sim.line.retryAt - sim.now, 5_000);
});

test("a server that restarts says so", () => {
  const sim = playing();
  sim.put({ kind: "closed", code: 4000 });
  assert.deepEqual(sim.bar(), { key: "restarting" });
  sim.welcome();
  assert.equal(sim.bar(), undefined);
});

test("a new epoch is shown until it is seen or the game goes on", () => {
  const sim = playing();
  const id = sim.move("a4a5");
  sim.hear(game({ epoch: 2, seq: 1 }));
  assert.deepEqual(sim.bar(), { key: "new_epoch" });
  sim.effects = [];
  sim.hear({ type: "refused", cmd_id: id, game: GAME, code: "stale_epoch", message: "" });
  assert.deepEqual(sim.effects.map(({ kind }) => kind), ["answer", "send"], "not made, and looked at again");
  sim.hear(game({ epoch: 2, seq: 1 }));
  assert.deepEqual(sim.bar(), { key: "new_epoch" });
  sim.put({ kind: "seen_epoch", game: GAME });
  assert.equal(sim.bar(), undefined);
});

test("a tab that another one has taken over can take back", () => {
  const sim = playing();
  sim.hear({ type: "superseded", game: GAME });
  assert.deepEqual(sim.bar(), { key: "superseded" });
  sim.put({ kind: "open_game", game: GAME });
  assert.equal(sim.sent()[0]?.type, "open_game");
  sim.hear(game());
  assert.equal(sim.bar(), undefined);
});

test("a tab that another one has taken over leaves it the game when its line comes back", () => {
  const sim = playing();
  sim.hear({ type: "superseded", game: GAME });
  sim.put({ kind: "closed", code: 1006 });
  sim.wait(1_000);
  sim.effects = [];
  sim.welcome();
  sim.hear({ type: "ping", id: 1, server_time: 0, heads: [{ game: GAME, seq: 9 }] });
  assert.deepEqual(sim.sent().map(({ type }) => type), ["hello", "pong"]);
  // It follows the game. Neither a gap nor a move that came too late makes it open the game again.
  const id = sim.move("a4a5");
  sim.hear({ type: "refused", cmd_id: id, game: GAME, code: "stale_ply", message: "" });
  sim.hear(moved("a5a6", 6));
  assert.deepEqual(sim.sent().map(({ type }) => type), ["command"]);
  assert.deepEqual(sim.bar(), { key: "superseded" });
  sim.put({ kind: "open_game", game: GAME });
  assert.equal(sim.sent()[0]?.type, "open_game");
});

for (const [code, key] of /** @type {const} */ ([
  [4100, "seat_gone"], [4101, "seat_gone"], [4102, "old_page"], [4103, "account_closed"], [4105, "too_many_tabs"], [1008, "broken_line"],
])) {
  test(`after ${code} nothing is tried until the player asks`, () => {
    const sim = playing();
    sim.put({ kind: "closed", code });
    assert.equal(sim.bar()?.key, key);
    sim.effects = [];
    sim.wait(60_000);
    assert.deepEqual(sim.effects, []);
    sim.put({ kind: "retry" });
    assert.deepEqual(sim.effects, [{ kind: "connect" }]);
  });
}

test("an account that was logged out or closed is forgotten, and only the former is tried again", () => {
  for (const [code, bar] of /** @type {const} */ ([[4101, { key: "logged_out", canRetry: true }], [4103, { key: "account_closed", canRetry: false }]])) {
    const sim = new Sim();
    sim.put({ kind: "tick" });
    sim.welcome({ player: BOB });
    sim.put({ kind: "closed", code });
    assert.deepEqual(sim.bar(), bar);
    assert.equal(sim.line.player, undefined);
    // Who logs in or plays on as a guest has a new session.
    sim.put({ kind: "session", ok: true });
    sim.welcome();
    assert.equal(sim.bar(), undefined);
  }
});

test("a damaged game says so, and can be opened again", () => {
  const sim = playing();
  sim.hear({ type: "game_unavailable", game: GAME, code: "game_quarantined", message: "It is damaged." });
  assert.deepEqual(sim.bar(), { key: "quarantined" });
  sim.hear(game());
  assert.equal(sim.bar(), undefined);
});

test("a game that is not there says why", () => {
  const sim = new Sim();
  sim.put({ kind: "tick" });
  sim.welcome();
  sim.put({ kind: "open_game", game: GAME });
  sim.hear({ type: "refused", game: GAME, code: "too_many_games", message: "At most 4.", args: { most: 4 } });
  const trouble = { code: "too_many_games", message: "At most 4.", args: { most: 4 } };
  assert.deepEqual(sim.line.games[GAME]?.trouble, trouble, "its values are kept for other languages");
});

test("a paused game says so", () => {
  const sim = playing();
  sim.hear({ type: "event", game: GAME, seq: 4, event: { kind: "paused", since: 5 }, change: {} });
  assert.deepEqual(sim.bar(), { key: "paused" });
});

test("the first act makes a session, and is sent on the new line", () => {
  const sim = new Sim();
  sim.put({ kind: "tick" });
  sim.welcome({ player: /** @type {any} */ (undefined) });
  sim.effects = [];
  sim.put({ kind: "ask", id: "c-1", request: { type: "play_bot", bot: "simple", terms: TERMS } });
  sim.put({ kind: "ask", id: "c-2", request: { type: "seek", terms: TERMS } });
  assert.deepEqual(sim.effects, [{ kind: "make_session" }], "once");
  sim.effects = [];
  sim.put({ kind: "session", ok: true });
  assert.deepEqual(sim.effects, [{ kind: "disconnect" }, { kind: "connect" }]);
  sim.welcome();
  assert.deepEqual(sim.sent().map(({ type }) => type), ["hello", "play_bot", "seek"]);
});

test("without a session, what was asked is refused, and asked no more", () => {
  const nobody = { player: /** @type {any} */ (undefined) };
  const sim = new Sim();
  sim.put({ kind: "tick" });
  sim.welcome(nobody);
  const ask = () => sim.put({ kind: "ask", id: `c-${sim.now++}`, request: { type: "seek", terms: TERMS } });
  ask();
  assert.deepEqual(sim.put({ kind: "session", ok: false }).map(({ kind }) => kind), ["answer"]);
  assert.equal(sim.line.unanswered.length, 0);
  // A browser that keeps no cookie hears of it after one try.
  ask();
  sim.put({ kind: "session", ok: true });
  sim.effects = [];
  sim.welcome(nobody);
  assert.deepEqual(sim.effects.map(({ kind }) => kind), ["send", "server_time", "answer"]);
  assert.equal(sim.line.session, "none");
});

test("a cookie that is gone is made anew, with what still waits", () => {
  const sim = playing();
  sim.move("a4a5");
  sim.put({ kind: "closed", code: 1006 });
  sim.put({ kind: "tick" });
  sim.effects = [];
  sim.welcome({ player: /** @type {any} */ (undefined) });
  assert.equal(sim.effects.at(-1)?.kind, "make_session");
  assert.equal(sim.line.unanswered.length, 1);
});

test("what one player has asked for is not done by another one who logs in", () => {
  for (const [player, isSent] of /** @type {const} */ ([[ANN, true], [BOB, false]])) {
    const sim = playing();
    sim.put({ kind: "ask", id: "c-pool", request: { type: "enter_pool", terms: TERMS } });
    sim.put({ kind: "closed", code: 4101 });
    sim.put({ kind: "session", ok: true });
    sim.effects = [];
    sim.welcome({ player });
    const answers = sim.effects.flatMap((effect) => (effect.kind === "answer" ? [effect.message] : []));
    assert.deepEqual(answers, isSent ? [] : [{ type: "refused", cmd_id: "c-pool", code: "session_changed", message: "" }]);
    assert.equal(sim.line.unanswered.length, isSent ? 1 : 0);
    assert.equal(sim.sent().some(({ type }) => type === "enter_pool"), isSent);
  }
});

test("a tab that comes back connects at once, unless it has just heard the server", () => {
  const sim = playing();
  sim.put({ kind: "hidden" });
  sim.wait(3_000);
  assert.deepEqual(sim.put({ kind: "shown" }), []);
  sim.put({ kind: "hidden" });
  sim.wait(4_000);
  assert.deepEqual(sim.put({ kind: "shown" }).map(({ kind }) => kind), ["disconnect", "connect"]);
});

test("a hidden tab without a live game lets its line go", () => {
  const sim = playing();
  sim.put({ kind: "hidden" });
  sim.listen(70);
  assert.equal(sim.line.link, "up", "its game runs");
  sim.put({ kind: "close_game", game: GAME });
  sim.listen(5);
  assert.equal(sim.line.link, "asleep");
  assert.equal(sim.bar()?.key, undefined);
  assert.ok(sim.put({ kind: "shown" }).some(({ kind }) => kind === "connect"));
});

test("a hidden tab that waits for something keeps its line as long as it does", () => {
  const sim = new Sim();
  sim.put({ kind: "tick" });
  sim.welcome();
  sim.put({ kind: "hidden" });
  sim.put({ kind: "await", isAwaiting: true });
  sim.listen(200);
  assert.equal(sim.line.link, "up");
  sim.put({ kind: "await", isAwaiting: false });
  sim.wait(0);
  assert.equal(sim.line.link, "asleep");
});

test("presence, claims, rematches and talk are kept with their game", () => {
  const sim = playing();
  sim.hear({ type: "presence", game: GAME, side: "blue", presence: "away", left: true });
  sim.hear({ type: "claimable", game: GAME, gone: "blue", at: 77 });
  sim.hear({ type: "rematch_offered", game: GAME, side: "blue" });
  sim.hear({ type: "said", game: GAME, side: "blue", said: { kind: "text", text: "hi" } });
  const loaded = sim.line.games[GAME]?.loaded;
  assert.deepEqual([loaded?.presence.blue, loaded?.left.blue, loaded?.claimableAt.blue, loaded?.rematch],
    ["away", true, 77, ["blue"]]);
  sim.hear({ type: "rematch_withdrawn", game: GAME, side: "blue" });
  assert.deepEqual(sim.line.games[GAME]?.loaded?.rematch, []);
  assert.equal(sim.line.games[GAME]?.said.length, 1);
});

test("the wait for an opponent begins and ends with the server's answer", () => {
  const sim = new Sim();
  sim.put({ kind: "tick" });
  sim.welcome({ server_time: 5_000 });
  sim.now += 700;
  sim.put({ kind: "ask", id: "c-1", request: { type: "enter_pool", terms: TERMS } });
  sim.hear({ type: "refused", cmd_id: "c-1", code: "paused", message: "" });
  assert.equal(sim.line.pool, undefined);
  sim.hear({ type: "accepted", cmd_id: "c-1", outcome: { kind: "done" } });
  assert.deepEqual(sim.line.pool, { since: 5_700, waiting: 0 });
  sim.put({ kind: "ask", id: "c-2", request: { type: "leave_pool" } });
  sim.hear({ type: "accepted", cmd_id: "c-2", outcome: { kind: "done" } });
  assert.equal(sim.line.pool, undefined);
});

test("a newer page is offered between games only", () => {
  const tab = new Sim();
  tab.welcome({ page: "new" });
  const bar = (/** @type {string} */ build) => barOf(tab.line, undefined, build)?.key;
  assert.equal(bar("new"), undefined);
  assert.equal(bar("old"), "new_page");
  tab.put({ kind: "open_game", game: GAME });
  assert.equal(bar("old"), undefined, "a game is on its way");
  tab.put({ kind: "close_game", game: GAME });
  assert.equal(bar("old"), "new_page");
  tab.hear({ type: "ping", id: 1, server_time: tab.now, heads: [], pool: { since: tab.now, waiting: 1 } });
  assert.equal(bar("old"), undefined, "who waits for an opponent is not disturbed");
});

test("ids of commands are UUIDs on plain http too", () => {
  const getRandomValues = (/** @type {any} */ bytes) => bytes.fill(0xff);
  assert.equal(newId({ getRandomValues }), "ffffffff-ffff-4fff-bfff-ffffffffffff");
  assert.equal(newId({ getRandomValues, randomUUID: () => "made by the browser" }), "made by the browser");
});
