// Plays a game on the page as a person does: through what can be seen and pressed.

/** @typedef {import("playwright-core").Page} Page */

/** @param {Page} page */
export async function isOver(page) {
  return await page.locator(".phase-over").count() > 0;
}

/**
 * Makes one act if the page waits for one: answers an open question, or moves a random piece.
 * @param {Page} page @param {(below: number) => number} random @param {"pointer" | "keys"} way
 * @param {boolean} isFierce True if the piece strikes whenever it can, so that games end.
 * @returns {Promise<boolean>} True if something was done.
 */
export async function act(page, random, way = "pointer", isFierce = false) {
  const answers = page.locator(".sheet button:enabled");
  const count = await answers.count();
  if (count > 0) {
    const answer = answers.nth(random(count));
    if (way === "keys") await answer.press("Enter");
    else await answer.click({ timeout: 2_000 }).catch(() => undefined);
    return true;
  }
  if (await page.locator(".status.your-turn").count() === 0) return false;
  return way === "keys" ? moveByKeys(page, random, isFierce) : moveByPointer(page, random, isFierce);
}

/** @param {Page} page @param {string} selector @returns {Promise<string[]>} */
function squares(page, selector) {
  return page.locator(selector).evaluateAll((cells) => cells.map((cell) => /** @type {HTMLElement} */ (cell).dataset.square ?? ""));
}

/** @param {Page} page @param {(below: number) => number} random @param {boolean} isFierce */
async function moveByPointer(page, random, isFierce) {
  const pieces = await squares(page, ".square.liftable");
  for (let tries = 0; tries < 40 && pieces.length > 0; tries++) {
    await press(page, pieces[random(pieces.length)] ?? "");
    const target = await targetOf(page, random, isFierce);
    if (!target) continue;
    await press(page, target);
    return true;
  }
  return false;
}

/** Where the chosen piece goes. @param {Page} page @param {(below: number) => number} random @param {boolean} isFierce */
async function targetOf(page, random, isFierce) {
  const strikes = isFierce ? await squares(page, ".square.strike") : [];
  if (strikes.length > 0) return strikes[random(strikes.length)];
  const targets = await squares(page, ".square.target, .square.strike");
  const one = targets[random(targets.length)];
  if (!isFierce || !one) return one;
  // The better of two random squares: pieces come to the opponent's home soon, and search all of
  // it.
  const other = targets[random(targets.length)] ?? one;
  return (Number(other.slice(1)) - Number(one.slice(1))) * await upOf(page) > 0 ? other : one;
}

/** 1 if rows are numbered upwards as the page shows them, -1 otherwise. @param {Page} page */
async function upOf(page) {
  return (await page.getByRole("grid").getAttribute("aria-label"))?.includes("Red below") ?? true ? 1 : -1;
}

/** @param {Page} page @param {string} square */
export async function press(page, square) {
  const box = await page.locator(`[data-square="${square}"]`).boundingBox();
  if (box) await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

/** @param {Page} page @param {(below: number) => number} random @param {boolean} isFierce */
async function moveByKeys(page, random, isFierce) {
  await page.locator(".squares [tabindex='0']").focus();
  for (let presses = random(12) + 1; presses > 0; presses--) await page.keyboard.press("n");
  const from = await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).dataset.square ?? "");
  await page.keyboard.press("Enter");
  const to = await targetOf(page, random, isFierce);
  if (!to) {
    await page.keyboard.press("Escape");
    return false;
  }
  const turn = await upOf(page);
  const across = (to.charCodeAt(0) - from.charCodeAt(0)) * turn;
  const up = (Number(to.slice(1)) - Number(from.slice(1))) * turn;
  for (let n = 0; n < Math.abs(across); n++) await page.keyboard.press(across > 0 ? "ArrowRight" : "ArrowLeft");
  for (let n = 0; n < Math.abs(up); n++) await page.keyboard.press(up > 0 ? "ArrowUp" : "ArrowDown");
  await page.keyboard.press("Enter");
  return true;
}

