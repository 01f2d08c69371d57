// Records on the page, against a real server: every moment, every audience, and files.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { momentsOf } from "../../page/game/record.js";
import { overflow } from "../axe.js";
import { newPage, picture } from "../browser.js";
import { chance, playGames } from "../games.js";
import { deploy, isOver, playOn, resign } from "../robot.js";
import { rulesFor } from "../rules.js";
import { chromium, server } from "../site.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("../../types/messages").GameRecord} GameRecord */

/** @param {import("playwright-core").BrowserContextOptions} [options] */
const open = (options) => newPage(chromium, { reducedMotion: "reduce", ...options });

/** A refusal is an answer that browsers report. @param {string[]} faults */
const unexpected = (faults) => faults.filter((fault) => !/status of 40[34]/.test(fault));

/** Starts a game as Red against the house. @param {Page} page @param {string} ruleset @param {{ isPrivate?: boolean, acts: number }} how */
async function play(page, ruleset, { isPrivate = false, acts }) {
  await page.goto(`${server.url}/play`);
  await page.getByLabel("Rules").selectOption(ruleset);
  await page.getByLabel("Level").selectOption("random");
  await page.getByLabel("Your side").selectOption("red");
  if (isPrivate) await page.getByLabel("Only the two players can see it").check();
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.waitForURL(/\/game\//);
  await deploy(page);
  await page.locator(".your-turn").waitFor();
  await playOn(page, chance(5), acts);
  return /\/game\/(\w+)/.exec(page.url())?.[1] ?? "";
}

/** @param {Page} page */
const isReady = (page) => page.locator(".replay .square").first().waitFor();
/** @param {Page} page */
const slider = (page) => page.getByLabel("Place in the game");
/** @param {Page} page @param {string} name */
const press = (page, name) => page.getByRole("button", { name, exact: true }).click();
/** @param {string} id @param {string} as @returns {Promise<GameRecord>} */
const recordOf = async (id, as) => /** @type {any} */ ((await fetch(`${server.url}/api/games/${id}/record?as=${as}`)).json());

/** The buttons to step, or what a selector names, stand below the board, in the window. @param {Page} page */
async function areStepsInSight(page, selector = ".step-buttons") {
  const box = await page.locator(selector).boundingBox();
  assert.ok(box && box.y + box.height <= (page.viewportSize()?.height ?? 0), `${selector} ends at ${box && box.y + box.height}`);
}

/** What is on the board: pieces by their squares, as the names of squares say it. @param {Page} page */
const occupied = (page) => page.locator(".square").evaluateAll((cells) => cells
  .map((cell) => cell.getAttribute("aria-label") ?? "").filter((name) => /(Red|Blue)/.test(name)).length);

test("a running game shows what the audience may know, and why the rest is closed", async () => {
  const [ann, eve] = await Promise.all([open(), open()]);
  const id = await play(ann.page, "barrage", { acts: 3 });
  await ann.page.goto(`${server.url}/replay/${id}`);
  await isReady(ann.page);
  await ann.page.getByText("This game is still being played.").waitFor();
  assert.ok(await ann.page.getByLabel("Red", { exact: true }).isChecked(), "a player sees the own side");
  assert.ok(await ann.page.getByLabel("Blue", { exact: true }).isDisabled());
  assert.ok(await ann.page.getByLabel("All open").isDisabled());
  await ann.page.getByText("The other views open when the game is over.").waitFor();
  assert.ok(await ann.page.locator(".piece .figure, .piece .glyph").count() >= 5);

  await eve.page.goto(`${server.url}/replay/${id}?as=all&ply=1`);
  await isReady(eve.page);
  assert.ok(await eve.page.getByLabel("Everyone").isChecked(), "what is not open falls back");
  assert.ok(await eve.page.getByLabel("Red", { exact: true }).isDisabled());
  await press(eve.page, "To the start");
  assert.equal(await eve.page.locator(".piece .figure, .piece .glyph").count(), 0, "a stranger sees no rank at the start");
  await picture(eve.page, "replay-running");
  await press(eve.page, "Load what happened since");
  await eve.page.getByRole("link", { name: "Watch the game" }).click();
  await eve.page.waitForURL(/\/game\//);
  await eve.page.locator(".phase-playing").waitFor();
  for (const { faults, context } of [ann, eve]) {
    assert.deepEqual(unexpected(faults), []);
    await context.close();
  }
});

test("a finished game is gone through by buttons, keys, list, charts and its address", async () => {
  const { page, faults, context } = await open();
  const id = await play(page, "classic", { acts: 12 });
  await resign(page);
  await page.getByRole("link", { name: "Replay" }).click();
  await page.waitForURL(/\/replay\//);
  await isReady(page);
  assert.ok(await page.getByLabel("All open").isChecked());
  const moments = momentsOf(await recordOf(id, "all"), rulesFor("classic"));
  assert.ok(moments.length > 20);
  assert.equal(await page.locator(".piece .hidden-mark").count(), 0, "every rank is open");
  for (const [index, { view }] of moments.entries()) {
    assert.equal(await occupied(page), view.pieces.length, `moment ${index}`);
    assert.match(await slider(page).getAttribute("aria-valuetext") ?? "", new RegExp(`^Ply ${view.ply} of `));
    if (index + 1 < moments.length) await press(page, "Next");
  }
  assert.equal(await page.getByRole("button", { name: "Next", exact: true }).getAttribute("aria-disabled"), "true");
  await page.locator(".steps").getByText("Blue wins: Red resigned.").waitFor();
  await page.waitForURL(/as=all&ply=end/);
  await page.reload();
  await isReady(page);
  await page.locator(".steps").getByText("Blue wins: Red resigned.").waitFor();

  // Keys outside the board, and on it.
  await page.keyboard.press("Home");
  assert.equal(await slider(page).inputValue(), "0");
  await page.keyboard.press("ArrowRight");
  await page.locator(".squares [tabindex='0']").focus();
  await page.keyboard.press("n");
  assert.equal(await slider(page).inputValue(), "2");
  await page.keyboard.press("ArrowRight");
  assert.equal(await slider(page).inputValue(), "2", "on the board, arrows go over squares");
  const said = page.locator(".aloud[role='log']");
  await said.getByText(/^(Red|Blue) moves|Red's|Blue's/).waitFor({ state: "attached" });
  for (const [key, text] of [["t", "Red: 1"], ["c", "Red has lost"]]) {
    await page.keyboard.press(key ?? "");
    await said.getByText(text ?? "").waitFor({ state: "attached" });
  }
  await page.keyboard.press("?");
  await page.getByText("Play, or pause.").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("e");
  assert.equal(await slider(page).inputValue(), String(moments.length - 1));

  // The list, a chart, the slider, and playing by itself.
  await page.locator(".replay-moves li button").nth(3).click();
  assert.equal(await slider(page).inputValue(), "3");
  const chart = page.getByRole("img", { name: /Pieces left: Red from 40/ });
  const box = await chart.boundingBox();
  assert.ok(box);
  await chart.click({ position: { x: box.width - 1, y: box.height / 2 } });
  assert.equal(await slider(page).inputValue(), String(moments.length - 1));
  await page.locator(".chart details summary").first().click();
  await page.getByRole("region", { name: "Time for each move" }).waitFor();
  await slider(page).fill("1");
  await press(page, "Play");
  await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
  while (Number(await slider(page).inputValue()) < 3) await page.waitForTimeout(100);
  await press(page, "Pause");
  await page.locator("summary", { hasText: "Losses by rank" }).click();
  await picture(page, "replay-losses");
  await page.locator(".losses").getByRole("row", { name: /Scout/ }).waitFor();
  await page.getByText("Both deployments are the ones that were committed to").waitFor();

  // The other audiences keep the place.
  const ply = moments[Number(await slider(page).inputValue())]?.view.ply;
  await page.getByText("Everyone", { exact: true }).click();
  await page.locator(".piece .hidden-mark").first().waitFor();
  assert.match(await slider(page).getAttribute("aria-valuetext") ?? "", new RegExp(`^Ply ${ply} of `));
  await page.waitForURL(new RegExp(`as=public&ply=${ply}$`));
  assert.deepEqual(faults, []);
  await context.close();
});

test("a record is saved as a file and opened from it; other files say why not", async () => {
  const { page, faults, context } = await open();
  const id = await play(page, "barrage", { acts: 4 });
  await resign(page);
  await page.goto(`${server.url}/replay/${id}?as=red`);
  await isReady(page);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Save as a file" }).click()]);
  assert.equal(download.suggestedFilename(), `flagfall-${id}-red.json`);
  const text = readFileSync(await download.path(), "utf8");
  await page.goto(`${server.url}/replay`);
  await page.getByRole("heading", { name: "Open a record" }).waitFor();
  await picture(page, "replay-open");
  /** @param {string} name @param {string} content */
  const choose = (name, content) => page.locator("input[type=file]").setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(content) });
  for (const [content, why] of /** @type {[string, RegExp][]} */ ([
    ["not JSON", /Only the JSON from “Save as a file” can be opened/],
    ["[]", /not a record of Flagfall/],
    [JSON.stringify({ ...JSON.parse(text), created: "<img src=x onerror=alert(1)>" }), /at created/],
    [JSON.stringify({ ...JSON.parse(text), first_view: null }), /has no views/],
    [text.replace(/"move":"[a-k]\d+/, '"move":"z99'), /contradicts itself/],
    [`"${"x".repeat(1024 * 1024)}"`, /larger than 1 MB/],
  ])) {
    await choose("record.json", content);
    await page.getByText(why).waitFor();
  }
  await choose("record.json", text);
  await isReady(page);
  assert.equal(await page.locator(".piece").count(), 16);
  assert.equal(await page.getByRole("radio").count(), 1);
  await press(page, "To the end");
  await page.locator(".steps").getByText("Blue wins: Red resigned.").waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("a step forward plays its event; any other step shows the position at once", async () => {
  const { page, faults, context } = await open({ reducedMotion: "no-preference" });
  const text = readFileSync(new URL("../../../docs/protocol/RECORDS.md", import.meta.url), "utf8");
  const example = /```json\n(\{[\s\S]*?\n\})\n```/.exec(text)?.[1] ?? "";
  await page.goto(`${server.url}/replay`);
  await page.locator("input[type=file]").setInputFiles({ name: "a.json", mimeType: "application/json", buffer: Buffer.from(example) });
  await isReady(page);
  assert.equal(await page.locator(".piece").count(), 16);
  await press(page, "Next");
  await page.locator(".piece.attacking").waitFor();
  // Until nothing moves.
  await page.locator(".piece:not([class='piece'])").first().waitFor({ state: "detached" });
  assert.equal(await page.locator(".piece").count(), 15);
  /** @param {() => Promise<unknown>} act */
  const moves = async (act) => {
    await page.evaluate(() => {
      const seen = /** @type {string[]} */ (/** @type {any} */ (window).seen = []);
      const layer = /** @type {Node} */ (document.querySelector(".pieces"));
      new MutationObserver((list) => seen.push(...list.flatMap(({ target }) => (target === layer ? [] : [/** @type {Element} */ (target).className]))))
        .observe(layer, { attributes: true, attributeFilter: ["class"], subtree: true });
    });
    await act();
    await page.waitForTimeout(400);
    return page.evaluate(() => /** @type {any} */ (window).seen.length);
  };
  assert.equal(await moves(() => press(page, "Previous")), 0);
  assert.equal(await page.locator(".piece").count(), 16);
  assert.equal(await moves(() => press(page, "To the end")), 0);
  await page.locator(".steps").getByText("Blue wins: Red resigned.").waitFor();
  assert.equal(await moves(() => page.keyboard.press("Home")), 0);
  assert.deepEqual(faults, []);
  await context.close();
});

test("a record of hundreds of plies stays light and quick", async (t) => {
  const { steps } = await playGames(rulesFor("classic"), { seed: 27, plies: 700, games: 1 });
  const own = steps.filter(({ before }) => before.audience === "public");
  const players = { red: { id: "0123456789ab", name: "ann", kind: "guest" }, blue: { id: "ba9876543210", name: "bob", kind: "guest" } };
  const record = {
    format: 1, game: "0123456789ab", terms: { ruleset: "classic", time: { kind: "unlimited" } }, players, created: 1_000,
    audience: "public", kind: "live", first_view: own[0]?.before, commitments: { red: null, blue: null },
    deployments: { red: null, blue: null },
    events: own.flatMap(({ seen }, step) => seen.map(({ event, change }) => ({ at: 1_000 + step * 700, event, change }))),
    outcome: own.at(-1)?.after.outcome,
  };
  const { page, faults, context } = await open();
  await page.goto(`${server.url}/replay`);
  const buffer = Buffer.from(JSON.stringify(record));
  await page.locator("input[type=file]").setInputFiles({ name: "long.json", mimeType: "application/json", buffer });
  await isReady(page);
  await slider(page).fill("300");
  await page.getByText("Later moves").waitFor();
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
  const plies = record.events.filter(({ event }) => event.kind === "moved").length;
  t.diagnostic(`${plies} plies, ${(buffer.length / 1024).toFixed(0)} KB, ${nodes} nodes`);
  assert.ok(plies > 600, `${plies} plies`);
  assert.ok(nodes <= 1_500, `${nodes} nodes`);
  const [step, empty] = await page.evaluate(async () => {
    const button = /** @type {HTMLElement} */ (document.querySelectorAll(".step")[3]);
    const time = async (/** @type {() => void} */ act) => {
      const begun = performance.now();
      for (let steps = 0; steps < 20; steps++) {
        act();
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      }
      return (performance.now() - begun) / 20;
    };
    return [await time(() => button.click()), await time(() => undefined)];
  });
  t.diagnostic(`${step?.toFixed(1)} ms a step, ${empty?.toFixed(1)} ms without one`);
  assert.equal(await slider(page).inputValue(), "320");
  assert.deepEqual(faults, []);
  await context.close();
});

test("private games, and games that are not there, are told alike", async () => {
  const [ann, eve] = await Promise.all([open(), open()]);
  const id = await play(ann.page, "barrage", { isPrivate: true, acts: 1 });
  await ann.page.goto(`${server.url}/replay/${id}`);
  await isReady(ann.page);
  for (const address of [`/replay/${id}`, "/replay/000000000000"]) {
    await eve.page.goto(server.url + address);
    await eve.page.getByRole("heading", { name: "This record cannot be shown" }).waitFor();
    await eve.page.getByText("There is no game with this number, it is private").waitFor();
  }
  await picture(eve.page, "replay-trouble");
  for (const { faults, context } of [ann, eve]) {
    assert.deepEqual(unexpected(faults), []);
    await context.close();
  }
});

for (const ruleset of ["quantum", "shadowflash-3"]) {
  test(`${ruleset} is replayed`, async () => {
    const { page, faults, context } = await open();
    await page.goto(`${server.url}/play`);
    await page.getByLabel("Rules").selectOption(ruleset);
    await page.getByLabel("Level").selectOption("random");
    await page.getByLabel("Your side").selectOption("red");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.waitForURL(/\/game\//);
    await page.locator(".squares .row").first().waitFor();
    if (ruleset !== "quantum") await deploy(page);
    await page.locator(".phase-playing").waitFor();
    await playOn(page, chance(5), 14);
    if (!await isOver(page)) await resign(page);
    const id = /\/game\/(\w+)/.exec(page.url())?.[1] ?? "";
    await page.getByRole("link", { name: "Replay" }).click();
    await isReady(page);
    // A wide board stands upright on a phone.
    const upright = ruleset === "quantum" ? ".board-place" : ".board-place.tall";
    for (const [width, height, place] of /** @type {const} */ ([[800, 1100, ".board-place:not(.tall)"], [390, 780, upright]])) {
      await page.setViewportSize({ width, height });
      await page.locator(place).waitFor();
      assert.ok(await overflow(page) <= 0, `wider than ${width}`);
      await areStepsInSight(page);
    }
    const moments = momentsOf(await recordOf(id, "all"), rulesFor(ruleset));
    for (const { view } of moments) {
      assert.equal(await occupied(page), view.pieces.length);
      await page.keyboard.press("ArrowRight");
    }
    await picture(page, `replay-${ruleset}`);
    assert.deepEqual(faults, []);
    await context.close();
  });
}

for (const [size, viewport] of /** @type {const} */ ([
  ["phone", { width: 390, height: 844 }], ["tablet", { width: 800, height: 1100 }], ["desktop", { width: 1440, height: 900 }],
])) {
  test(`a record with a clock on a ${size}`, async () => {
    const { page, faults, context } = await open({ viewport });
    await page.goto(`${server.url}/play`);
    await page.getByLabel("Clock").selectOption({ index: 1 });
    await page.getByLabel("Level").selectOption("random");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await deploy(page);
    await page.locator(".phase-playing").waitFor();
    await playOn(page, chance(9), 10);
    await resign(page);
    await page.getByRole("link", { name: "Replay" }).click();
    await isReady(page);
    await page.getByRole("img", { name: /^Clocks: Red from 3:00/ }).waitFor();
    await areStepsInSight(page);
    await areStepsInSight(page, ".scopes .segments");
    for (let steps = 0; steps < 7; steps++) await press(page, "Next");
    await picture(page, `replay-${size}`);
    await page.locator(".charts").scrollIntoViewIfNeeded();
    await picture(page, `replay-charts-${size}`);
    assert.deepEqual(faults, []);
    await context.close();
  });
}

test("the browser checks a finished record against the server's key, and finds a changed one", async () => {
  const { page, faults, context } = await open();
  const id = await play(page, "barrage", { acts: 4 });
  await resign(page);
  // As the player saw it: the signature covers the public's record, which must be of the same game.
  await page.goto(`${server.url}/replay/${id}?as=red`);
  await isReady(page);
  const right = [
    "Correct. This server has signed what everybody saw of this game.", "Correct. This record has the same turns and times as the record that everybody can read.",
    "Correct. The deployments that are open are those that were committed to at the start.", "Correct. The commitments are the same as at the start.",
    "Correct. The result and the deployments at the end match the record.", "Correct. No event is earlier than the one before it.",
  ];
  const check = async () => {
    await page.getByText("Check this record").click();
    await page.locator(".finding").first().waitFor();
    return page.locator(".finding").allTextContents();
  };
  assert.deepEqual(await check(), right);
  await page.getByText("This page does not check whether each move, strike and clock follows the rules.").waitFor();
  await picture(page, "replay-checked");
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Save as text" }).click()]);
  assert.equal(saved.suggestedFilename(), `flagfall-${id}-red.txt`);
  assert.match(readFileSync(await saved.path(), "utf8"), new RegExp(id));
  await page.route("**/record?as=public", async (route) => {
    const record = await (await route.fetch()).json();
    record.events.find((/** @type {any} */ { event }) => event.kind === "moved").at++;
    await route.fulfill({ json: record });
  });
  await page.reload();
  await isReady(page);
  const found = await check();
  assert.deepEqual(found.slice(0, 2), [
    "FALSE. The server’s signature does not belong to this record.", "FALSE. This record differs from the one that everybody can read.",
  ]);
  assert.deepEqual(unexpected(faults), []);
  await context.close();
});
