// The check of the server's signature, on a short game that a server has signed: two strikes with
// coins, then Blue resigned.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { BROWSER, checkRecord, readSeen } from "../../page/game/proof.js";

/** @typedef {import("../../types/messages").GameRecord} GameRecord */

/**
 * `opened`: Red's record after the end. `live`: the public's, which lacks the choices. Views and
 * changes are left out, because the signature doesn't cover them.
 * @returns {{ keys: import("../../types/api").SigningKeyInfo[], opened: GameRecord, live: GameRecord }}
 */
const game = () => JSON.parse(readFileSync(new URL("../quantum_record.json", import.meta.url), "utf8"));

/** What the page finds of the signature. @param {GameRecord} record @param {ReturnType<typeof game>} stored */
async function signatureOf(record, { keys, opened, live }) {
  const answer = await readSeen(record, async (path) => ({ body: path.endsWith("?as=public") ? live : opened }));
  assert.ok("body" in answer);
  const findings = await checkRecord(record, answer.body, keys, BROWSER);
  return findings.filter(({ check }) => check === "signature" || check === "same").map(({ result, why }) => why ?? result);
}

test("the signature of a game with coins is verified, whosever record is shown", async () => {
  const stored = game();
  assert.deepEqual(await signatureOf(stored.opened, stored), ["good", "good"], "a player's");
  assert.deepEqual(await signatureOf(stored.live, stored), ["good", "good"], "the public's of the live game");
  const changed = game();
  for (const { event } of changed.opened.events) if (event.kind === "chosen") event.rank = "spy";
  assert.deepEqual(await signatureOf(changed.opened, changed), ["bad", "good"], "other choices");
  const [finding] = await checkRecord(stored.live, undefined, stored.keys, BROWSER);
  assert.deepEqual(finding, { check: "signature", result: "unknown", why: "hidden" }, "a file of the live game");
});

test("a record that was read before its game was signed is checked by the later signature", async () => {
  const stored = game();
  const { signature: _, ...early } = stored.live;
  assert.deepEqual(await signatureOf(early, stored), ["good", "good"]);
  const { signature: __, ...unsigned } = stored.live;
  assert.deepEqual(await signatureOf(early, { ...stored, live: unsigned }), ["unsigned", "good"]);
});

test("a record of a running game is not compared with one that is read later", async () => {
  const stored = game();
  const { outcome: _, signature: __, ...running } = stored.opened;
  assert.deepEqual(await signatureOf({ ...running, events: running.events.slice(0, 3) }, stored), ["running"]);
});
