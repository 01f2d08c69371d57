// The page without its server, installed, and across an upgrade.

import assert from "node:assert/strict";
import test from "node:test";
import { PASSWORD, newAccount } from "../accounts.js";
import { newPage } from "../browser.js";
import { chromium, server } from "../program_site.js";
import { Server } from "../programs.js";
import { deploy } from "../robot.js";

/** @typedef {import("playwright-core").Page} Page */

/** @param {Page} page */
async function againstHouse(page) {
  await page.getByRole("button", { name: /Against the house/ }).click();
  await deploy(page);
  await page.locator(".phase-playing").waitFor();
  return /\/game\/(\w+)/.exec(page.url())?.[1] ?? "";
}

/** Counts how often a page is loaded. @param {Page} page */
function loads(page) {
  const count = { loads: 0 };
  page.on("load", () => count.loads++);
  return count;
}

test("only /sw.js can become a service worker", async () => {
  const { page, faults, context } = await newPage(chromium);
  await page.goto(server.url);
  await page.getByText("Nobody is playing right now.").waitFor();
  const assets = await server.assets();
  const refused = await page.evaluate(async (assets) => {
    const types = /** @type {any} */ (window).trustedTypes;
    const tries = [
      () => types.createPolicy("other", { createScriptURL: (/** @type {string} */ url) => url }),
      () => types.createPolicy("flagfall-sw", { createScriptURL: (/** @type {string} */ url) => url }),
      () => navigator.serviceWorker.register("/sw.js"),
      () => navigator.serviceWorker.register(`${assets}words.js`),
    ];
    return Promise.all(tries.map(async (attempt) => {
      try {
        await attempt();
        return "allowed";
      } catch (error) {
        return /** @type {Error} */ (error).name;
      }
    }));
  }, assets);
  assert.deepEqual(refused, ["TypeError", "TypeError", "TypeError", "TypeError"]);
  const passed = await page.evaluate(async (assets) => {
    const { onlyWorker } = await import(`${assets}main.js`);
    return ["/sw.js", "/sw.js?", "sw.js", "//evil.example/sw.js", `${assets}sw.js`, ""].filter((address) => {
      try {
        return onlyWorker(address) === address;
      } catch {
        return false;
      }
    });
  }, assets);
  assert.deepEqual(passed, ["/sw.js"]);
  assert.ok(faults.length > 0 && faults.every((fault) => /trusted|policy/i.test(fault)), faults.join("\n"));
  await context.close();
});

test("the manifest and the worker are there for browsers that install the page", async () => {
  const manifest = await fetch(`${server.url}/manifest.webmanifest`);
  assert.match(manifest.headers.get("content-type") ?? "", /manifest\+json/);
  const { icons, start_url } = /** @type {any} */ (await manifest.json());
  assert.equal(start_url, "/");
  for (const { src, type } of icons) {
    const icon = await fetch(server.url + src);
    assert.equal(icon.status, 200, src);
    assert.equal(icon.headers.get("content-type"), type);
  }
  const worker = await fetch(`${server.url}/sw.js`);
  assert.match(worker.headers.get("content-type") ?? "", /javascript/);
  assert.equal(worker.headers.get("cache-control"), "no-cache");
  assert.doesNotMatch(await worker.text(), /HASH\//);
});

/** Waits until the service worker has the page. @param {Page} page */
async function install(page) {
  await page.clock.install();
  await page.goto(page.url());
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.clock.fastForward(9_000);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while (!navigator.serviceWorker.controller) await new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true }));
  });
}

