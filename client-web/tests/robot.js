// Plays a game on the page as a person does: through what can be seen and pressed.

/** @typedef {import("playwright-core").Page} Page */

/** @param {Page} page */
export async function isOver(page) {
  return await page.locator(".phase-over").count() > 0;
}

/**
 * Makes one act if the page waits for one: answers an open question, or moves a random piece.
 * @param {Page} page @param {(below: number) => number} random @param {"pointer" | "keys"} way
 * @returns {Promise<boolean>} True if something was done.
 */
export async function act(page, random, way = "pointer") {
  const answers = page.locator(".sheet button:enabled");
  const count = await answers.count();
  if (count > 0) {
    const answer = answers.nth(random(count));
    if (way === "keys") await answer.press("Enter");
    else await answer.click({ timeout: 2_000 }).catch(() => undefined);
    return true;
  }
  if (await page.locator(".status.your-turn").count() === 0) return false;
  return way === "keys" ? moveByKeys(page, random) : moveByPointer(page, random);
}

/** @param {Page} page @param {string} selector @returns {Promise<string[]>} */
function squares(page, selector) {
  return page.locator(selector).evaluateAll((cells) => cells.map((cell) => /** @type {HTMLElement} */ (cell).dataset.square ?? ""));
}

/** @param {Page} page @param {(below: number) => number} random */
async function moveByPointer(page, random) {
  const pieces = await squares(page, ".square.liftable");
  for (let tries = 0; tries < 40 && pieces.length > 0; tries++) {
    await press(page, pieces[random(pieces.length)] ?? "");
    const targets = await squares(page, ".square.target, .square.strike");
    if (targets.length === 0) continue;
    await press(page, targets[random(targets.length)] ?? "");
    return true;
  }
  return false;
}

/** @param {Page} page @param {string} square */
export async function press(page, square) {
  const box = await page.locator(`[data-square="${square}"]`).boundingBox();
  if (box) await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

/** @param {Page} page @param {(below: number) => number} random */
async function moveByKeys(page, random) {
  await page.locator(".squares [tabindex='0']").focus();
  for (let presses = random(12) + 1; presses > 0; presses--) await page.keyboard.press("n");
  const from = await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).dataset.square ?? "");
  await page.keyboard.press("Enter");
  const targets = await squares(page, ".square.target, .square.strike");
  const to = targets[random(targets.length)];
  if (!to) {
    await page.keyboard.press("Escape");
    return false;
  }
  const isRedBelow = (await page.getByRole("grid").getAttribute("aria-label"))?.includes("Red below") ?? true;
  const turn = isRedBelow ? 1 : -1;
  const across = (to.charCodeAt(0) - from.charCodeAt(0)) * turn;
  const up = (Number(to.slice(1)) - Number(from.slice(1))) * turn;
  for (let n = 0; n < Math.abs(across); n++) await page.keyboard.press(across > 0 ? "ArrowRight" : "ArrowLeft");
  for (let n = 0; n < Math.abs(up); n++) await page.keyboard.press(up > 0 ? "ArrowUp" : "ArrowDown");
  await page.keyboard.press("Enter");
  return true;
}

/** Deploys at random. @param {Page} page */
export async function deploy(page) {
  await page.getByRole("button", { name: "Random" }).click();
  await page.getByRole("button", { name: "Ready", exact: true }).click();
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
