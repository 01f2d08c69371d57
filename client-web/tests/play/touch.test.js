// A game on a phone by touch alone, with taps and drags, against another browser.

import assert from "node:assert/strict";
import test from "node:test";
import { PHONE, newPage, picture } from "../browser.js";
import { chance } from "../games.js";
import { Player, countsOf, occupied, playTurns, seedPage } from "../player.js";
import { drag, idOf, meet } from "../robot.js";
import { chromium, server } from "../site.js";

/** @param {number} seed @param {import("playwright-core").BrowserContextOptions} [options] */
async function open(seed, options) {
  const opened = await newPage(chromium, { reducedMotion: "reduce", ...options });
  await seedPage(opened.context, seed);
  return opened;
}

test("a phone plays by touch: an army is placed, moved and dragged, and a color is chosen", async () => {
  const [phone, desk] = await Promise.all([open(1, PHONE), open(2)]);
  const red = new Player(desk.page, "pointer", chance(5));
  const blue = new Player(phone.page, "touch", chance(6));
  await meet(desk.page, phone.page, server.url, "shadowflash-2", { side: "red", accept: (button) => blue.use(button) });
  await red.deploy();
  await blue.use(blue.button("Random"));
  await phone.page.getByRole("gridcell", { name: /^a7, your/ }).waitFor();
  const names = () => Promise.all(["a7", "p7", "h7"].map((square) => blue.square(square).getAttribute("aria-label")));
  const rankOf = (/** @type {string | null | undefined} */ name) => /your (\w+)/.exec(name ?? "")?.[1];
  const [a, p] = (await names()).map(rankOf);
  // Two placed pieces change places by taps, and by a drag.
  await blue.press("a7");
  await blue.press("p7");
  assert.deepEqual((await names()).map(rankOf).slice(0, 2), [p, a]);
  await blue.showWhole();
  await drag(phone.page, blue.square("p7"), blue.square("a7"), "touch");
  assert.deepEqual((await names()).map(rankOf).slice(0, 2), [a, p]);
  await blue.handIn();
  await Promise.all([phone, desk].map(({ page }) => page.locator(".phase-playing").waitFor()));
  blue.plan.push(async () => {
    const square = await blue.takeOff();
    blue.plan.unshift(() => blue.putOn(square));
  }, () => blue.strikeOverEdge());
  await playTurns([red, blue], 30);
  await picture(phone.page, "touch-playing");
  assert.ok(blue.drags > 0 && blue.done.moved > blue.drags + 1, `${blue.drags} drags of ${blue.done.moved} moves`);
  assert.equal(await phone.page.evaluate(() => scrollY), 0, "no drag scrolls the page");
  // A Flag may have been captured.
  if (await phone.page.locator(".phase-over").count() === 0) await blue.resign();
  await desk.page.locator(".phase-over").waitFor();
  assert.deepEqual({ red: red.done, blue: blue.done }, await countsOf(server, idOf(desk.page)), "every act was made once");
  assert.deepEqual(await occupied(phone.page), await occupied(desk.page));
  for (const { faults, context } of [phone, desk]) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});
