// A player who uses the page in one way only: by pointer, by touch, or by keys alone. They see what
// the page shows, and count what they did.

import { drag, isOver, middleOf, tapAt } from "./robot.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").Locator} Locator */
/** @typedef {"pointer" | "touch" | "keys"} Way */
/** @typedef {"moved" | "removed" | "placed" | "colored" | "chosen"} Kind What a record calls an act. */

/** @returns {Record<Kind, number>} */
const nothing = () => ({ moved: 0, removed: 0, placed: 0, colored: 0, chosen: 0 });

/** More controls than a page has. */
const MOST_TABS = 150;
/** No act takes as long. */
const MOST_LOOKS = 800;

/**
 * Goes to a control by Tab.
 * @param {Page} page @param {Locator} control
 */
export async function tabTo(page, control) {
  const focused = control.and(page.locator(":focus"));
  for (let tabs = 0; await focused.count() === 0; tabs++) {
    if (tabs === MOST_TABS) throw new Error(`no way to ${control} by Tab`);
    await page.keyboard.press("Tab");
  }
}

/** Makes a page's own random choices follow a seed. @param {import("playwright-core").BrowserContext} context @param {number} seed */
export function seedPage(context, seed) {
  return context.addInitScript((seed) => {
    let state = seed;
    Math.random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
  }, seed);
}

export class Player {
  /** How often this player did what. @type {Record<Kind, number>} */
  done = nothing();
  /** How many of the moves were dragged. */
  drags = 0;
  /** What the player does on their next turns, in this order. After that they move at random. @type {((player: Player) => Promise<void>)[]} */
  plan = [];

  /** @param {Page} page @param {Way} way @param {(below: number) => number} random */
  constructor(page, way, random) {
    this.page = page;
    this.way = way;
    this.random = random;
  }

  /** Presses a control. @param {Locator} control */
  async use(control) {
    if (this.way === "pointer") return control.click();
    if (this.way === "touch") {
      // Waits until it can be tapped.
      await control.tap({ trial: true });
      const { x, y } = await middleOf(control);
      return tapAt(this.page, x, y);
    }
    await control.waitFor();
    await tabTo(this.page, control);
    await this.page.keyboard.press("Enter");
  }

  /** @param {string} name */
  button(name) {
    return this.page.getByRole("button", { name, exact: true });
  }

  /** @param {string} name */
  square(name) {
    return this.page.locator(`[data-square="${name}"]`);
  }

  /** The names of squares with a mark. @param {string} selector @returns {Promise<string[]>} */
  squares(selector) {
    return this.page.locator(selector).evaluateAll((cells) => cells.map((cell) => /** @type {HTMLElement} */ (cell).dataset.square ?? ""));
  }

  /** @template T @param {readonly T[]} list @returns {T | undefined} */
  oneOf(list) {
    return list[this.random(list.length)];
  }

  /** Presses a square of the board. @param {string} name */
  async press(name) {
    if (this.way === "keys") {
      await this.goTo(name);
      return this.page.keyboard.press("Enter");
    }
    if (this.way === "touch") await this.square(name).scrollIntoViewIfNeeded();
    const isEnlarged = async () => await this.page.locator("[data-enlarged]").count() > 0;
    const isHolding = this.way === "touch" && !await isEnlarged() && await this.page.locator(":is(.square, .tray-piece).chosen").count() > 0;
    const { x, y } = await middleOf(this.square(name));
    await this.#pressAt(x, y);
    // The touch has enlarged the board, and puts down nothing.
    if (isHolding && await isEnlarged()) await this.press(name);
  }

