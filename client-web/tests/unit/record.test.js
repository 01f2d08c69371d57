// Records: read by their schema, turned into moments, counted for charts.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "node:test";
import {
  WrongRecord, clockTimes, holdCommitments, indexOfPly, momentsOf, piecesKnown, piecesLeft, plyOf,
  scopeOf, turnTimes, whyClosed,
} from "../../page/game/record.js";
import { mismatch } from "../../page/game/schema.js";
import { playGames } from "../games.js";
import { rulesFor } from "../rules.js";

/** @typedef {import("../../types/messages").GameRecord} GameRecord */
/** @typedef {import("../../page/game/rules.js").Rules} Rules */

/** @param {string} path */
const read = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const schema = JSON.parse(read("shared/protocol/schema/record.json"));
const example = /```json\n(\{[\s\S]*?\n\})\n```/.exec(read("docs/protocol/RECORDS.md"))?.[1] ?? "";
/** A record of a game of `barrage`, as the public has it after the end. @returns {GameRecord} */
const record = () => JSON.parse(example);
const barrage = rulesFor("barrage");

test("a record is checked by its schema, and a wrong one says where", () => {
  assert.equal(mismatch(record(), schema), undefined);
  /** @param {(record: any) => void} change */
  const changed = (change) => {
    const wrong = record();
    change(wrong);
    return mismatch(wrong, schema);
  };
  assert.equal(mismatch("text", schema), ".");
  assert.equal(mismatch([], schema), ".");
  assert.equal(changed((wrong) => delete wrong.events), "events");
  assert.equal(changed((wrong) => (wrong.created = -1)), "created");
  assert.equal(changed((wrong) => (wrong.players.red.name = 7)), "players.red.name");
  assert.equal(changed((wrong) => (wrong.audience = "green")), "audience");
  assert.equal(changed((wrong) => (wrong.game = "../../etc")), "game");
  assert.match(changed((wrong) => (wrong.events[3].event.strike.attacker_fate = "flies")) ?? "", /^events\.3\.event/);
  assert.match(changed((wrong) => (wrong.events[3].event.kind = "exploded")) ?? "", /^events\.3\.event/);
  assert.equal(changed((wrong) => (wrong.first_view.pieces = { length: 1 })), "first_view.pieces");
  assert.equal(changed((wrong) => (wrong.newer = true)), undefined, "later versions add fields");
  /** @type {any} */
  let deep = {};
  for (let depth = 0; depth < 10_000; depth++) deep = { deep };
  assert.equal(mismatch({ ...record(), deep }, schema), undefined);
});

test("a record becomes moments, from the start of play to its end", () => {
  const moments = momentsOf(record(), barrage);
  assert.deepEqual(moments.map(({ entry }) => entry?.event.kind), ["started", "moved", "moved", "ended"]);
  assert.deepEqual(moments.map(({ view }) => view.ply), [0, 1, 2, 2]);
  assert.deepEqual(moments.map(({ view }) => view.pieces.length), [16, 15, 15, 15]);
  assert.deepEqual(moments.at(-1)?.view.outcome, { winner: "blue", reason: "resigned" });
  assert.deepEqual(["0", "1", "2", "7", "end", "x", undefined].map((ply) => indexOfPly(moments, ply)), [0, 1, 2, 3, 3, 3, 0]);
  for (const index of moments.keys()) assert.equal(indexOfPly(moments, plyOf(moments, index)), index);
});

test("charts count what the audience could see", () => {
  const moments = momentsOf(record(), barrage);
  assert.deepEqual(piecesLeft(moments, barrage, "red"), [8, 7, 7, 7]);
  assert.deepEqual(piecesLeft(moments, barrage, "blue"), [8, 8, 8, 8]);
  assert.deepEqual(piecesKnown(moments, "blue"), [0, 1, 1, 1]);
  assert.deepEqual(clockTimes(moments, "red"), [60_000, 61_583, 61_583, 61_580]);
  assert.deepEqual(turnTimes(moments), [
    { index: 1, ply: 1, side: "red", ms: 417 }, { index: 2, ply: 2, side: "blue", ms: 498 },
  ]);
});

test("time does not pass in pauses, and delays of the network are given back", () => {
  const changed = record();
  const [move] = changed.events.splice(4, 1);
  assert.ok(move);
  changed.events.splice(4, 0,
    { at: 1_790_000_001_200, event: { kind: "paused", since: 1_790_000_001_150 }, change: move.change ?? null },
    { at: 1_790_000_001_500, event: { kind: "resumed", since: 1_790_000_001_450 }, change: move.change ?? null },
    { ...move, lag_ms: 20 });
  assert.equal(turnTimes(momentsOf(changed, barrage))[1]?.ms, 498 - 300 - 20);
  const imported = record();
  imported.events.forEach((entry) => (entry.at = 0));
  assert.deepEqual(turnTimes(momentsOf(imported, barrage)), []);
});

