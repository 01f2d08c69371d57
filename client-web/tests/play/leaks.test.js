// Paired sessions on the page: two of Red's ranks are exchanged, and everything else is the same.
// Blue's page and a spectator's must be equal in all they do. So must Red's own page, but for the
// pictures and names of the two ranks: what it sounds, notifies, stores and moves can be noticed
// by people who do not see the board.

import assert from "node:assert/strict";
import test from "node:test";
import { feed, feedPage, welcome } from "../fed.js";
import { chromium, rules, rulesOf, server } from "../fed_site.js";
import { playPair } from "../pairs.js";

/** @typedef {import("../fed.js").Seen} Seen */
/** @typedef {import("../fed.js").Plant} Plant */
/** @typedef {import("../pairs.js").Audience} Audience */
/** @typedef {import("../pairs.js").Pair} Pair */
/** @typedef {import("../../page/game/rules.js").Rules} Rules */

const isLong = process.env.FLAGFALL_LONG === "1";

/** The pictures of the ranks that can be exchanged, and their names. @type {Record<string, { d: string, name: string }>} */
const LOOKS = {
  1: { d: "M8 15 22 4V56", name: "Marshal" },
  2: { d: "M5 17C5-1 35 0 35 17 35 30 11 40 5 56H36", name: "General" },
  5: { d: "M33 4H10L7 28C15 22 36 22 36 40 36 58 14 60 5 51", name: "Captain" },
  6: { d: "M31 4C14 9 4 25 4 39 4 62 36 61 36 40 36 22 9 22 4 38", name: "Lieutenant" },
  7: { d: "M4 4H36C26 20 18 37 16 56", name: "Sergeant" },
  8: { d: "M20 28C5 27 5 4 20 4S35 27 20 28C1 30 1 56 20 56S39 30 20 28Z", name: "Miner" },
};

/** Makes the exchanged ranks look alike. @param {string} text @param {[string, string]} ranks */
function masked(text, ranks) {
  return ranks.reduce((text, rank) => {
    const { d, name } = /** @type {{ d: string, name: string }} */ (LOOKS[rank]);
    return text.replaceAll(`d="${d}"`, "figure").replaceAll(name, "Rank");
  }, text);
}

/**
 * A page of an audience that is fed with one session.
 * @param {Pair} pair @param {"a" | "b"} session @param {Audience} audience @param {Plant[]} plants @returns {Promise<Seen[]>}
 */
async function watch(pair, session, audience, plants) {
  const { page, faults, context, hear, planted } = await feedPage(chromium, {
    url: server.url, rules, plants, except: audience === "red" ? ".reserve .tray" : "",
  });
  /** @type {Seen[]} */
  const seen = [];
  await hear(welcome(audience));
  const messages = pair[session][audience];
  for (let at = 0; at < messages.length; at += 8) seen.push(...await feed(page, messages.slice(at, at + 8)));
  assert.deepEqual(faults, []);
  assert.equal(planted.size, plants.length, "a fault was not planted: its text is not in the page any more");
  await context.close();
  return seen;
}

/** The end of a pair, from a whole game on. @param {Pair} pair @param {number} length @returns {Pair} */
function ending(pair, length) {
  /** @param {Pair["a"]} stream */
  const cut = (stream) => /** @type {Pair["a"]} */ (Object.fromEntries(Object.entries(stream).map(([audience, messages]) =>
    [audience, messages.slice(messages.findLastIndex((message, at) => message.type === "game" && at <= messages.length - length))])));
  return { ...pair, a: cut(pair.a), b: cut(pair.b) };
}

/**
 * The first difference between the pages of two sessions.
 * @param {Seen[]} a @param {Seen[]} b @param {(text: string) => string} mask
 */
function difference(a, b, mask) {
  for (const [step, one] of a.entries()) {
    const other = b[step];
    const texts = /** @type {[string, string, string][]} */ ([
      ["order of changes", one.log.join("\n"), other?.log.join("\n")], ["document", one.document, other?.document],
      ["tree", one.tree, other?.tree], ["storage", one.storage, other?.storage],
    ]);
    for (const [what, left = "", right = ""] of texts) {
      const [x, y] = [mask(left), mask(right)];
      if (x === y) continue;
      const at = [...x].findIndex((char, index) => char !== y[index]);
      const around = (/** @type {string} */ text) => text.slice(Math.max(0, at - 150), at + 150);
      return `message ${step}, ${what}:\n${around(x)}\n---\n${around(y)}`;
    }
  }
  return undefined;
}

/**
 * What a board may not do, with any ranks: move an element without a move, or reuse an element.
 * @param {Seen[]} seen @param {Pair["a"]["red"]} messages
 */
function tied(seen, messages) {
  const gone = new Set();
  for (const [step, { log }] of seen.entries()) {
    const message = messages[step];
    const isMove = message?.type === "event" && message.event.kind === "moved";
    for (const line of log) {
      if (!isMove && /^\d+ \d+\.piece\b[^:]* style: /.test(line)) return `message ${step} moves a piece: ${line}`;
      const [, sign, number] = /\.layer pieces ([-+]) (\d+) /.exec(line) ?? [];
      if (sign === "+" && gone.has(number)) return `message ${step} uses an element again: ${line}`;
      if (sign === "-") gone.add(number);
    }
  }
  return undefined;
}

