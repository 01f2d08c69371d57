// The delivered proxy (deploy/Caddyfile) in front of two servers on one Redis, which are upgraded
// one by one while a page is open.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { launch, newPage } from "../browser.js";
import { chance } from "../games.js";
import { program } from "../programs.js";
import { deploy, playOn } from "../robot.js";

const CADDY = process.env.CADDY ?? "caddy";
const hasCaddy = spawnSync(CADDY, ["version"]).status === 0;
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/** Programs that run, by name; `stop` ends one in the way that its operator would. */
class Programs {
  /** @type {Map<string, import("node:child_process").ChildProcess>} */
  #running = new Map();

  /** @param {string} name @param {string} path @param {string[]} args @param {Record<string, string>} [environment] */
  start(name, path, args, environment = {}) {
    this.#running.set(name, spawn(path, args, { stdio: "ignore", env: { ...process.env, ...environment } }));
  }

  /** @param {string} name @returns {Promise<void>} */
  stop(name) {
    const ended = this.#running.get(name);
    this.#running.delete(name);
    return new Promise((resolve) => {
      if (!ended || ended.exitCode !== null) return resolve();
      ended.once("exit", () => resolve());
      ended.kill("SIGTERM");
    });
  }

  async stopAll() {
    for (const name of [...this.#running.keys()].reverse()) await this.stop(name);
  }
}

/** Waits until something listens on a port. @param {number} port */
async function listens(port) {
  for (let tries = 0; tries < 400; tries++) {
    const isOpen = await new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing listens on port ${port}`);
}

/** Waits until an address answers with a status below 500. @param {string} url */
async function answers(url) {
  for (let tries = 0; tries < 400; tries++) {
    if (await fetch(url).then((answer) => answer.status < 500, () => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} does not answer`);
}

test("servers are upgraded one by one behind the delivered proxy, with the page open", { skip: !hasCaddy && "SKIPPED: caddy is not installed" }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "flagfall-upgrade-"));
  const programs = new Programs();
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

    const serve = (/** @type {string} */ name, /** @type {number} */ port, /** @type {string[]} */ more) =>
      programs.start(name, program("flagfall-server"), [
        "--listen", `127.0.0.1:${port}`, "--metrics-listen", "none", "--store", `redis://127.0.0.1:${redis}`,
        "--trust-proxy", "--public-url", origin, ...more,
      ]);
    programs.start("redis", "redis-server", [
      "--port", String(redis), "--bind", "127.0.0.1", "--dir", folder, "--appendonly", "yes",
      "--appendfsync", "always", "--save", "", "--maxmemory-policy", "noeviction",
    ]);
    // A server that finds no store ends at once.
    await listens(redis);
    serve("first", first, []);
    serve("second", second, []);
    await Promise.all([first, second].map((port) => answers(`http://127.0.0.1:${port}/ready`)));

    const delivered = readFileSync(join(root, "deploy/Caddyfile"), "utf8");
    const caddyfile = delivered
      .replaceAll("server-1:7171", `127.0.0.1:${first}`)
      .replaceAll("server-2:7171", `127.0.0.1:${second}`)
      .replace("{\n", `{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n`);
    assert.ok(!caddyfile.replace(/#.*/g, "").includes("7171"), "the proxy's servers are those of this test");
    writeFileSync(join(folder, "Caddyfile"), caddyfile);
    programs.start("proxy", CADDY, ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")],
      { FLAGFALL_SITE: `localhost:${site}`, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder });

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
      serve(name, port, ["--page", next]);
      await answers(`http://127.0.0.1:${port}/ready`);
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
