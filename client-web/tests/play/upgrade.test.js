// The delivered proxy (deploy/Caddyfile) in front of two servers on one Redis, which are upgraded
// one by one while a page is open.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { launch, newPage } from "../browser.js";
import { freePort, Programs, root, skip } from "../delivered.js";
import { chance } from "../games.js";
import { deploy, playOn } from "../robot.js";

test("servers are upgraded one by one behind the delivered proxy, with the page open", { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "flagfall-upgrade-"));
  const programs = new Programs(folder);
  // The proxy's certificate is its own. A service worker needs this flag besides the option below.
  const chromium = await launch(["--ignore-certificate-errors"]);
  try {
    const [redis, first, second, site] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
    const origin = `https://localhost:${site}`;
    // The next version of the page differs in one file, and so in the hash in all addresses.
    const next = join(folder, "next");
    for (const part of ["page", "words"]) cpSync(join(root, "client-web", part), join(next, part), { recursive: true });
    cpSync(join(root, "shared/words"), join(folder, "shared/words"), { recursive: true });
    const changed = join(next, "page/page.css");
    writeFileSync(changed, `${readFileSync(changed, "utf8")}\n/* The next version. */\n`);

    const service = { redis, origin };
    await programs.startRedis(redis);
    await Promise.all([programs.startServer("first", first, service), programs.startServer("second", second, service)]);
    programs.startProxy(site, [first, second]);

    const { page, faults, context } = await newPage(chromium, { ignoreHTTPSErrors: true, reducedMotion: "reduce" });
    for (let tries = 0; ; tries++) {
      if (await page.goto(origin).then((answer) => answer?.ok(), () => false)) break;
      assert.ok(tries < 200, "the proxy answers");
      await page.waitForTimeout(50);
    }
    await page.getByRole("heading", { level: 1 }).waitFor();
    const loaded = await page.evaluate(() => performance.getEntriesByType("resource").map((entry) => {
      const { name, nextHopProtocol } = /** @type {PerformanceResourceTiming} */ (entry);
      return { name, nextHopProtocol };
    }));
    const assets = loaded.filter(({ name }) => name.includes("/assets/"));
    assert.ok(assets.length > 5, `${assets.length} assets`);
    assert.deepEqual([...new Set(assets.map(({ nextHopProtocol }) => nextHopProtocol))], ["h2"]);

    const script = /** @type {string} */ (assets.map(({ name }) => name).find((name) => name.endsWith("/main.js")));
    const fetched = await context.request.get(script, { headers: { "accept-encoding": "br, gzip" } });
    assert.equal(fetched.status(), 200);
    assert.equal(fetched.headers()["content-encoding"], "br", "compressed once, by the server");
    assert.match(fetched.headers()["cache-control"] ?? "", /immutable/);

    await page.goto(`${origin}/play`);
    await page.getByLabel("Rules").selectOption("barrage");
    await page.getByLabel("Level").selectOption("random");
    await page.getByLabel("Your side").selectOption("red");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.waitForURL(/\/game\//);
    const cookie = (await context.cookies()).find(({ name }) => name.includes("flagfall"));
    assert.deepEqual(
      [cookie?.name, cookie?.secure, cookie?.httpOnly, cookie?.sameSite, cookie?.path],
      ["__Host-flagfall", true, true, "Strict", "/"],
    );
    await deploy(page);
    const random = chance(5);
    await playOn(page, random, 4);

    const upgrade = async (/** @type {string} */ name, /** @type {number} */ port) => {
      await programs.stop(name);
      await programs.startServer(name, port, service, ["--page", next]);
      await page.locator(".bar").getByText("Reconnecting…").waitFor({ state: "detached" });
    };
    await upgrade("first", first);
    await playOn(page, random, 4);
    // Of the two servers, the first is asked first and has the next version only.
    const old = await context.request.get(script);
    assert.equal(old.status(), 200, "the other server still has the page that is open");
    assert.equal((await fetch(new URL(new URL(script).pathname, `http://127.0.0.1:${first}`))).status, 404);
    await upgrade("second", second);
    await playOn(page, random, 4);
    const gone = await context.request.get(script);
    assert.deepEqual([gone.status(), gone.headers()["cache-control"]], [404, "no-store"]);
    await page.goto(`${origin}/watch`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const now = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
    assert.ok(now.some((name) => name.includes("/assets/")) && !now.includes(script), "the next version");
    assert.deepEqual(faults, []);
    await context.close();
  } finally {
    await chromium.close();
    await programs.stopAll();
    rmSync(folder, { recursive: true, force: true });
  }
});