/** @param {Pair} pair @param {Audience} audience @param {Plant[]} [plants] */
async function compare(pair, audience, plants = []) {
  const [a, b] = [await watch(pair, "a", audience, plants), await watch(pair, "b", audience, plants)];
  const mask = audience === "red" ? (/** @type {string} */ text) => masked(text, pair.ranks) : (/** @type {string} */ text) => text;
  return { different: difference(a, b, mask), tied: tied(a, pair.a[audience]), seen: a };
}

const RULESETS = isLong
  ? ["classic", "tournament", "barrage", "pbm", "pbm-small", "original", "silent-defense", "course", "shadowflash-1", "shadowflash-2",
    "shadowflash-3", "quantum"]
  : ["barrage", "shadowflash-3", "quantum"];

for (const id of RULESETS) {
  test(`${id}: exchanged ranks change nothing that others can notice`, async () => {
    const { start } = rulesOf(id);
    // Coins have a secret only at the end of a pair.
    const pair = start === "coins" ? ending(await playPair(rulesOf(id), { seed: 6, plies: 60 }), 20)
      : await playPair(rulesOf(id), { seed: 11, plies: isLong ? 40 : 10 });
    assert.notDeepEqual(pair.a.red, pair.b.red, "something was exchanged");
    for (const audience of /** @type {const} */ (["red", "blue", "public"])) {
      const { different, tied, seen } = await compare(pair, audience);
      assert.equal(different, undefined, audience);
      assert.equal(tied, undefined, audience);
      const log = seen.flatMap((one) => one.log).join("\n");
      assert.match(log, /\.layer pieces \+/, "pieces were drawn");
      assert.match(log, /sound audio\.createOscillator/, "sounds were made");
      if (audience !== "public") assert.match(log, /notification Flagfall \{"body":"[^"]*your turn/, "notifications were shown");
    }
  });
}

/** Remembers what left the board, and gives its id to what comes. @type {Plant[]} */
const KEEPS_IDS = [
  { is: "      shown.element.remove();\n", becomes: "      shown.element.remove();\n(this.spare ??= new Map()).set(parsePiece(shown.text).identity, shown.element.id);\n" },
  {
    is: "      this.pieces.append(element);\n",
    becomes: "element.id = this.spare?.get(parsePiece(text).identity) ?? `p${this.count = (this.count ?? 0) + 1}`; this.pieces.append(element);\n",
  },
];

/** Guesses from two positions which piece went where. @type {Plant[]} */
const BY_DIFFERENCE = [{
  is: "    for (const { element } of this.#pieces.values()) element.remove();\n    this.#pieces.clear();\n",
  becomes: `
    const fresh = new Map(view.pieces.map((text) => [squareOf(text), text]));
    const look = (text) => text.replace(/^[a-z]+\\d+/, "").replace("'", "");
    for (const [from, shown] of [...this.#pieces]) {
      if (fresh.get(from) === shown.text) continue;
      const to = [...fresh].find(([square, text]) => !this.#pieces.has(square) && look(text) === look(shown.text))?.[0];
      this.#pieces.delete(from);
      if (!to) shown.element.remove();
      else {
        this.#put(shown.element, to);
        this.#pieces.set(to, { element: shown.element, text: fresh.get(to) });
      }
    }
`,
}];

/** @type {Plant[]} */
const CLASS_OF_RANK = [{
  is: "      this.pieces.append(element);\n",
  becomes: "element.classList.add(`of-${parsePiece(text).identity.replace(/\\W/g, \"x\")}`); this.pieces.append(element);\n",
}];

/** @type {Plant[]} */
const SOUND_OF_RANK = [{
  is: "      sound(key, one);\n",
  becomes: 'sound(key, one === "move" && JSON.stringify(news.change.pieces).includes("r8") ? "low" : one);\n',
}];

test("a class and a sound of a hidden rank are found", async () => {
  const pair = await playPair(rulesOf("barrage"), { seed: 11, plies: 10 });
  assert.match((await compare(pair, "red", CLASS_OF_RANK)).different ?? "", /of-/);
  assert.match((await compare(pair, "red", SOUND_OF_RANK)).different ?? "", /order of changes[^]*sound audio/);
});

test("an animation by difference and a kept id are found", async () => {
  const barrage = await playPair(rulesOf("barrage"), { seed: 11, plies: 8 });
  assert.match((await compare(barrage, "public", BY_DIFFERENCE)).tied ?? "", /moves a piece/);
  const pair = await playPair(rulesOf("shadowflash-1"), { seed: 11, plies: 9 });
  assert.match((await compare(pair, "red", BY_DIFFERENCE)).different ?? "", /--x/);
  assert.match((await compare(pair, "red", KEEPS_IDS)).different ?? "", /id="p\d+/);
});