  /** @param {number} x @param {number} y */
  #pressAt(x, y) {
    return this.way === "touch" ? tapAt(this.page, x, y) : this.page.mouse.click(x, y);
  }

  /** Goes to a square by the arrow keys. @param {string} name */
  async goTo(name) {
    await tabTo(this.page, this.page.getByRole("gridcell"));
    const { across, down } = await this.square(name).evaluate((cell) => {
      /** @param {Element} cell */
      const at = (cell) => [...cell.parentElement?.children ?? []].indexOf(cell);
      const focused = /** @type {Element} */ (document.activeElement);
      return {
        across: at(cell) - at(focused),
        down: at(/** @type {Element} */ (cell.parentElement)) - at(/** @type {Element} */ (focused.parentElement)),
      };
    });
    for (let n = 0; n < Math.abs(across); n++) await this.page.keyboard.press(across > 0 ? "ArrowRight" : "ArrowLeft");
    for (let n = 0; n < Math.abs(down); n++) await this.page.keyboard.press(down > 0 ? "ArrowDown" : "ArrowUp");
  }

  /** What the page shows of the game. */
  look() {
    return this.page.evaluate(() => ({
      status: document.querySelector("#status")?.textContent ?? "",
      isTurn: document.querySelector(".status.your-turn") !== null,
      sheet: document.querySelector(".sheet h2")?.textContent ?? "",
      last: document.querySelector(".moves li:last-child")?.textContent ?? "",
      toast: document.querySelector(".toast")?.textContent ?? "",
    }));
  }

  /** Deploys at random, with pieces of these ranks on these squares. @param {Record<string, string>} [places] */
  async deploy(places = {}) {
    await this.use(this.button("Random"));
    for (const [square, rank] of Object.entries(places)) {
      const found = await this.page.getByRole("gridcell", { name: `your ${rank}` }).evaluateAll((cells) => cells.map((cell) => /** @type {HTMLElement} */ (cell).dataset.square ?? ""));
      const from = found.find((one) => !(one in places));
      if (found.includes(square) || !from) continue;
      // Two placed pieces change places.
      await this.press(from);
      await this.press(square);
    }
    await this.handIn();
  }

  /** Hands in what is placed, and says so again where it cannot be changed. */
  async handIn() {
    await this.use(this.button("Ready"));
    const dialog = this.page.getByRole("dialog");
    await dialog.or(this.page.getByRole("button", { name: "Ready, waiting" })).or(this.page.locator(".phase-playing")).first().waitFor();
    if (await dialog.count() > 0) await this.use(dialog.getByRole("button", { name: "Submit" }));
  }

  /** Does what the page waits for, if it waits for this player. True if something was done. */
  async turn() {
    if (await isOver(this.page)) return false;
    const { sheet, isTurn } = await this.look();
    if (sheet) await this.#answerSheet();
    else if (isTurn) await (this.plan.shift() ?? ((player) => player.moveAtRandom()))(this);
    else return false;
    return true;
  }

  /** Names an owed color, or what a coin is. */
  async #answerSheet() {
    const before = await this.look();
    if (await this.page.locator(".sheet .color-button").count() > 0) {
      await this.#nameColor();
      return this.#finish("colored", before);
    }
    // Who names the Flag loses the game with it.
    const ranks = this.page.locator(".sheet .tray-piece:enabled:not([aria-label='Flag'])");
    await this.use(ranks.nth(this.random(await ranks.count())));
    await this.#finish("chosen", before);
  }

  async #nameColor() {
    if (this.way === "keys") return this.page.keyboard.press(String(1 + this.random(4)));
    await this.use(this.page.locator(".sheet .color-button").nth(this.random(4)));
  }

  /**
   * Answers the questions of an act, and waits until it is made.
   * @param {Kind} kind @param {Awaited<ReturnType<Player["look"]>>} before
   */
  async #finish(kind, before) {
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const { status, sheet, last, toast } = await this.look();
      // A piece that was tried before has no way to go.
      if (toast && toast !== before.toast && !toast.startsWith("This piece cannot move now")) throw new Error(`not ${kind}: ${toast}`);
      if (sheet === "Which way?") {
        const ways = this.page.locator(".sheet .stack button");
        await this.use(ways.nth(this.random(await ways.count())));
      } else if (sheet === "Color of the chip") {
        await this.#nameColor();
      } else if (await isOver(this.page) || (status !== "Your move is on its way…" && (last !== before.last || status !== before.status))) {
        this.done[kind]++;
        return;
      } else {
        await this.page.waitForTimeout(5);
      }
    }
    throw new Error(`no answer came to what was ${kind}: ${JSON.stringify(await this.look())}`);
  }

  /** Makes a move. @param {string} from @param {string} to */
  async move(from, to) {
    const before = await this.look();
    await this.press(from);
    await this.press(to);
    await this.#finish("moved", before);
  }

  /** Moves a random piece to one of the squares that the page shows, and strikes if it can. */
  async moveAtRandom() {
    const before = await this.look();
    for (let tries = 0; tries < 60; tries++) {
      const from = await this.#takeSome();
      const to = this.oneOf(await this.squares(".square.strike")) ?? this.oneOf(await this.squares(".square.target"));
      if (!to) continue;
      if (this.way === "touch" && this.random(2) === 0) {
        await this.page.keyboard.press("Escape");
        await this.showWhole();
        await drag(this.page, this.square(from), this.square(to), "touch");
        this.drags++;
      } else {
        await this.press(to);
      }
      return this.#finish("moved", before);
    }
    throw new Error("no piece was found that can move");
  }

  /** Shows the whole board, if a touch has enlarged it: both ends of a drag must be in sight. */
  async showWhole() {
    const whole = this.button("Whole board");
    if (await whole.count() > 0) await this.use(whole);
  }

  /** Takes one of the pieces that can be lifted. */
  async #takeSome() {
    if (this.way !== "keys") {
      const from = this.oneOf(await this.squares(".square.liftable")) ?? "";
      await this.press(from);
      return from;
    }
    await tabTo(this.page, this.page.getByRole("gridcell"));
    for (let presses = this.random(8) + 1; presses > 0; presses--) await this.page.keyboard.press(this.random(4) === 0 ? "p" : "n");
    await this.page.keyboard.press("Enter");
    return (await this.squares(".square:focus"))[0] ?? "";
  }

  /** A piece of the back row strikes over the joined edge behind it. */
  async strikeOverEdge() {
    const before = await this.look();
    for (const from of (await this.squares(".square.liftable")).filter((square) => /^.(1|10)$/.test(square)).sort()) {
      await this.press(from);
      const [column, isFirst] = [from[0] ?? "", from.slice(1) === "1"];
      if (!(await this.squares(".square.strike")).includes(column + (isFirst ? 10 : 1))) {
        await this.page.keyboard.press("Escape");
        continue;
      }
      // The strip beyond the edge shows the far row.
      const [edge, inner] = [await middleOf(this.square(from)), await middleOf(this.square(column + (isFirst ? 2 : 9)))];
      const [dx, dy] = [edge.x - inner.x, edge.y - inner.y];
      if (this.way === "keys") {
        await this.page.keyboard.press(Math.abs(dx) > Math.abs(dy) ? (dx > 0 ? "ArrowRight" : "ArrowLeft") : dy > 0 ? "ArrowDown" : "ArrowUp");
        await this.page.keyboard.press("Enter");
      } else {
        await this.#pressAt(edge.x + 0.75 * dx, edge.y + 0.75 * dy);
      }
      return this.#finish("moved", before);
    }
    throw new Error("no piece of the back row can strike over the edge");
  }

  /** Takes a piece off the board, into the reserve. The square that it left is returned. */
  async takeOff() {
    const before = await this.look();
    const named = await this.page.locator(".squares .row:last-child .square").evaluateAll((cells) =>
      cells.map((cell) => [/** @type {HTMLElement} */ (cell).dataset.square ?? "", cell.getAttribute("aria-label") ?? ""]));
    const [square = ""] = this.oneOf(named.filter(([, name]) => name?.includes("your ") && !name.includes("Flag"))) ?? [];
    if (this.way === "keys") {
      await this.goTo(square);
      await this.page.keyboard.press("Delete");
    } else {
      await this.press(square);
      await this.use(this.button("Take into the reserve"));
    }
    await this.#finish("removed", before);
    return square;
  }

  /** Puts a piece of the reserve on a square. @param {string} square */
  async putOn(square) {
    const before = await this.look();
    if (await this.page.locator(".reserve[open]").count() === 0) await this.use(this.page.locator(".reserve summary"));
    const pieces = this.page.locator(".reserve .tray-piece:enabled");
    await this.use(pieces.nth(this.random(await pieces.count())));
    await this.page.locator(".reserve .tray-piece.chosen").waitFor();
    await this.press(square);
    await this.#finish("placed", before);
  }

  /** Makes a move that is against the rules, where that is accepted and loses the game. */
  async actIllegally() {
    const [from = ""] = (await this.squares(".square.liftable")).sort();
    await this.press(from);
    const legal = new Set(await this.squares(".square.target, .square.strike"));
    const all = await this.page.locator(".square").evaluateAll((cells) => cells
      .filter((cell) => /, empty$/.test(cell.getAttribute("aria-label") ?? ""))
      .map((cell) => /** @type {HTMLElement} */ (cell).dataset.square ?? ""));
    const to = this.oneOf(all.filter((square) => !legal.has(square))) ?? "";
    await this.press(to);
    await this.use(this.page.getByRole("dialog").getByRole("button", { name: "Make it and lose" }));
    await this.page.locator(".phase-over").waitFor();
  }

  async resign() {
    await this.use(this.button("Resign"));
    await this.use(this.page.getByRole("dialog").getByRole("button", { name: "Resign" }));
    await this.page.locator(".phase-over").waitFor();
  }
}

