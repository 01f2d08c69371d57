// Commands from gestures and from typing, deployments, addresses, sentences, texts, and the
// files.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { deploymentSentence, isComplete, letterTyped, place, placesToFill, readSetup, swap, tray, writeSetup } from "../../page/game/hand.js";
import { customId, fillRandomly, groupsOf, mirror } from "../../page/game/setups.js";
import { byWay, complete, put } from "../../page/game/hand.js";
import { clocksSentence, endSentence, lossesSentence, outcomeSentence, recordedSentence, sentence } from "../../page/game/sentences.js";
import { readTyped } from "../../page/game/typed.js";
import { parseRoute, replayAddress } from "../../page/route.js";
import { Words } from "../../page/words.js";
import { squareNames } from "../../page/game/sentences.js";
import { chance, randomSetup } from "../games.js";
import { IDS, withFields } from "../rules.js";
import { allTexts, texts } from "../texts.js";

/** @typedef {import("../../types/messages").GameView} GameView */

const PAGE = fileURLToPath(new URL("../../page/", import.meta.url));
const sources = readdirSync(PAGE, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".js") && !name.startsWith("vendor"))
  .map((name) => ({ name, code: readFileSync(PAGE + name, "utf8") }));
const words = new Words("en", allTexts("en"));
const rules = Object.fromEntries(withFields(IDS.map((id) => ({ id }))).map((rules) => [rules.id, rules]));
const { classic, barrage } = /** @type {Record<string, import("../../page/game/rules.js").Rules>} */ (rules);

/** @param {string} id */
const rulesFor = (id) => /** @type {import("../../page/game/rules.js").Rules} */ (rules[id]);

/** @param {Partial<GameView>} fields @returns {GameView} */
function view(fields) {
  return {
    audience: "red", ruleset: "classic", phase: "playing", ready: { red: true, blue: true }, lakes: ["c5"],
    pieces: [], captured: { red: {}, blue: {} }, ply: 4, turn: "red",
    commitments: { red: null, blue: null }, opened: { red: null, blue: null }, ...fields,
  };
}

test("a gesture becomes a command, or asks what is missing", () => {
  assert.ok(classic);
  const plain = view({ pieces: ["a4r6"] });
  assert.deepEqual(put({ kind: "board", square: "a4" }, "a5", plain, classic), { command: { kind: "move", move: "a4a5" } });
  assert.equal(put({ kind: "board", square: "a4" }, "a6", plain, classic), undefined);
  const chips = rulesFor("shadowflash-3");
  const joined = view({ lakes: [], pieces: ["a1r9"] });
  const outcome = put({ kind: "board", square: "a1" }, "c1", joined, chips);
  assert.ok(outcome && "question" in outcome && outcome.question.kind === "way");
  const { draft } = outcome.question;
  assert.ok(draft.kind === "move");
  const way = draft.ways.find(({ sign }) => sign === "-");
  assert.ok(way);
  const colored = complete(byWay(draft, way), chips);
  assert.ok(colored && "question" in colored && colored.question.kind === "color");
  assert.deepEqual(complete(colored.question.draft, chips, "green"), { command: { kind: "move", move: "a1c1", path: "-", color: "green" } });
  // A flash lays its chips by itself.
  const flash = view({ lakes: [], pieces: ["d4r4", "d1rF"], chips: { red: ["d4"], green: ["e4"], blue: ["f4"] } });
  assert.deepEqual(put({ kind: "board", square: "d4" }, "f4", flash, chips), { command: { kind: "move", move: "d4f4", path: "+" } });
  const reserve = view({ lakes: [], pieces: ["a1rF"], reserve: { red: { size: 1, unlabeled: { scout: 1 } }, blue: { size: 0 } } });
  assert.deepEqual(put({ kind: "reserve", rank: "scout", labeled: false }, "b1", reserve, rulesFor("shadowflash-1")),
    { command: { kind: "place", square: "b1", rank: "scout" } });
  assert.equal(put({ kind: "reserve", rank: "scout", labeled: false }, "a1", reserve, rulesFor("shadowflash-1")), undefined);
});

