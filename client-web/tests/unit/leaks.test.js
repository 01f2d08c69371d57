// Paired games in every ruleset: what the page does of them without a document. The page gets the
// same in both sessions, so it can only tell a rank if it is sent one; and on Red's own side,
// sounds and the order of what happens don't depend on the exchanged ranks.

import assert from "node:assert/strict";
import test from "node:test";
import { isDeepStrictEqual } from "node:util";
import { newLine, step } from "../../page/net/line.js";
import { listedRules } from "../games.js";
import { BEGIN, GAME, playPair, player } from "../pairs.js";

/** @typedef {import("../../types/messages").ServerMessage} ServerMessage */

// Sounds need no browser, but the page's state beside them does.
Object.assign(globalThis, {
  localStorage: { getItem: () => null }, document: { documentElement: { dataset: {} } },
  BroadcastChannel: class {},
});
const { soundsOf } = await import("../../page/parts/notices.js");

const isLong = process.env.FLAGFALL_LONG === "1";
const moment = { now: BEGIN, random: 0.5 };

/** What the line makes of messages: the kinds of effects, and the sounds. @param {ServerMessage[]} messages */
function effectsOf(messages) {
  let line = step(newLine(BEGIN), { kind: "opened" }, moment).line;
  line = step(line, { kind: "open_game", game: GAME }, moment).line;
  const welcome = /** @type {ServerMessage} */ ({ type: "welcome", protocol: 1, server: "", server_time: BEGIN, games: [], player: player("red") });
  return [welcome, ...messages].flatMap((message) => {
    const after = step(line, { kind: "message", message }, moment);
    line = after.line;
    return after.effects.map((effect) => {
      if (effect.kind !== "news" || effect.news.kind !== "event") return effect.kind;
      return `${effect.news.event.kind} ${soundsOf(effect.news.event, effect.news.before, effect.news.after)}`;
    });
  });
}

for (const rules of await listedRules()) {
  test(`${rules.id}: exchanged ranks reach nobody, and are not heard`, async () => {
    let sounds = 0;
    let exchanged = 0;
    for (let seed = 1; seed <= (isLong ? 40 : 3); seed++) {
      const { a, b } = await playPair(rules, { seed, plies: isLong || rules.start === "coins" ? 60 : 20 });
      assert.deepEqual(a.blue, b.blue);
      assert.deepEqual(a.public, b.public);
      if (!isDeepStrictEqual(a.red, b.red)) exchanged++;
      const heard = effectsOf(a.red);
      assert.deepEqual(heard, effectsOf(b.red));
      sounds += heard.filter((one) => /move|strike|turn/.test(one)).length;
    }
    assert.ok(sounds > 20);
    // A coin may never be struck by a coin.
    assert.ok(exchanged > 0, "something was exchanged");
  });
}

test("a sound knows who moves and whether there is a strike, and no rank", () => {
  const view = /** @type {import("../../types/messages").GameView} */ ({ audience: "red", phase: "playing", turn: "blue", ready: { red: true, blue: true } });
  const own = { ...view, turn: /** @type {const} */ ("red") };
  const move = /** @type {const} */ ({ kind: "moved", side: "blue", move: "a7a6", piece: "?" });
  assert.deepEqual(soundsOf(move, view, own), ["move", "turn"]);
  assert.deepEqual(soundsOf({ ...move, side: "red" }, own, view), ["move"]);
  for (const attacker of ["8", "1", "?"]) {
    const strike = { attacker, attacker_fate: /** @type {const} */ ("leaves"), defender: "B", defender_fate: /** @type {const} */ ("stays") };
    assert.deepEqual(soundsOf({ ...move, strike }, view, own), ["strike", "turn"]);
  }
  assert.deepEqual(soundsOf(move, view, { ...own, audience: "public" }), ["move"], "a spectator has no turn");
});
