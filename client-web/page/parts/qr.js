// QR codes of links, as ISO/IEC 18004 describes them: bytes, with error correction level M. Rows
// and columns count from the upper left corner.

/** @typedef {{ size: number, version: number, mask: number, isDark: (row: number, column: number) => boolean }} QrCode */

/**
 * Level M, by version from 1 on: blocks, and error correction codewords in each. The longest link
 * that a server can have fits into version 13.
 */
const BLOCKS = [
  [1, 10], [1, 16], [1, 26], [2, 18], [2, 24], [4, 16], [4, 18], [4, 22], [5, 22], [5, 26], [5, 30], [8, 22], [9, 22],
];

/** Which modules of the data a mask turns over. @type {((row: number, column: number) => boolean)[]} */
const MASKS = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

/**
 * The smallest code of a text, with the mask that is easiest to read.
 * @param {string} text @returns {QrCode}
 */
export function qrCode(text) {
  const bytes = new TextEncoder().encode(text);
  for (let version = 1; version <= BLOCKS.length; version++) {
    const drawing = new Drawing(version);
    const [blocks = 1, checks = 0] = BLOCKS[version - 1] ?? [];
    const room = drawing.free.length >> 3;
    const data = codewords(bytes, version < 10 ? 8 : 16, room - blocks * checks);
    if (data) return drawing.finish(interleave(data, blocks, checks));
  }
  throw new RangeError(`too long for a QR code: ${bytes.length} bytes`);
}

/** The dark modules as a path, one unit each, with the quiet zone around them. @param {QrCode} code */
export function qrPath({ size, isDark }) {
  let path = "";
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      if (!isDark(row, column)) continue;
      const begin = column;
      while (column < size && isDark(row, column)) column++;
      path += `M${begin + QUIET} ${row + QUIET}h${column - begin}v1h${begin - column}z`;
    }
  }
  return path;
}

/** How many modules stay light on each side of a code. */
export const QUIET = 4;

/**
 * The data codewords: mode, length, bytes and filling. Undefined if they are too many.
 * @param {Uint8Array} bytes @param {8 | 16} lengthBits @param {number} room
 */
function codewords(bytes, lengthBits, room) {
  if (4 + lengthBits + 8 * bytes.length > 8 * room) return undefined;
  const bits = [0b0100, bytes.length, ...bytes].map((value, index) => value.toString(2).padStart(index === 0 ? 4 : index === 1 ? lengthBits : 8, "0")).join("");
  const whole = bits.padEnd(Math.min(bits.length + 4, 8 * room), "0");
  const words = (whole.padEnd(8 * Math.ceil(whole.length / 8), "0").match(/.{8}/g) ?? []).map((word) => Number.parseInt(word, 2));
  for (let filling = 0xec; words.length < room; filling ^= 0xec ^ 0x11) words.push(filling);
  return words;
}

/** Powers of 2 in the field of 256 elements, and their exponents. */
const POWERS = new Uint8Array(255);
const EXPONENTS = new Uint8Array(256);
for (let exponent = 0, value = 1; exponent < 255; exponent++) {
  POWERS[exponent] = value;
  EXPONENTS[value] = exponent;
  value = (value << 1) ^ (value & 0x80 ? 0x11d : 0);
}

/** @param {number} a @param {number} b */
function times(a, b) {
  return a === 0 || b === 0 ? 0 : POWERS[((EXPONENTS[a] ?? 0) + (EXPONENTS[b] ?? 0)) % 255] ?? 0;
}

/** The error correction codewords of a block. @param {readonly number[]} data @param {number} count */
export function checkWords(data, count) {
  // The divisor is the product of (x - 2^0) to (x - 2^(count - 1)), without its first term.
  let divisor = [1];
  for (let root = 0; root < count; root++) {
    const factor = POWERS[root] ?? 0;
    divisor = [...divisor, 0].map((value, index) => value ^ times(divisor[index - 1] ?? 0, factor));
  }
  let rest = new Array(count).fill(0);
  for (const word of data) {
    const lead = word ^ rest[0];
    rest = [...rest.slice(1), 0].map((value, index) => value ^ times(divisor[index + 1] ?? 0, lead));
  }
  return rest;
}

/**
 * Deals data into blocks and joins their codewords in turn. The last blocks may be one longer.
 * @param {readonly number[]} data @param {number} count @param {number} checks
 */
function interleave(data, count, checks) {
  const [short, longer] = [Math.floor(data.length / count), data.length % count];
  const blocks = Array.from({ length: count }, (_, index) => {
    const begin = index * short + Math.max(0, index - (count - longer));
    return data.slice(begin, begin + short + (index >= count - longer ? 1 : 0));
  });
  /** @param {number[][]} rows */
  const inTurn = (rows) => Array.from({ length: Math.max(...rows.map(({ length }) => length)) }, (_, index) => rows.flatMap((row) => row[index] ?? [])).flat();
  return [...inTurn(blocks), ...inTurn(blocks.map((block) => checkWords(block, checks)))];
}

/** A value followed by the remainder of its division. @param {number} value @param {number} bits @param {number} divisor */
function withRemainder(value, bits, divisor) {
  let rest = value << bits;
  while (rest >> bits > 0) rest ^= divisor << (Math.clz32(divisor) - Math.clz32(rest));
  return (value << bits) | rest;
}