test("typed commands are read in any layout, and wrong ones say why", () => {
  assert.ok(classic);
  const plain = view({ pieces: ["a4r9"] });
  /** @param {string} text */
  const read = (text) => readTyped(text, plain, classic);
  assert.deepEqual(read(" A4-A6 "), { command: { kind: "move", move: "a4a6" } });
  assert.deepEqual(read("ф4ф6"), { command: { kind: "move", move: "a4a6" } });
  assert.deepEqual(read("resign"), { command: { kind: "resign" } });
  assert.deepEqual(read("draw"), { command: { kind: "offer_draw" } });
  assert.deepEqual(readTyped("draw", { ...plain, draw_offer: "blue" }, classic), { command: { kind: "accept_draw" } });
  assert.deepEqual(read("a4b5"), { wrong: "typed-no-move" });
  assert.deepEqual(readTyped("a4a5", { ...plain, turn: "blue" }, classic), { wrong: "refusal-not-your-turn" });
  assert.deepEqual(read("hello"), { wrong: "typed-unknown" });
  assert.deepEqual(read("remove a4"), { wrong: "refusal-no-reserve" });
  const chips = rulesFor("shadowflash-2");
  const joined = view({ lakes: [], pieces: ["a1r9"], reserve: { red: { size: 1, labeled: { scout: 1 } }, blue: { size: 0 } } });
  assert.deepEqual(readTyped("a1c1+=g", joined, chips), { command: { kind: "move", move: "a1c1", path: "+", color: "green" } });
  assert.deepEqual(readTyped("place 9^ c3=y", joined, chips), { command: { kind: "place", square: "c3", rank: "scout", labeled: true, color: "yellow" } });
  assert.deepEqual(readTyped("b", { ...joined, owed_color: { side: "red", square: "a1" } }, chips), { command: { kind: "color", color: "blue" } });
  for (const one of ["typed-no-move", "typed-unknown", "refusal-no-reserve", "typed-no-place", "refusal-not-your-turn", "typed-wait"]) assert.ok(words.has(one));
});

test("deployments come back from their texts, and are filled at random", () => {
  const random = chance(4);
  for (const id of IDS.filter((id) => id !== "quantum")) {
    const ruleset = rulesFor(id);
    for (const side of /** @type {const} */ (["red", "blue"])) {
      const text = randomSetup(ruleset, random);
      const setup = readSetup(text, ruleset, side);
      assert.equal(writeSetup(setup, ruleset, side), text);
      assert.ok(isComplete(setup, ruleset), id);
      const filled = fillRandomly({}, ruleset, side, () => random(1_000) / 1_000);
      assert.ok(isComplete(filled, ruleset), id);
      assert.ok(isComplete(mirror(filled, ruleset), ruleset));
    }
  }
  assert.ok(classic && barrage);
  assert.equal(placesToFill(barrage), 8);
  const one = place({}, "a1", "F");
  assert.deepEqual(fillRandomly(one, classic, "red", Math.random).a1, "F", "what is placed stays");
  assert.deepEqual(swap(one, "a1", "b2"), { b2: "F" });
  assert.equal(tray(one, classic).F, 0);
  assert.ok(!isComplete(one, classic));
});

test("what changes in a deployment is said", () => {
  assert.ok(barrage);
  const full = readSetup(".".repeat(30) + "FBS99821..", barrage, "red");
  /** @type {[import("../../page/game/hand.js").Setup, import("../../page/game/hand.js").Setup, string][]} */
  const cases = [
    [{}, { b1: "9" }, "Scout on b1, 1 left."],
    [{ b1: "9" }, { b1: "F" }, "Flag on b1, 0 left."],
    [{ b1: "9" }, {}, "Scout taken off b1, 2 left."],
    [{ b1: "9" }, { c1: "9" }, "Scout from b1 to c1."],
    [{ b1: "9", c1: "F" }, { b1: "F", c1: "9" }, "Scout on c1, Flag on b1."],
    [{ b1: "9", c1: "F" }, {}, "Cleared."],
    [{ b1: "9" }, { c1: "F", d1: "B" }, "6 pieces to place."],
    [{}, full, "All pieces are placed."],
    [full, full, ""],
  ];
  for (const [before, after, text] of cases) assert.equal(deploymentSentence(before, after, barrage, words), text);
});

