// QR codes, read by a reader of its own with the tables of ISO/IEC 18004.

import assert from "node:assert/strict";
import test from "node:test";
import { checkWords, qrCode, qrPath } from "../../page/parts/qr.js";

/** How many bytes fit at level M, by version. */
const CAPACITY = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331];
/** The data codewords of each block at level M, by version, and all codewords of the code. @type {[number, number[]][]} */
const BLOCKS = [
  [26, [16]], [44, [28]], [70, [44]], [100, [32, 32]], [134, [43, 43]], [172, [27, 27, 27, 27]], [196, [31, 31, 31, 31]],
  [242, [38, 38, 39, 39]], [292, [36, 36, 36, 37, 37]], [346, [43, 43, 43, 43, 44]], [404, [50, 51, 51, 51, 51]],
  [466, [36, 36, 36, 36, 36, 36, 37, 37]], [532, [37, 37, 37, 37, 37, 37, 37, 37, 38]],
];
/** The format of level M with masks 0 to 7, the highest bit first. */
const FORMATS = [
  "101010000010010", "101000100100101", "101111001111100", "101101101001011", "100010111111001", "100000011001110", "100111110010111", "100101010100000",
];
/** The version's bits from version 7 on. */
const VERSIONS = [0x07c94, 0x085bc, 0x09a99, 0x0a4d3, 0x0bbf6, 0x0c762, 0x0d847];
const FINDER = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"];

/** A product in the field of 256 elements, bit by bit. @param {number} a @param {number} b */
function product(a, b) {
  let sum = 0;
  for (let bit = 7; bit >= 0; bit--) {
    sum = (sum << 1) ^ (sum & 0x80 ? 0x11d : 0);
    if (b >> bit & 1) sum ^= a;
  }
  return sum;
}

/** True if a block with its error correction is intact. @param {readonly number[]} block @param {number} checks */
function isIntact(block, checks) {
  for (let root = 1, power = 0; power < checks; power++, root = product(root, 2)) {
    if (block.reduce((sum, word) => product(sum, root) ^ word, 0) !== 0) return false;
  }
  return true;
}

