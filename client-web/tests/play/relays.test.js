// The delivered proxy (deploy/Caddyfile) in front of a server and a relay: who gets to the relay, and
// what happens while it is away.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { freePort, Programs, skip } from "../delivered.js";

/**
 * The answer to a new guest's hello: a welcome from a server, `watch_only` from a relay, or the HTTP
 * status if there is no WebSocket.
 * @param {number} site @param {Record<string, string>} headers @returns {Promise<string>}
 */
function hello(site, headers) {
  const asked = request({
    host: "localhost", port: site, path: "/ws", rejectUnauthorized: false,
    headers: {
      Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", ...headers,
    },
  });
  return new Promise((resolve, reject) => {
    asked.once("error", reject);
    asked.once("response", (answer) => resolve(String(answer.statusCode)));
    asked.once("upgrade", (_, socket, head) => {
      let bytes = head;
      const look = () => {
        const found = /watch_only|welcome/.exec(bytes.toString("latin1"))?.[0];
        if (!found) return;
        socket.destroy();
        resolve(found);
      };
      socket.on("data", (/** @type {Buffer} */ more) => {
        bytes = Buffer.concat([bytes, more]);
        look();
      });
      socket.once("close", () => resolve(`closed: ${bytes.toString("latin1")}`));
      look();
      const text = Buffer.from(JSON.stringify({ type: "hello", protocol: 1, name: "bo" }));
      socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]));
    });
    asked.end();
  });
}

test("relays get the page's connections without a session, and servers take over for them", { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "flagfall-relays-"));
  const programs = new Programs(folder);
  try {
    const [redis, server, relay, site] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
    const service = { redis, origin: `https://localhost:${site}` };
    const own = { Origin: service.origin };
    const foreign = "https://other.example";
    await programs.startRedis(redis);
    const startRelay = () => programs.startServer("relay", relay, service, ["--allow-origin", foreign, "--role", "relay"]);
    await Promise.all([programs.startServer("server", server, service, ["--allow-origin", foreign]), startRelay()]);
    programs.startProxy(site, [server, server], `127.0.0.1:${relay}`);
    const becomes = async (/** @type {string} */ expected) => {
      for (let tries = 0; (await hello(site, own).catch(() => "")) !== expected; tries++) {
        assert.ok(tries < 400, `the page's hello becomes ${expected}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    await becomes("watch_only");
    for (const [what, headers, expected] of /** @type {[string, Record<string, string>, string][]} */ ([
      ["the page with another cookie", { ...own, Cookie: "a=b" }, "watch_only"],
      ["the page with a session", { ...own, Cookie: "__Host-flagfall=abc" }, "welcome"],
      ["a session among other cookies", { ...own, Cookie: "a=b; __Host-flagfall=abc; c=d" }, "welcome"],
      ["a page of an allowed origin", { Origin: foreign }, "welcome"],
      ["a program", {}, "welcome"],
    ])) assert.equal(await hello(site, headers), expected, what);
    await programs.stop("relay", "SIGKILL");
    assert.equal(await hello(site, own), "welcome", "without a relay");
    await startRelay();
    await becomes("watch_only");
  } finally {
    await programs.stopAll();
    rmSync(folder, { recursive: true, force: true });
  }
});