/** The modules of one code while it is drawn. */
class Drawing {
  /** @param {number} version */
  constructor(version) {
    this.version = version;
    this.size = 17 + 4 * version;
    /** @type {(boolean | undefined)[]} */
    this.modules = new Array(this.size ** 2).fill(undefined);
    this.#finders();
    this.#alignment();
    for (let place = 8; place < this.size - 8; place++) {
      this.#set(6, place, place % 2 === 0);
      this.#set(place, 6, place % 2 === 0);
    }
    if (version >= 7) this.#versionBits();
    this.#formatBits(0);
    /** What is left for the data, in its order. */
    this.free = [...this.#snake()].filter((index) => this.modules[index] === undefined);
  }

  /** @param {number} row @param {number} column @param {boolean} isDark */
  #set(row, column, isDark) {
    this.modules[row * this.size + column] = isDark;
  }

  /** The squares in three corners, with the light line around each. */
  #finders() {
    const end = this.size - 7;
    for (const [top, left] of /** @type {const} */ ([[0, 0], [0, end], [end, 0]])) {
      for (let row = Math.max(0, top - 1); row <= Math.min(this.size - 1, top + 7); row++) {
        for (let column = Math.max(0, left - 1); column <= Math.min(this.size - 1, left + 7); column++) {
          const ring = Math.max(Math.abs(row - top - 3), Math.abs(column - left - 3));
          this.#set(row, column, ring !== 2 && ring !== 4);
        }
      }
    }
  }

  /** The small squares, except where they would meet those of the corners. */
  #alignment() {
    const last = this.size - 7;
    const places = this.version === 1 ? [] : this.version < 7 ? [6, last] : [6, (6 + last) / 2, last];
    for (const middleRow of places) {
      for (const middle of places) {
        if (this.modules[middleRow * this.size + middle] !== undefined) continue;
        for (let row = -2; row <= 2; row++) {
          for (let column = -2; column <= 2; column++) this.#set(middleRow + row, middle + column, Math.max(Math.abs(row), Math.abs(column)) !== 1);
        }
      }
    }
  }

  #versionBits() {
    const bits = withRemainder(this.version, 12, 0x1f25);
    for (let bit = 0; bit < 18; bit++) {
      const [along, across] = [Math.floor(bit / 3), this.size - 11 + (bit % 3)];
      this.#set(along, across, (bits >> bit & 1) === 1);
      this.#set(across, along, (bits >> bit & 1) === 1);
    }
  }

  /** Level M is 00. @param {number} mask */
  #formatBits(mask) {
    const bits = withRemainder(mask, 10, 0x537) ^ 0x5412;
    const end = this.size - 1;
    for (let bit = 0; bit < 15; bit++) {
      const isDark = (bits >> bit & 1) === 1;
      // Around the upper left corner, past the timing lines.
      if (bit < 8) this.#set(bit + (bit > 5 ? 1 : 0), 8, isDark);
      else this.#set(8, bit === 8 ? 7 : 14 - bit, isDark);
      // Beside the other two corners.
      if (bit < 8) this.#set(8, end - bit, isDark);
      else this.#set(end - 14 + bit, 8, isDark);
    }
    this.#set(end - 7, 8, true);
  }

  /** Two columns at a time, from the right, up and down in turn, past the timing column. */
  *#snake() {
    let isUp = true;
    for (let right = this.size - 1; right > 0; right -= 2, isUp = !isUp) {
      if (right === 6) right = 5;
      for (let step = 0; step < this.size; step++) {
        const row = isUp ? this.size - 1 - step : step;
        yield row * this.size + right;
        yield row * this.size + right - 1;
      }
    }
  }

  /** Writes the codewords, under each mask, and keeps the best. @param {readonly number[]} words @returns {QrCode} */
  finish(words) {
    let best = { penalty: Infinity, mask: 0, modules: this.modules };
    for (const [mask, turns] of MASKS.entries()) {
      this.#formatBits(mask);
      for (const [place, index] of this.free.entries()) {
        const bit = ((words[place >> 3] ?? 0) >> (7 - place % 8) & 1) === 1;
        this.modules[index] = bit !== turns(Math.floor(index / this.size), index % this.size);
      }
      const penalty = penaltyOf(this.modules, this.size);
      if (penalty < best.penalty) best = { penalty, mask, modules: [...this.modules] };
    }
    const { version, size } = this;
    return { version, size, mask: best.mask, isDark: (row, column) => best.modules[row * size + column] === true };
  }
}

/** How hard modules are to read. @param {readonly (boolean | undefined)[]} modules @param {number} size */
function penaltyOf(modules, size) {
  const is = (/** @type {number} */ row, /** @type {number} */ column) => (modules[row * size + column] ? "1" : "0");
  const places = Array.from({ length: size }, (_, place) => place);
  const lines = places.flatMap((one) => [places.map((other) => is(one, other)).join(""), places.map((other) => is(other, one)).join("")]);
  let penalty = 0;
  for (const line of lines) {
    for (const { length } of line.match(/0{5,}|1{5,}/g) ?? []) penalty += length - 2;
    // What looks like the middle of a corner, with light on one side.
    for (let begin = 0; begin <= size - 11; begin++) {
      if (/^(00001011101|10111010000)/.test(line.slice(begin, begin + 11))) penalty += 40;
    }
  }
  for (let row = 0; row < size - 1; row++) {
    for (let column = 0; column < size - 1; column++) {
      const square = is(row, column) + is(row, column + 1) + is(row + 1, column) + is(row + 1, column + 1);
      if (square === "0000" || square === "1111") penalty += 3;
    }
  }
  const share = modules.filter(Boolean).length / size ** 2;
  return penalty + 10 * Math.floor(Math.abs(share - 0.5) * 20);
}
