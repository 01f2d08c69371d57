// The settings of an account: what a device takes from it, and what it sends.

import assert from "node:assert/strict";
import test from "node:test";

/** What the device keeps. @type {Map<string, string>} */
const device = new Map();
/** What the server keeps for each player. @type {Record<string, Record<string, string>>} */
const accounts = {};
/** The requests, and whether the server answers. */
const server = { asked: /** @type {string[]} */ ([]), isAway: false };

Object.assign(globalThis, {
  localStorage: {
    getItem: (/** @type {string} */ key) => device.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void device.set(key, value),
    removeItem: (/** @type {string} */ key) => void device.delete(key),
  },
  document: { documentElement: { dataset: { languages: "en ru" } } },
  BroadcastChannel: class {},
  addEventListener: () => undefined,
  fetch: async (/** @type {string} */ _path, /** @type {{ body: string } | undefined} */ options) => {
    server.asked.push(options?.body ?? "");
    if (server.isAway) throw new TypeError("no answer");
    const kept = (accounts[line.value.player?.id ?? ""] ??= {});
    if (options) Object.assign(kept, JSON.parse(options.body).preferences);
    return { ok: true, json: async () => ({ preferences: { ...kept } }) };
  },
});
const { PLAIN, line, settings } = await import("../../page/state.js");
const { differing, merge, storeSettings } = await import("../../page/parts/preferences.js");

test("an account's settings win but for unsent ones, and nobody touches what they do not know", () => {
  const now = { ...PLAIN, board: /** @type {const} */ ("green"), notify_turn: /** @type {const} */ ("on") };
  const kept = { theme: "dark", board: "checkered", motion: "slow", language: "tlh", notify_turn: "off", color: "red" };
  assert.deepEqual(merge(now, kept, []), { ...now, theme: "dark", board: "checkered" });
  assert.deepEqual(merge(now, kept, ["board"]), { ...now, theme: "dark" });
  assert.deepEqual(merge(now, { language: "ru" }, []), { ...now, language: "ru" });
  assert.deepEqual(merge(now, {}, []), now);
  assert.deepEqual(differing(PLAIN, now), ["board"], "notifications stay on the device");
});

/** The server says who is here, or the link is lost. @param {import("../../types/messages").Player | undefined} player @param {boolean} [isUp] */
async function welcome(player, isUp = true) {
  line.value = { ...line.value, link: "down", player };
  if (isUp) line.value = { ...line.value, link: "up" };
  await settled();
}

/** Lets what was asked be answered. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

/** @param {Partial<import("../../page/state.js").Settings>} changed */
async function set(changed) {
  storeSettings({ ...settings.value, ...changed });
  await settled();
  return server.asked.splice(0);
}

const unsent = () => JSON.parse(device.get("unsent-settings") ?? "null");
const ANN = /** @type {const} */ ({ id: "p-ann", name: "ann", kind: "account" });
const BOB = /** @type {const} */ ({ id: "p-bob", name: "bob", kind: "account" });

test("a device sends what an account lacks and what changes, follows it, and sends later what could not be sent", async () => {
  // Nobody's settings stay here.
  await welcome(undefined);
  assert.deepEqual(await set({ theme: "dark", notify_turn: "on" }), []);
  await welcome({ ...ANN, kind: "guest" });
  assert.deepEqual([await set({ board: "green" }), unsent()], [[], null]);

  // The guest signs up.
  await welcome(ANN);
  assert.deepEqual(accounts["p-ann"], { theme: "dark", board: "green" });
  assert.equal(server.asked.splice(0).length, 2);
  await welcome(ANN);
  assert.deepEqual(await set({ notify_time: "on" }), [], "it is asked once, and notifications are not its matter");
  assert.deepEqual(await set({ sound: "off" }), ['{"preferences":{"sound":"off"}}']);

  // An answer tells what other devices have changed.
  Object.assign(accounts["p-ann"] ?? {}, { theme: "light", future: "x" });
  await set({ print: "large" });
  assert.deepEqual([settings.value.theme, JSON.parse(device.get("settings") ?? "").theme, unsent()], ["light", "light", null]);

  // Without an answer, and without a link.
  server.isAway = true;
  await set({ theme: "dark" });
  await welcome(ANN, false);
  assert.deepEqual([await set({ motion: "none" }), unsent()], [[], { player: "p-ann", names: ["theme", "motion"] }]);
  // A page that was loaded without a link does not know who is here.
  await welcome(undefined, false);
  await set({ numbering: "eu" });
  server.isAway = false;
  await welcome(ANN);
  assert.deepEqual(accounts["p-ann"], {
    theme: "dark", board: "green", sound: "off", print: "large", future: "x", motion: "none", numbering: "eu",
  });
  assert.equal(unsent(), null);

  // Another player does not get what is left behind, and their settings are followed.
  server.isAway = true;
  await set({ board: "checkered" });
  server.isAway = false;
  accounts["p-bob"] = { theme: "light" };
  await welcome(undefined);
  assert.deepEqual(unsent(), { player: "p-ann", names: ["board"] });
  await welcome(BOB);
  assert.deepEqual([accounts["p-bob"], settings.value.theme, unsent()], [{ theme: "light" }, "light", null]);

  // Nor do they get what nobody changed.
  await welcome(undefined, false);
  await set({ theme: "dark" });
  await welcome(undefined);
  assert.equal(unsent(), null);
});