/** The middle of an element. @param {import("playwright-core").Locator} element */
export async function middleOf(element) {
  const box = await element.boundingBox();
  if (!box) throw new Error("an element to drag from or to is not on the page");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/**
 * Drags from one element to another.
 * @param {Page} page @param {import("playwright-core").Locator} from @param {import("playwright-core").Locator} to @param {"mouse" | "touch"} by
 * @param {() => Promise<void>} [onTheWay] What is done before the pointer is lifted.
 */
export async function drag(page, from, to, by, onTheWay) {
  const [start, end] = [await middleOf(from), await middleOf(to)];
  const steps = [0.1, 0.5, 1].map((part) => ({ x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part }));
  if (by === "mouse") {
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    for (const { x, y } of steps) await page.mouse.move(x, y);
    await onTheWay?.();
    return page.mouse.up();
  }
  const { send, end: detach } = await finger(page);
  await send("touchStart", [start], 0.4);
  for (const point of steps) await send("touchMove", [point], 0.1);
  await onTheWay?.();
  // A finger that is lifted while it moves fast throws the page, and the next tap only stops it.
  await send("touchMove", [end], 0.5);
  await send("touchEnd", [], 0);
  await detach();
}

/** When a page was touched last, in seconds. @type {WeakMap<Page, number>} */
const touched = new WeakMap();

/**
 * A finger that is as slow as a person's, by the times in its events: two quick taps would be one
 * double tap.
 * @param {Page} page
 */
async function finger(page) {
  const session = await page.context().newCDPSession(page);
  return {
    /** @param {"touchStart" | "touchMove" | "touchEnd"} type @param {{ x: number, y: number }[]} touchPoints @param {number} pause */
    send: async (type, touchPoints, pause) => {
      const timestamp = Math.max(Date.now() / 1_000, (touched.get(page) ?? 0) + pause);
      touched.set(page, timestamp);
      await session.send("Input.dispatchTouchEvent", { type, touchPoints, timestamp });
    },
    end: () => session.detach(),
  };
}

/** @param {Page} page @param {number} x @param {number} y */
export async function tapAt(page, x, y) {
  const { send, end } = await finger(page);
  await send("touchStart", [{ x, y }], 0.4);
  await send("touchEnd", [], 0.05);
  await end();
}

/** Deploys at random. @param {Page} page */
export async function deploy(page) {
  await page.getByRole("button", { name: "Random" }).click();
  await page.getByRole("button", { name: "Ready", exact: true }).click();
}

/**
 * Starts a game as Red against the house, and returns its id.
 * @param {Page} page @param {string} url @param {string} ruleset @param {string} [level]
 */
export async function againstHouse(page, url, ruleset, level = "random") {
  await page.goto(`${url}/play`);
  await page.getByLabel("Rules").selectOption(ruleset);
  await page.getByLabel("Level").selectOption(level);
  await page.getByLabel("Your side").selectOption("red");
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.waitForURL(/\/game\//);
  await page.locator(".squares .row").first().waitFor();
  return idOf(page);
}

/** The id of the game that a page shows. @param {Page} page */
export const idOf = (page) => /\/game\/(\w+)/.exec(page.url())?.[1] ?? "";

/**
 * Two friends meet in a game by a link.
 * @param {Page} one @param {Page} other @param {string} url @param {string} ruleset
 * @param {{ side?: "any" | "red" | "blue", accept?: (button: import("playwright-core").Locator) => Promise<void> }} [how]
 * `side`: of the first; `accept`: how the other presses the button.
 */
export async function meet(one, other, url, ruleset, { side = "any", accept = (button) => button.click() } = {}) {
  await one.goto(`${url}/play`);
  await one.getByLabel("Rules").selectOption(ruleset);
  await one.getByLabel("Your side").selectOption(side);
  await one.getByText("Friend", { exact: true }).click();
  await one.getByRole("button", { name: "Make a link" }).click();
  await other.goto(await one.getByLabel("The link").inputValue());
  await accept(other.getByRole("button", { name: "Accept" }));
  await Promise.all([one, other].map((page) => page.waitForURL(/\/game\//)));
}

/** @param {Page} page */
export async function resign(page) {
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await page.locator(".phase-over").waitFor();
}

/** The ply of the last move that a page lists. @param {Page} page */
const lastPly = (page) => page.evaluate(() => document.querySelector(".moves li:last-child .numbers")?.textContent ?? "");

/**
 * Moves for whichever of the players has the turn, until the game is over or enough moves are made.
 * Each move is listed as made before the next, and pieces strike when they can. Returns the number of
 * moves.
 * @param {{ page: Page, way: "pointer" | "keys" }[]} players @param {(below: number) => number} random @param {number} most
 */
export async function playMoves(players, random, most) {
  for (let moves = 0; moves < most;) {
    for (const { page, way } of players) {
      if (await isOver(page)) return moves;
      const before = await lastPly(page);
      if (!await act(page, random, way, true)) continue;
      while (await lastPly(page) === before && !await isOver(page)) await page.waitForTimeout(5);
      moves++;
    }
  }
  return most;
}

/** Plays until the game is over or enough was done. @param {Page} page @param {(below: number) => number} random @param {number} acts */
export async function playOn(page, random, acts) {
  for (let done = 0, idle = 0; done < acts && idle < 400 && !await isOver(page);) {
    if (await act(page, random)) {
      done++;
      idle = 0;
    } else {
      idle++;
      await page.waitForTimeout(25);
    }
  }
}