test("what is not open says why", () => {
  const over = record();
  const running = record();
  delete running.outcome;
  /** @param {GameRecord} record @param {"red" | undefined} [own] @param {import("../../page/game/record.js").Scope[]} [refused] */
  const closed = (record, own, refused = []) => (/** @type {const} */ (["red", "blue", "public", "all"])).map((scope) =>
    whyClosed(scope, { record, rules: barrage, own, refused }));
  assert.deepEqual(closed(over), [undefined, undefined, undefined, undefined]);
  assert.deepEqual(closed(running), ["not-over", "not-over", undefined, "not-over"]);
  assert.deepEqual(closed(running, "red"), [undefined, "not-over", undefined, "not-over"]);
  const secret = { ...over, deployments: { ...over.deployments, blue: null } };
  assert.deepEqual(closed(secret), ["secret", "secret", undefined, "secret"]);
  assert.deepEqual(closed(secret, "red"), [undefined, undefined, undefined, undefined]);
  assert.deepEqual(closed(over, undefined, ["all"]), [undefined, undefined, undefined, "secret"]);
  const aborted = { ...over, outcome: { reason: "aborted" } };
  assert.deepEqual(closed(aborted), ["aborted", "aborted", undefined, "aborted"]);
  assert.equal(scopeOf(over, barrage), "all");
  assert.equal(scopeOf(secret, barrage), "public");
  assert.equal(scopeOf({ ...running, kind: "live" }, barrage), "public");
});

test("a record that cannot be shown says why", () => {
  /** @param {(record: any) => void} change @param {Rules | undefined} [by] */
  const wrong = (change, by = barrage) => {
    const changed = record();
    change(changed);
    try {
      momentsOf(changed, by);
      return "shown";
    } catch (error) {
      assert.ok(error instanceof WrongRecord);
      return error.key;
    }
  };
  assert.equal(wrong(() => undefined), "shown");
  assert.equal(wrong((record) => delete record.first_view), "no-views");
  assert.equal(wrong((record) => delete record.events[3].change), "no-views");
  assert.equal(wrong((record) => (record.events[3].event.move = "a4")), "broken");
  assert.equal(wrong((record) => record.events[3].change.pieces.push("p9r9")), "broken", "off the board");
  assert.equal(wrong((record) => record.events[2].change.pieces.push("i1r9")), "broken", "two on a square");
  assert.throws(() => momentsOf(record(), undefined), /no-rules barrage/);
});

test("opened deployments are held against the commitments", async () => {
  /** @param {Uint8Array} bytes */
  const sha256 = async (bytes) => new Uint8Array(createHash("sha256").update(bytes).digest());
  assert.deepEqual(await holdCommitments(record(), sha256), { red: "kept", blue: "kept" });
  const changed = record();
  assert.ok(changed.deployments.red);
  changed.deployments.red.setup = changed.deployments.red.setup.replace("9", "8");
  changed.deployments.blue = null;
  assert.deepEqual(await holdCommitments(changed, sha256), { red: "broken", blue: "unknown" });
  const lacking = () => Promise.reject(new Error("not here"));
  assert.deepEqual(await holdCommitments(record(), lacking), { red: "unknown", blue: "unknown" });
});

for (const id of ["classic", "silent-defense", "shadowflash-3", "quantum"]) {
  test(`${id}: the moments are the views that the engine showed`, async () => {
    const { steps } = await playGames(rulesFor(id), { seed: 11, plies: 30, games: 1 });
    for (const audience of ["red", "blue", "public"]) {
      const own = steps.filter(({ before }) => before.audience === audience);
      const first = own[0]?.before;
      assert.ok(first);
      const events = own.flatMap(({ seen }) => seen.map(({ event, change }, index) => ({ at: index, event, change })));
      const moments = momentsOf({ ...record(), first_view: first, events }, rulesFor(id));
      assert.deepEqual(moments.at(-1)?.view, own.at(-1)?.after);
      const views = own.map(({ after }) => JSON.stringify(after.pieces));
      for (const { view } of moments) assert.ok(views.includes(JSON.stringify(view.pieces)) || view.ply === 0);
    }
  });
}