test("without the network, the page says so, and shows rules, records and saved deployments", async (t) => {
  const own = new Server({ page: "program" });
  t.after(() => own.end());
  await own.start();
  const { page, context } = await newPage(chromium, { reducedMotion: "reduce" });
  await page.goto(own.url);
  await install(page);
  const game = await againstHouse(page);
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await page.getByRole("link", { name: "Replay" }).click();
  await page.locator(".replay .piece").first().waitFor();
  await page.evaluate(() => localStorage.setItem("deployments", JSON.stringify([{ ruleset: "classic", name: "mine", setup: "939492493956691S9575574BB7668B88BF7B88B9" }])));
  /** @param {string} name */
  const deployments = async (name) => {
    await page.goto(`${own.url}/deployments`);
    await page.clock.runFor(2_000);
    await page.getByRole("link", { name }).click();
    await page.locator(".piece").nth(39).waitFor();
    await page.goto(`${own.url}/deployments/classic/${name}`);
    await page.clock.runFor(2_000);
    await page.locator(".piece").nth(39).waitFor();
  };

  await context.setOffline(true);
  await page.goto(`${own.url}/rules/quantum`);
  await page.getByRole("heading", { level: 1, name: "Quantum" }).waitFor();
  await page.locator(".bar").getByText("You are offline.").waitFor();
  for (const address of [game, `${game}?as=all`]) {
    await page.goto(`${own.url}/replay/${address}`);
    await page.locator(".replay .piece").first().waitFor();
  }
  await deployments("mine");

  // With an account, a copy of what it has.
  await context.setOffline(false);
  await page.evaluate(() => localStorage.clear());
  const token = await newAccount(own.address, "ann");
  await fetch(`${own.url}/api/me/deployments/classic/kept`, {
    method: "PUT", headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }, body: JSON.stringify({ setup: "939492493956691S9575574BB7668B88BF7B88B9" }),
  });
  await page.goto(`${own.url}/account`);
  const form = page.getByRole("form", { name: "Log in" });
  await form.getByLabel("Name").fill("ann");
  await form.getByLabel("Password").fill(PASSWORD);
  await form.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { name: "Devices and programs" }).waitFor();
  await page.goto(`${own.url}/deployments`);
  await page.getByRole("link", { name: "kept" }).waitFor();
  await context.setOffline(true);
  await deployments("kept");
  await context.close();
});

test("without the server, the rules are those that it sent last", async (t) => {
  const own = new Server({ page: "program" });
  t.after(() => own.end());
  await own.start();
  const { page, context } = await newPage(chromium);
  await page.goto(own.url);
  // An earlier build has kept others.
  const sent = await page.evaluate(async () => {
    const { rulesets, ...others } = await (await fetch("/api/rulesets")).json();
    await (await caches.open("/assets/before/")).put("/api/rulesets", new Response(JSON.stringify({ ...others, rulesets: [] })));
    return rulesets.length;
  });
  await install(page);
  await context.setOffline(true);
  const offline = await page.evaluate(async () => (await (await fetch("/api/rulesets")).json()).rulesets.length);
  assert.equal(offline, sent);
  await context.close();
});

test("without the server, the page opens and shows what was looked at", async (t) => {
  const own = new Server({ page: "program" });
  t.after(() => own.end());
  await own.start();
  const { page, context } = await newPage(chromium);
  await page.goto(own.url);
  await install(page);
  const game = await againstHouse(page);
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await page.locator(".phase-over").waitFor();
  /** @param {string} path */
  const status = (path) => page.evaluate((path) => fetch(path).then((answer) => answer.status, () => 0), path);
  const record = `/api/games/${game}/record?as=public`;
  assert.equal(await status(record), 200);
  assert.equal(await status(`/api/games/${game}`), 200);
  const kept = () => page.evaluate(async () => {
    const names = await caches.keys();
    return (await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url))))).flat()
      .map(({ pathname, search }) => pathname + search);
  });
  const assets = await own.assets();
  const build = (await (await fetch(`${own.url}${assets}files.txt`)).text()).trim().split("\n").map((name) => assets + name);
  const russian = [`${assets}words/ru-more.ftl`, `${assets}words/ru.ftl`];
  const first = await kept();
  assert.deepEqual(first.filter((address) => !build.includes(address)).sort(), ["/", record, "/api/rulesets"].sort());
  assert.deepEqual(build.filter((address) => !first.includes(address)).sort(), russian, "the whole build is kept, without other languages");
  assert.equal(await status(russian[1] ?? ""), 200);
  let missing = russian;
  while (missing.length > 0) {
    const now = await kept();
    missing = russian.filter((address) => !now.includes(address));
  }

  await own.kill();
  await page.goto(`${own.url}/play`);
  await page.getByLabel("Rules").waitFor();
  assert.equal(await page.getByLabel("Rules").locator("option").count(), 12);
  assert.equal(await status(record), 200);
  assert.equal(await status(`/api/games/${game}`), 0, "nothing else of the API is kept");
  await context.close();
});

test("a page whose modules are gone is loaded anew, once, and never during a game", async () => {
  const { page, context } = await newPage(chromium);
  const count = loads(page);
  await page.goto(server.url);
  await page.getByText("Nobody is playing right now.").waitFor();
  await page.route(/\/(settings|play)\.js$/, (route) => route.fulfill({ status: 404, body: "" }));
  await againstHouse(page);
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByText("A part of the page could not be loaded.").waitFor();
  assert.equal(count.loads, 1);
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await page.locator(".phase-over").waitFor();
  await page.goto(server.url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  const before = count.loads;
  await page.getByRole("link", { name: "Play", exact: true }).click();
  await page.getByText("A part of the page could not be loaded.").waitFor();
  await page.waitForTimeout(300);
  assert.equal(count.loads, before + 1);
  await context.close();
});
