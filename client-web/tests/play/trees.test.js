// What a screen reader finds on the board, as stored texts. With `FLAGFALL_UPDATE=1` they are written
// anew; read the difference before you commit it.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import test from "node:test";
import { feedPage, welcome } from "../fed.js";
import { chromium, server, rules, rulesOf } from "../fed_site.js";
import { gameMessage } from "../pairs.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("../../types/messages").GameView} GameView */

/** The states of a square that are told besides its name. */
const STATES = ["selected", "focused", "disabled"];

/** The browser's accessibility tree of the board. @param {Page} page */
async function boardTree(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const known = new Map(nodes.map((node) => [node.nodeId, node]));
  /** @type {string[]} */
  const lines = [];
  /** @param {typeof nodes[number] | undefined} node @param {number} depth */
  const walk = (node, depth) => {
    if (!node) return;
    if (!node.ignored) {
      const states = (node.properties ?? []).filter(({ name, value }) => STATES.includes(name) && value.value === true).map(({ name }) => ` [${name}]`);
      // The name of a row is that of its squares.
      const name = node.role?.value === "row" ? "" : ` ${JSON.stringify(node.name?.value ?? "")}`;
      lines.push(`${"  ".repeat(depth)}${node.role?.value}${name}${states.join("")}`);
    }
    for (const id of node.childIds ?? []) walk(known.get(id), depth + (node.ignored ? 0 : 1));
  };
  walk(nodes.find(({ role }) => role?.value === "grid"), 0);
  return `${lines.join("\n")}\n`;
}

/** Positions, and the square whose piece is taken into the hand. @type {Record<string, { view: Partial<GameView>, chosen: string }>} */
const POSITIONS = {
  barrage: {
    chosen: "b4",
    view: {
      pieces: ["d1rF", "c1rB", "b4r9'", "e4r1'*", "h3rS", "d10b?", "e7b?'", "b8b9'*", "g7b2*"], refused_moves: ["b4b5"],
      last_move: { side: "blue", move: "e8e7", piece: "?" }, captured: { red: { scout: 1 }, blue: { miner: 1 } },
    },
  },
  "shadowflash-2": {
    chosen: "a1",
    view: {
      pieces: ["a1r9'", "b1rF", "c3rP'*", "p4r8^", "h4r5'", "a8b?'", "n10b4'^", "j7b[459]'", "p10b?"],
      chips: { red: ["a1", "c3"], yellow: ["a8", "j7"], blue: ["p4"], green: ["h4", "e2"] },
      reserve: { red: { size: 51, unlabeled: { miner: 2 } }, blue: { size: 51 } },
      last_move: { side: "blue", move: "a9a8", piece: "?", laid: "a8=y" },
    },
  },
  quantum: {
    chosen: "c4",
    view: {
      pieces: ["a1ro", "b1ro", "c4ro'", "d4r9'*", "a10bo", "b7bo'", "c7b3'*"],
      pools: { red: { flag: 1, bomb: 1, scout: 2, miner: 1 }, blue: { flag: 1, bomb: 1, spy: 1 } },
      last_move: { side: "blue", move: "b8b7", piece: "o" },
    },
  },
};

for (const [ruleset, { view, chosen }] of Object.entries(POSITIONS)) {
  test(`the board of ${ruleset} reads as it is stored`, async () => {
    const { page, faults, context, hear } = await feedPage(chromium, { url: server.url, rules, settings: {} });
    const { lakes } = rulesOf(ruleset);
    await hear(welcome("red"));
    await hear(gameMessage(/** @type {GameView} */ ({
      audience: "red", ruleset, phase: "playing", ready: { red: true, blue: true }, lakes: lakes === "drawn" ? [] : lakes,
      captured: { red: {}, blue: {} }, ply: 6, turn: "red", commitments: { red: null, blue: null }, opened: { red: null, blue: null }, ...view,
    }), 3));
    await page.locator(`[data-square="${chosen}"]`).focus();
    await page.keyboard.press("Enter");
    await page.evaluate(() => /** @type {any} */ (window).fed.run(100));
    const found = await boardTree(page);
    const stored = new URL(`../trees/${ruleset}.txt`, import.meta.url);
    if (process.env.FLAGFALL_UPDATE === "1") writeFileSync(stored, found);
    assert.ok(existsSync(stored), "no text is stored: run this test with FLAGFALL_UPDATE=1");
    assert.equal(found, readFileSync(stored, "utf8"));
    assert.deepEqual(faults, []);
    await context.close();
  });
}
