// A large board on a phone: a touch enlarges it, so that each square is as wide as a finger.

import assert from "node:assert/strict";
import test from "node:test";
import { picture } from "../browser.js";
import { feedPage, settle, until, welcome } from "../fed.js";
import { chromium, rules, server } from "../fed_site.js";
import { GAME, positionMessage } from "../pairs.js";

const LARGE = "shadowflash-3 red 8 2 .15bF/.16/.16/.16/.3~3.4~3.3/.3~3.4~3.3/r9'[9P].15/.4b7'*^.11/.16/rF.15 B:2,9:1,9^:1 - a4r,b5g -";
const SMALL = "classic red 30 4 bF.9/b8'.9/.10/.10/.2~2.2~2.2/.2~2.2~2.2/.10/.3rS'b1'*.5/.10/rFr8.8";

/** @param {string} position @param {{ width: number, height: number }} viewport */
async function open(position, viewport) {
  const options = { viewport, hasTouch: true, isMobile: true, reducedMotion: /** @type {const} */ ("reduce") };
  const fed = await feedPage(chromium, { url: server.url, rules, path: `/game/${GAME}`, settings: {}, isQuiet: true, options });
  await fed.hear(welcome("red"));
  await fed.hear(await positionMessage(position, "red"));
  await settle(fed.page, ".square");
  const { page } = fed;
  const square = (/** @type {string} */ name) => page.locator(`[data-square='${name}']`);
  /** Touches the middle of a square, wherever that is. @param {string} name */
  const touch = async (name) => {
    const { x, y, width, height } = /** @type {{ x: number, y: number, width: number, height: number }} */ (await square(name).boundingBox());
    await page.touchscreen.tap(x + width / 2, y + height / 2);
    await page.evaluate(() => /** @type {any} */ (window).fed.run(100));
    return width;
  };
  return { ...fed, square, touch };
}

for (const viewport of [{ width: 390, height: 844 }, { width: 320, height: 568 }]) {
  test(`a touch enlarges a large board, and the next one is sure of its square: ${viewport.width} px`, async () => {
    const { page, faults, context, square, touch } = await open(LARGE, viewport);
    const whole = page.getByRole("button", { name: "Whole board" });
    assert.ok(await touch("a4") < 40, "the whole board is in sight at first");
    await until(page, whole);
    assert.equal(await square("a4").getAttribute("aria-selected"), "true", "an unsure touch chooses a piece");
    const { x, y, width, height } = /** @type {{ x: number, y: number, width: number, height: number }} */ (await square("a4").boundingBox());
    assert.ok(width >= 40 && height >= 40, `${width} px`);
    const host = /** @type {{ x: number, y: number, width: number, height: number }} */ (await page.locator(".board-host").boundingBox());
    assert.ok(x >= host.x && y >= host.y && x + width <= host.x + host.width && y + height <= host.y + host.height, "it is in sight");
    await picture(page, `enlarged-${viewport.width}`);
    await touch("c4");
    await until(page, page.locator(".sheet"));
    await page.keyboard.press("Escape");
    await page.evaluate(() => /** @type {any} */ (window).fed.run(100));
    await whole.tap();
    await page.evaluate(() => /** @type {any} */ (window).fed.run(100));
    assert.equal(await whole.count(), 0);
    // With a piece in hand, an unsure touch goes nowhere.
    await square("a4").press("Enter");
    await touch("c4");
    await until(page, whole);
    assert.equal(await page.locator(".sheet").count(), 0);
    assert.deepEqual(faults, []);
    await context.close();
  });
}

test("a board that is as wide as the phone is touched at once", async () => {
  const { page, faults, context, square, touch } = await open(SMALL, { width: 390, height: 844 });
  await touch("d3");
  assert.equal(await square("d3").getAttribute("aria-selected"), "true");
  assert.equal(await page.locator("[data-enlarged]").count(), 0);
  assert.deepEqual(faults, []);
  await context.close();
});
