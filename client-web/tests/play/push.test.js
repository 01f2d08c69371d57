// Notices of turns while the page is closed: the switch, and what the service worker shows.

import assert from "node:assert/strict";
import test from "node:test";
import { api, newAccount, openAs } from "../accounts.js";
import { newPage } from "../browser.js";
import { chromium, server } from "../site.js";

/** A point of P-256, the browser's key in the example of RFC 8291. */
const P256DH = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";

test("the switch subscribes this browser, and ends that", async () => {
  const token = await newAccount(server.address, "gil");
  const { page, faults, context } = await openAs(chromium, server, token);
  await context.grantPermissions(["notifications"], { origin: server.url });
  // Tests have no push service, so the browser's part is played here.
  await page.addInitScript((p256dh) => {
    const KEY = "test-subscription";
    const known = () => (localStorage.getItem(KEY) ? {
      endpoint: "https://push.example/gil",
      toJSON: () => ({ endpoint: "https://push.example/gil", keys: { p256dh, auth: "BTBZMqHH6r4Tts7J_aSIgg" } }),
      unsubscribe: async () => localStorage.removeItem(KEY),
    } : null);
    const manager = {
      getSubscription: async () => known(),
      subscribe: async (/** @type {any} */ { applicationServerKey: key, userVisibleOnly: isSeen }) => {
        if (!isSeen || !/^[\w-]{87}$/.test(key)) throw new Error("a key and visible notices are needed");
        localStorage.setItem(KEY, "yes");
        return known();
      },
    };
    Object.defineProperty(ServiceWorkerRegistration.prototype, "pushManager", { get: () => manager });
  }, P256DH);
  await page.goto(`${server.url}/account`);
  const choice = page.getByLabel("Notify me when it is my turn in games with days per move");
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await choice.click();
  await page.getByLabel("Notify me when it is my turn in games with days per move").and(page.locator(":checked:enabled")).waitFor();
  const { push } = await api(server.address, token, "/api/account");
  assert.deepEqual(push.map((/** @type {any} */ one) => one.service), ["push.example"]);
  // Another player gets this browser without a log-out: what was subscribed is not theirs.
  const other = await newAccount(server.address, "hal");
  /** @param {string} session */
  const goOnAs = async (session) => {
    await context.addCookies([{ name: server.cookie, value: session, url: server.url, httpOnly: true, sameSite: "Strict" }]);
    await page.reload();
    await choice.waitFor();
  };
  await goOnAs(other);
  while (await page.evaluate(() => localStorage.getItem("test-subscription"))) await page.waitForTimeout(20);
  assert.ok(!await choice.isChecked());
  assert.equal((await api(server.address, other, "/api/account")).push, undefined);
  await goOnAs(token);
  await choice.click();
  await choice.and(page.locator(":checked:enabled")).waitFor();
  await choice.click();
  await choice.and(page.locator(":enabled:not(:checked)")).waitFor();
  assert.equal((await api(server.address, token, "/api/account")).push, undefined);
  assert.deepEqual(faults, []);
  await context.close();
});

test("a notice becomes a notification that leads to its game, and anything else none", async () => {
  const { page, context } = await newPage(chromium);
  await context.grantPermissions(["notifications"], { origin: server.url });
  await page.goto(server.url);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  const line = await context.newCDPSession(page);
  /** @type {Promise<string>} */
  const registered = new Promise((resolve) => {
    line.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL.startsWith(server.url));
      if (own) resolve(own.registrationId);
    });
  });
  await line.send("ServiceWorker.enable");
  const registrationId = await registered;
  // Nobody looks at the page.
  await page.goto("about:blank");
  const deliver = (/** @type {object} */ data) =>
    line.send("ServiceWorker.deliverPushMessage", { origin: server.url, registrationId, data: JSON.stringify(data) });
  for (const game of ["../account", "short", undefined]) await deliver({ game, kind: "your_turn" });
  await deliver({ game: "d290kyvg7ctb", kind: "your_turn" });
  await page.goto(`${server.url}/rules`);
  const shown = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    for (let tries = 0; tries < 100; tries++) {
      const shown = await registration.getNotifications();
      if (shown.length > 0) return shown.map(({ title, body, tag, data }) => ({ title, body, tag, data }));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return [];
  });
  assert.deepEqual(shown, [{ title: "Flagfall", body: "It is your turn.", tag: "turn /game/d290kyvg7ctb", data: "/game/d290kyvg7ctb" }]);
  await context.close();
});