test("a key names a rank as pieces show it, in any layout", () => {
  assert.ok(classic);
  const letters = (/** @type {"us" | "eu"} */ numbering) => ["2", "1", "0", "f", "F", "а", "p", "ArrowUp"].map((key) => letterTyped(key, classic, numbering));
  assert.deepEqual(letters("us"), ["2", "1", undefined, "F", "F", "F", undefined, undefined]);
  assert.deepEqual(letters("eu"), ["9", undefined, "1", "F", "F", "F", undefined, undefined]);
  assert.equal(letterTyped("з", rulesFor("shadowflash-2"), "eu"), "P");
});

test("events become whole sentences", () => {
  const strike = /** @type {const} */ ({ attacker: "8", attacker_fate: "advances", defender: "B", defender_fate: "leaves" });
  assert.equal(sentence({ kind: "moved", side: "red", move: "a4a5", piece: "8", strike }, words), "Red's Miner captures Blue's Bomb on a5.");
  const silent = /** @type {const} */ ({ attacker: "8", attacker_fate: "leaves", defender: "?", defender_fate: "stays" });
  assert.equal(sentence({ kind: "moved", side: "red", move: "a4a5", piece: "8", strike: silent }, words), "Red's Miner strikes Blue's hidden piece on a5 and is lost.");
  assert.equal(sentence({ kind: "moved", side: "blue", move: "a4a6", piece: "[9P]", laid: "a6=g" }, words),
    "Blue moves a4a6, so the piece is a Scout or Phoenix. New green chips: a6.");
  assert.equal(sentence({ kind: "placed", side: "blue", square: "a9", piece: "?" }, words), "Blue places a piece on a9.");
  assert.equal(outcomeSentence({ winner: "red", reason: "out_of_time" }, words), "Red wins: Blue ran out of time.");
  const end = (/** @type {import("../../types/messages").Abort | undefined} */ abort, reason = "aborted") => endSentence(/** @type {any} */ ({ reason }), abort, words);
  assert.equal(end({ called_off_by: "blue" }), "The game was aborted: Blue called it off.");
  assert.equal(end({ not_deployed: ["red"] }), "The game was aborted: Red did not deploy in time.");
  assert.equal(end({ not_deployed: ["red", "blue"] }), "The game was aborted: neither side deployed in time.");
  assert.equal(end({}), "The game was aborted: nothing happened in it for many days.");
  assert.equal(end(undefined), "The game was aborted.");
  assert.equal(end(undefined, "draw_agreed"), "A draw: both sides agreed.");
});

test("squares are named as the specification says", () => {
  const shown = view({ pieces: ["b5r8'", "d7b?", "e7b?'", "f7b9*"], chips: { yellow: ["e4"] } });
  const name = squareNames(shown, words, undefined);
  assert.equal(name("b5"), "b5, your Miner, has moved");
  assert.equal(name("d7"), "d7, enemy, hidden, never moved");
  assert.equal(name("e7"), "e7, enemy, hidden, has moved");
  assert.equal(name("e4"), "e4, empty, yellow chip");
  assert.equal(name("c5"), "c5, lake");
  const way = /** @type {import("../../page/game/reach.js").Way} */ ({ to: "b6", sign: "+", by: "legs", path: ["b6"], strikes: false });
  assert.equal(squareNames(shown, words, { from: "b5", targets: [{ square: "b6", ways: [way] }], learned: {} })("b6"), "b6, empty, you can go here");
  assert.equal(squareNames(shown, words, { from: "b5", targets: [{ square: "b6", ways: [way] }], learned: { b6: "shows a Scout" } })("b6"), "b6, empty, you can go here, shows a Scout");
  const scout = /** @type {import("../../page/game/reach.js").Way} */ ({ to: "d7", sign: "+", by: "scout", path: ["d6", "d7"], strikes: true });
  const held = squareNames({ ...shown, refused_moves: ["b5c5", "b5b4", "d7b4"] }, words, { from: "b5", targets: [{ square: "d7", ways: [scout] }], learned: {} });
  assert.equal(held("d7"), "d7, enemy, hidden, never moved, you can strike here; your coin becomes a Scout");
  assert.equal(held("b4"), "b4, empty, forbidden for now by a repetition rule");
  assert.equal(held("a4"), "a4, empty");
  const own = squareNames(shown, words, undefined, { notes: { d7: "B", e7: "weak" }, moves: ["b5b6"] });
  assert.equal(own("d7"), "d7, enemy, hidden, never moved, your guess: Bomb");
  assert.equal(own("e7"), "e7, enemy, hidden, has moved, your guess: weak");
  assert.equal(own("b5"), "b5, your Miner, has moved, a planned move starts here");
  assert.equal(own("b6"), "b6, empty, a planned move ends here");
});

