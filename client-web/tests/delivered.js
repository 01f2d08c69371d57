// What the tests of the delivered proxy (deploy/Caddyfile) share.

import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { program } from "./programs.js";

const CADDY = process.env.CADDY ?? "caddy";
const hasCaddy = spawnSync(CADDY, ["version"]).status === 0;

/** Why the tests are skipped. */
export const skip = !hasCaddy && "SKIPPED: caddy is not installed";

/** The folder of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/** Programs that run, by name; `stop` ends one in the way that its operator would. */
export class Programs {
  /** @type {Map<string, import("node:child_process").ChildProcess>} */
  #running = new Map();

  /** @param {string} folder Where the programs keep their files. */
  constructor(folder) {
    this.folder = folder;
  }

  /** @param {string} name @param {string} path @param {string[]} args @param {Record<string, string>} [environment] */
  start(name, path, args, environment = {}) {
    this.#running.set(name, spawn(path, args, { stdio: "ignore", env: { ...process.env, ...environment } }));
  }

  /** Starts a Redis, and waits for it: a server that finds no store ends at once. @param {number} port */
  async startRedis(port) {
    this.start("redis", "redis-server", [
      "--port", String(port), "--bind", "127.0.0.1", "--dir", this.folder, "--appendonly", "yes",
      "--appendfsync", "always", "--save", "", "--maxmemory-policy", "noeviction",
    ]);
    await listens(port);
  }

  /**
   * @param {string} name @param {number} port @param {{ redis: number, origin: string }} service
   * @param {string[]} [more]
   */
  async startServer(name, port, { redis, origin }, more = []) {
    this.start(name, program("flagfall-server"), [
      "--listen", `127.0.0.1:${port}`, "--metrics-listen", "none", "--store", `redis://127.0.0.1:${redis}`,
      "--trust-proxy", "--public-url", origin, ...more,
    ]);
    await answers(`http://127.0.0.1:${port}/ready`);
  }

  /**
   * Starts the delivered proxy at `https://localhost:SITE` before servers on these ports.
   * @param {number} site @param {number[]} servers @param {string} [relays] FLAGFALL_RELAYS, if it is set
   */
  startProxy(site, servers, relays) {
    const delivered = readFileSync(join(root, "deploy/Caddyfile"), "utf8");
    let caddyfile = delivered.replace("{\n", `{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n`);
    servers.forEach((port, index) => (caddyfile = caddyfile.replaceAll(`server-${index + 1}:7171`, `127.0.0.1:${port}`)));
    if (caddyfile.replace(/#.*/g, "").includes("7171")) throw new Error("the proxy has a server that is not of this test");
    writeFileSync(join(this.folder, "Caddyfile"), caddyfile);
    /** @type {Record<string, string>} */
    const environment = { FLAGFALL_SITE: `localhost:${site}`, XDG_DATA_HOME: this.folder, XDG_CONFIG_HOME: this.folder };
    if (relays) environment["FLAGFALL_RELAYS"] = relays;
    this.start("proxy", CADDY, ["run", "--adapter", "caddyfile", "--config", join(this.folder, "Caddyfile")], environment);
  }

  /** @param {string} name @param {NodeJS.Signals} [signal] @returns {Promise<void>} */
  stop(name, signal = "SIGTERM") {
    const ended = this.#running.get(name);
    this.#running.delete(name);
    return new Promise((resolve) => {
      if (!ended || ended.exitCode !== null) return resolve();
      ended.once("exit", () => resolve());
      ended.kill(signal);
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