/** Reads a code. @param {import("../../page/parts/qr.js").QrCode} code */
function read({ size, isDark }) {
  const version = (size - 17) / 4;
  const text = (/** @type {[number, number][]} */ places) => places.map(([row, column]) => (isDark(row, column) ? "1" : "0")).join("");
  const range = (/** @type {number} */ from, /** @type {number} */ to) => Array.from({ length: to - from }, (_, index) => from + index);
  // Corners, each inside a light line.
  for (const [top, left] of /** @type {[number, number][]} */ ([[0, 0], [0, size - 7], [size - 7, 0]])) {
    assert.deepEqual(range(0, 7).map((row) => range(0, 7).map((column) => (isDark(top + row, left + column) ? "#" : ".")).join("")), FINDER);
    const [row, column] = [top === 0 ? 7 : size - 8, left === 0 ? 7 : size - 8];
    for (const place of range(0, 8)) {
      assert.ok(!isDark(row, left === 0 ? place : size - 8 + place) && !isDark(top === 0 ? place : size - 8 + place, column), "light line");
    }
  }
  for (const place of range(8, size - 8)) assert.deepEqual([isDark(6, place), isDark(place, 6)], [place % 2 === 0, place % 2 === 0], "timing");
  assert.ok(isDark(4 * version + 9, 8), "the module that is always dark");
  // The format, twice.
  const around = text([...range(0, 6).map((column) => /** @type {[number, number]} */ ([8, column])), [8, 7], [8, 8], [7, 8], ...range(0, 6).map((row) => /** @type {[number, number]} */ ([5 - row, 8]))]);
  const beside = text([...range(0, 7).map((row) => /** @type {[number, number]} */ ([size - 1 - row, 8])), ...range(size - 8, size).map((column) => /** @type {[number, number]} */ ([8, column]))]);
  const mask = FORMATS.indexOf(around);
  assert.ok(mask >= 0, around);
  assert.equal(beside, around);
  if (version >= 7) {
    const bits = (VERSIONS[version - 7] ?? 0).toString(2).padStart(18, "0");
    const places = range(0, 18).map((bit) => /** @type {[number, number]} */ ([5 - Math.floor(bit / 3), size - 9 - (bit % 3)]));
    assert.equal(text(places), bits);
    assert.equal(text(places.map(([row, column]) => [column, row])), bits);
  }
  // What is no data.
  const middles = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50], [6, 30, 54], [6, 32, 58], [6, 34, 62]][version - 1] ?? [];
  const last = size - 7;
  /** @param {number} row @param {number} column */
  const isPattern = (row, column) => {
    if (row === 6 || column === 6 || (row < 9 && (column < 9 || column >= size - 8)) || (row >= size - 8 && column < 9)) return true;
    if (version >= 7 && ((row < 6 && column >= size - 11) || (column < 6 && row >= size - 11))) return true;
    return middles.some((down) => middles.some((across) => {
      const isCorner = (down === 6 && (across === 6 || across === last)) || (down === last && across === 6);
      if (isCorner || Math.abs(row - down) > 2 || Math.abs(column - across) > 2) return false;
      assert.equal(isDark(row, column), Math.abs(row - down) === 2 || Math.abs(column - across) === 2 || (row === down && column === across), "alignment");
      return true;
    }));
  };
  /** @param {number} i @param {number} j */
  const isTurned = (i, j) => [
    (i + j) % 2, i % 2, j % 3, (i + j) % 3, (Math.floor(i / 2) + Math.floor(j / 3)) % 2, ((i * j) % 2) + ((i * j) % 3),
    (((i * j) % 2) + ((i * j) % 3)) % 2, (((i + j) % 2) + ((i * j) % 3)) % 2,
  ][mask] === 0;
  let bits = "";
  const rights = [...range(0, (size - 7) / 2).map((pair) => size - 1 - 2 * pair), 5, 3, 1];
  for (const [pair, right] of rights.entries()) {
    for (const step of range(0, size)) {
      const row = pair % 2 === 0 ? size - 1 - step : step;
      for (const column of [right, right - 1]) if (!isPattern(row, column)) bits += isDark(row, column) !== isTurned(row, column) ? "1" : "0";
    }
  }
  const [all, sizes] = BLOCKS[version - 1] ?? [0, []];
  assert.equal(Math.floor(bits.length / 8), all);
  const words = (bits.match(/.{8}/g) ?? []).map((word) => Number.parseInt(word, 2));
  const checks = (all - sizes.reduce((sum, size) => sum + size, 0)) / sizes.length;
  /** @type {number[][]} */
  const blocks = sizes.map(() => []);
  for (const place of range(0, Math.max(...sizes))) for (const [index, size] of sizes.entries()) if (place < size) blocks[index]?.push(words.shift() ?? -1);
  const data = blocks.flat();
  for (const _ of range(0, checks)) for (const block of blocks) block.push(words.shift() ?? -1);
  for (const block of blocks) assert.ok(isIntact(block, checks), "error correction");
  const stream = data.map((word) => word.toString(2).padStart(8, "0")).join("");
  assert.equal(stream.slice(0, 4), "0100", "bytes");
  const lengthBits = version < 10 ? 8 : 16;
  const length = Number.parseInt(stream.slice(4, 4 + lengthBits), 2);
  const bytes = range(0, length).map((index) => Number.parseInt(stream.slice(4 + lengthBits + 8 * index).slice(0, 8), 2));
  return { text: new TextDecoder().decode(new Uint8Array(bytes)), version, mask };
}

test("the error correction is that of the example in the standard", () => {
  const data = [0x10, 0x20, 0x0c, 0x56, 0x61, 0x80, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11];
  assert.deepEqual(checkWords(data, 10), [0xa5, 0x24, 0xd4, 0xc1, 0xed, 0x36, 0xc7, 0x87, 0x2c, 0x55]);
});

test("a reader reads every version, up to the last byte that fits", () => {
  const masks = new Set();
  for (const [index, capacity] of CAPACITY.entries()) {
    for (const length of [capacity, capacity - 1, (CAPACITY[index - 1] ?? 0) + 1]) {
      const text = "https://play.example.org/challenge#".repeat(12).slice(0, length);
      const code = qrCode(text);
      const { mask, ...found } = read(code);
      assert.deepEqual(found, { text, version: index + 1 });
      assert.equal(mask, code.mask);
      masks.add(mask);
    }
  }
  assert.ok(masks.size > 3, `${masks.size} masks`);
  assert.equal(read(qrCode("Фёдор ✓")).text, "Фёдор ✓");
  assert.throws(() => qrCode("x".repeat(332)), RangeError);
});

test("the path draws the dark modules, inside the quiet zone", () => {
  const code = qrCode("http://127.0.0.1:7171/challenge#8k2v6m3q9d4w");
  /** @type {Set<string>} */
  const drawn = new Set();
  for (const [, x, y, width] of qrPath(code).matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let step = 0; step < Number(width); step++) drawn.add(`${Number(y) - 4} ${Number(x) + step - 4}`);
  }
  for (let row = 0; row < code.size; row++) {
    for (let column = 0; column < code.size; column++) assert.equal(drawn.delete(`${row} ${column}`), code.isDark(row, column));
  }
  assert.equal(drawn.size, 0);
});