test("addresses name pages, and a record's place in it", () => {
  assert.deepEqual(parseRoute("/", ""), { page: "home" });
  assert.deepEqual(parseRoute("/watch", ""), { page: "watch" });
  assert.deepEqual(parseRoute("/challenge", "#code"), { page: "challenge", code: "code" });
  assert.deepEqual(parseRoute("/game/0123456789ab", ""), { page: "game", id: "0123456789ab" });
  for (const replay of /** @type {const} */ ([
    { page: "replay" }, { page: "replay", id: "0123456789ab" }, { page: "replay", id: "0123456789ab", as: "red", ply: "17" },
    { page: "replay", id: "0123456789ab", as: "all", ply: "end" },
  ])) {
    const { pathname, search } = new URL(replayAddress(replay), "http://page");
    assert.deepEqual(parseRoute(pathname, "", search), replay);
  }
  assert.deepEqual(parseRoute("/replay/0123456789ab", "", "?as=green&ply=-1"), { page: "replay", id: "0123456789ab" });
  // Letters that ids never have.
  for (const letter of "ilou") {
    for (const page of ["game", "replay"]) assert.deepEqual(parseRoute(`/${page}/0123456789a${letter}`, ""), { page: "unknown" });
  }
  for (const path of ["/replay/", "/replay/0123", "/watch/1"]) assert.deepEqual(parseRoute(path, ""), { page: "unknown" });
});

test("a record's sentences and what keys say speak to nobody", () => {
  assert.equal(recordedSentence({ kind: "chosen", side: "blue", rank: "miner" }, words), "Blue chooses Miner for its coin.");
  assert.equal(recordedSentence({ kind: "ready", side: "red" }, words), sentence({ kind: "ready", side: "red" }, words));
  const clock = { at: 1_000, remaining_ms: { red: 60_000, blue: 9_000 }, running: /** @type {const} */ ("red") };
  assert.equal(clocksSentence(view({ clock }), 2_000, words), "Red: 0:59, running. Blue: 0:09.0.");
  assert.equal(clocksSentence(view({}), 2_000, words), words.say("time-unlimited"));
  assert.equal(lossesSentence(view({ captured: { red: { scout: 2 }, blue: {} } }), words), "Red has lost: 2 Scout. Blue has lost nothing.");
  const reserve = { red: { size: 3, unlabeled: { scout: 2 }, labeled: { major: 1 } }, blue: { size: 51 } };
  assert.equal(lossesSentence(view({ reserve }), words),
    "Red has lost nothing. Blue has lost nothing. Red has 3 pieces in reserve: 2 Scout, 1 labeled Major. Blue has 51 pieces in reserve.");
});