/** True if a strike waits for a choice. @param {Player[]} players */
async function isOpen(players) {
  const looks = await Promise.all(players.map((player) => player.look()));
  return looks.some(({ status, sheet }) => sheet !== "" || /cho(ose|se)\b/.test(status));
}

/**
 * Lets players act until they have done what they planned, and this number of acts, and no strike
 * is open, or the game is over.
 * @param {Player[]} players @param {number} least @returns {Promise<number>} How many acts were done.
 */
export async function playTurns(players, least) {
  for (let acts = 0; ;) {
    for (const player of players) {
      const isEnough = acts >= least && players.every(({ plan }) => plan.length === 0);
      if ((isEnough && !await isOpen(players)) || await isOver(player.page)) return acts;
      if (await player.turn()) acts++;
      else await player.page.waitForTimeout(5);
    }
  }
}

/**
 * How often each side did what, by the record of a game that is over.
 * @param {import("./programs.js").Server} server @param {string} id
 */
export async function countsOf(server, id) {
  const answer = await fetch(`${server.url}/api/games/${id}/record?as=all`);
  const record = /** @type {import("../types/messages").GameRecord} */ (await answer.json());
  const counts = { red: nothing(), blue: nothing() };
  for (const { event } of record.events) {
    if ("side" in event && event.kind in counts.red) counts[event.side][/** @type {Kind} */ (event.kind)]++;
  }
  return counts;
}

/** The squares with a piece on them. @param {Page} page @returns {Promise<string[]>} */
export function occupied(page) {
  return page.locator(".square").evaluateAll((cells) => cells
    .filter((cell) => /^\w+, (?!empty|lake)/.test(cell.getAttribute("aria-label") ?? ""))
    .map((cell) => /** @type {HTMLElement} */ (cell).dataset.square ?? "").sort());
}
