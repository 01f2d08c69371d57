// Queued moves come back from what people type.

import assert from "node:assert/strict";
import test from "node:test";
import { readQueue, writeQueue } from "../../page/game/queue.js";

test("queued moves are read, and written as they are typed", () => {
  const read = readQueue(" A4a5 if b7b6,a5a6\na1c1+=g, place 9^ c3=y , remove c3,, place p d1");
  assert.ok("moves" in read);
  assert.deepEqual(read.moves, [
    { command: { kind: "move", move: "a4a5" }, if: "b7b6" },
    { command: { kind: "move", move: "a5a6" } },
    { command: { kind: "move", move: "a1c1", path: "+", color: "green" } },
    { command: { kind: "place", square: "c3", rank: "scout", labeled: true, color: "yellow" } },
    { command: { kind: "remove", square: "c3" } },
    { command: { kind: "place", square: "d1", rank: "phoenix" } },
  ]);
  const text = writeQueue(read.moves);
  assert.equal(text, "a4a5 if b7b6, a5a6, a1c1+=g, place 9^ c3=y, remove c3, place P d1");
  assert.deepEqual(readQueue(text), read);
  assert.deepEqual(readQueue(""), { moves: [] });
});

test("what is no move is named", () => {
  for (const wrong of ["a4", "a4a5 if", "a4a5 if resign", "a4a5 if b7b6 if b6b5", "q4a5", "a11a9", "resign", "place f a1"]) {
    assert.deepEqual(readQueue(`a4a5, ${wrong}`), { wrong }, wrong);
  }
});