test("addresses name pages and what they show", () => {
  /** @type {[string, object][]} */
  const known = [
    ["/", { page: "home" }], ["/rules", { page: "rules" }], ["/rules/pbm-small", { page: "rules", id: "pbm-small" }],
    ["/deployments", { page: "deployments" }], ["/deployments/classic", { page: "deployment", ruleset: "classic" }],
    ["/deployments/classic/Corner_2", { page: "deployment", ruleset: "classic", name: "Corner_2" }],
    ["/@/ann-2", { page: "profile", name: "ann-2" }], ["/leaderboard", { page: "leaderboard" }],
    ["/leaderboard/classic/rapid", { page: "leaderboard", ruleset: "classic", speed: "rapid" }],
    ["/games", { page: "games" }], ["/account", { page: "account" }], ["/settings", { page: "settings" }], ["/statistics", { page: "statistics" }],
  ];
  for (const [path, route] of known) assert.deepEqual(parseRoute(path, ""), route, path);
  for (const path of ["/rules/", "/rules/a/b", "/@/", "/@/a", "/@/../x", "/deployments/x/y/z", "/leaderboard/classic", "/account/x", "/game/x"]) {
    assert.deepEqual(parseRoute(path, ""), { page: "unknown" }, path);
  }
});

test("every text that the page names is there", () => {
  const named = sources.flatMap(({ name, code }) => [...code.matchAll(/\bsay\("([a-z-]+)"/g)].map(([, id]) => ({ name, id: id ?? "" })));
  assert.ok(named.length > 100);
  for (const { name, id } of named) assert.ok(words.has(id), `${name}: ${id}`);
  for (const key of ["reconnecting", "offline", "store-away", "restarting", "new-epoch", "superseded", "logged-out", "seat-gone",
    "old-page", "new-page", "account-closed", "too-many-tabs", "broken-line", "quarantined", "paused"]) assert.ok(words.has(`bar-${key}`), key);
  for (const key of ["first", "back", "play", "pause", "next", "last", "closed-not-over", "closed-aborted", "closed-secret",
    "wrong-not-a-record", "wrong-too-large", "wrong-broken", "wrong-no-views", "wrong-no-rules",
    "commitments-kept", "commitments-one-kept", "commitments-broken"]) assert.ok(words.has(`replay-${key}`), key);
  for (const key of ["arrows", "enter", "escape", "n", "m", "i", "l", "t", "o", "c", "delete", "n-replay", "f-replay", "a-replay",
    "outside-replay"]) assert.ok(words.has(`key-${key}`) && words.has(`key-${key}-does`), key);
});

test("changes of rules make the id of a custom game, without what the rules say already", () => {
  const options = [["ties", "both", "attacker"], ["quiet", "200", "400"]].map(([name = "", value = "", other = ""]) =>
    ({ name, value, values: [value, other].map((name) => ({ name, meaning: "" })) }));
  const rules = { .../** @type {import("../../page/game/rules.js").Rules} */ (classic), options };
  assert.equal(customId(rules, { quiet: "400", ties: "attacker", bombs: "leave" }), "classic,ties=attacker,quiet=400");
  assert.equal(customId(rules, { quiet: "200", ties: "nobody" }), "classic");
  assert.deepEqual(groupsOf([rules]).map(({ group }) => group), ["strikes", "end"]);
});

test("what loads no more texts needs none", () => {
  const first = new Words("en", texts("en"));
  const more = /^(game\/explain|pages\/(play|challenge|watch|rules|deployments?|profile|leaderboard|games|account|statistics|about|replay|settings)|table\/(viewer|chat|notes|queue)|parts\/(filter|load|push|diagram|rating_chart|dialog|settings|notices|report|webhook|email|checks|terms))\.js$/;
  for (const { name, code } of sources.filter(({ name }) => !more.test(name))) {
    for (const [, id = ""] of code.matchAll(/\bsay\("([a-z-]+)"/g)) assert.ok(first.has(id), `${name}: ${id}`);
  }
});

test("no module has more than 600 lines, makes HTML from text, or asks for a ruleset by its name", () => {
  for (const { name, code } of sources) {
    assert.ok(code.split("\n").length < 600, name);
    assert.doesNotMatch(code, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|dangerouslySet/, name);
    const isChoice = name === "pages/home.js" || name === "pages/play.js";
    if (!isChoice) assert.doesNotMatch(code, new RegExp(`"(${IDS.join("|")})"`), name);
  }
});
