// What guards the page: the headers of every address, the policy that browsers hold it to, and
// sessions that no other origin can use.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import { api, newAccount, openAs } from "../accounts.js";
import { newPage } from "../browser.js";
import { chromium, server } from "../program_site.js";

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; "
  + "worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types flagfall-sw";
const HEADERS = {
  "content-security-policy": POLICY, "x-content-type-options": "nosniff", "x-frame-options": "DENY", "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin", "permissions-policy": "",
};

test("every answer has the headers, and files of the page can be kept for good", async () => {
  const assets = await server.assets();
  const files = (await (await fetch(`${server.url}${assets}files.txt`)).text()).trim().split("\n");
  const paths = ["/", "/play", "/challenge", "/game/000000000000", "/games", "/watch", "/replay", "/rules/classic", "/deployments/classic", "/@/ann",
    "/leaderboard/classic/rapid", "/account", "/settings", "/nowhere", "/sw.js", "/manifest.webmanifest", "/assets/other/main.js", `${assets}nothing.js`,
    "/api/rulesets", "/api/me", "/api/session", "/api/nothing", "/ws", "/.well-known/change-password", ...files.map((file) => assets + file)];
  for (const path of paths) {
    const answer = await fetch(server.url + path, { redirect: "manual" });
    await answer.arrayBuffer();
    for (const [name, value] of Object.entries(HEADERS)) assert.equal(answer.headers.get(name), value, `${path}: ${name}`);
    if (!files.some((file) => path === assets + file)) continue;
    assert.equal(answer.headers.get("cache-control"), "public, max-age=31536000, immutable", path);
    const again = await fetch(server.url + path, { headers: { "If-None-Match": answer.headers.get("etag") ?? "" } });
    assert.equal(again.status, 304, path);
  }
});

test("a browser refuses and reports what the policy forbids, so the tests would see a report", async () => {
  const { page, faults, context } = await newPage(chromium);
  await page.goto(server.url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.deepEqual(faults, []);
  /** @type {[string, () => unknown][]} */
  const forbidden = [
    ["an inline script", () => {
      const script = document.createElement("script");
      script.append("window.isBroken = true");
      document.head.append(script);
    }],
    ["markup from text", () => void (document.body.innerHTML = "<p>")],
    ["an inline style", () => document.body.append(Object.assign(document.createElement("style"), { textContent: "p { color: red }" }))],
    ["another server's picture", () => document.body.append(Object.assign(new Image(), { src: "http://127.0.0.1:9/x.png" }))],
    ["another server's answer", () => fetch("http://127.0.0.1:9/").catch(() => undefined)],
    ["a frame", () => document.body.append(Object.assign(document.createElement("iframe"), { src: "/" }))],
  ];
  for (const [what, act] of forbidden) {
    faults.length = 0;
    await page.evaluate(act).catch(() => undefined);
    while (faults.length === 0) await page.waitForTimeout(10);
    assert.match(faults.join("\n"), /Content Security Policy|TrustedHTML|TrustedScript/, what);
  }
  assert.equal(await page.evaluate(() => "isBroken" in window), false);
  await context.close();
});

test("a page on another port of the same host cannot use the session, though browsers send its cookie there", async (t) => {
  const token = await newAccount(server.address, "mallory");
  const { page, context } = await openAs(chromium, server, token);
  /** @type {string[]} */
  const cookies = [];
  const foreign = createServer((asked, answer) => {
    cookies.push(asked.headers.cookie ?? "");
    answer.setHeader("Content-Type", "text/html");
    answer.end("<!doctype html><title>foreign</title>");
  });
  await new Promise((resolve) => foreign.listen(0, "127.0.0.1", () => resolve(undefined)));
  t.after(() => {
    foreign.close();
    foreign.closeAllConnections();
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (foreign.address());
  /** What a page gets when it asks the server: the status of an answer, or why there is none. */
  const ask = () => page.evaluate(async (address) => {
    const socket = await new Promise((resolve) => {
      const line = new WebSocket(`ws://${address}/ws`);
      line.onopen = () => line.send(JSON.stringify({ type: "hello", protocol: 1, client: "test", session: true }));
      line.onmessage = ({ data }) => resolve(JSON.parse(data).player?.name ?? "nobody");
      line.onerror = () => resolve("refused");
    });
    const read = await fetch(`http://${address}/api/me`, { credentials: "include" }).then((answer) => answer.status, () => "refused");
    const written = await fetch(`http://${address}/api/session`, { method: "DELETE", credentials: "include" }).then((answer) => answer.status, () => "refused");
    return { socket, read, written };
  }, server.address);
  await page.goto(`http://127.0.0.1:${port}/`);
  assert.ok(cookies.some((cookie) => cookie.includes(token)), "a cookie is for all ports of a host");
  assert.deepEqual(await ask(), { socket: "refused", read: "refused", written: "refused" });
  assert.equal((await api(server.address, token, "/api/me")).player.name, "mallory", "the session is still there");
  await page.goto(server.url);
  assert.deepEqual(await ask(), { socket: "mallory", read: 200, written: 204 });
  await context.close();
});
