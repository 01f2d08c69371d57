// Flagfall's programs for tests. FLAGFALL_TARGET is the folder they were built in.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The path of a built program. @param {"flagfall" | "flagfall-server"} name */
export function program(name) {
  const target = process.env.FLAGFALL_TARGET;
  const folders = target ? [target] : ["release", "debug"].map((profile) =>
    fileURLToPath(new URL(`../../target/${profile}`, import.meta.url)));
  const found = folders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path));
  if (!found) throw new Error(`${name} is not built: run \`cargo build\`, or set FLAGFALL_TARGET to its folder`);
  return found;
}

/** @returns {string} The path of the browser. */
export function browser() {
  const paths = [process.env.CHROMIUM ?? "", "/usr/bin/chromium", "/usr/bin/chromium-browser"];
  const found = paths.find((path) => path && existsSync(path));
  if (!found) throw new Error("Chromium is missing: install it, or set CHROMIUM to its path");
  return found;
}

/** The rules engine behind `flagfall referee`: one answer for each request, in order. */
export class Referee {
  constructor() {
    this.process = spawn(program("flagfall"), ["referee"], { stdio: ["pipe", "pipe", "inherit"] });
    /** @type {((answer: any) => void)[]} */
    this.waiting = [];
    createInterface({ input: this.process.stdout }).on("line", (line) => this.waiting.shift()?.(JSON.parse(line)));
  }

  /** @param {object} request @returns {Promise<any>} */
  ask(request) {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.process.stdin.write(`${JSON.stringify(request)}\n`);
    });
  }

  /** Like `ask`, but a refusal is an error. @param {object} request */
  async must(request) {
    const answer = await this.ask(request);
    if (answer.type === "refused") throw new Error(`${JSON.stringify(request)}: ${answer.message}`);
    return answer;
  }

  end() {
    this.process.stdin.end();
  }
}

/**
 * A server with a store of its own. `kill` ends it as a crash does; `start` starts it again with
 * the same store and address.
 */
export class Server {
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #process;
  #port = 0;

  /** @param {string[]} [flags] */
  constructor(flags = []) {
    this.flags = flags;
    this.folder = mkdtempSync(join(tmpdir(), "flagfall-store-"));
  }

  get address() {
    return `127.0.0.1:${this.#port}`;
  }

  async start() {
    if (this.#port === 0) this.#port = await freePort();
    const args = ["--listen", this.address, "--metrics-listen", "none", "--data", this.folder, ...this.flags];
    this.#process = spawn(program("flagfall-server"), args, { stdio: "ignore" });
    for (let tries = 0; tries < 200; tries++) {
      const isUp = await fetch(`http://${this.address}/api/rulesets`).then((answer) => answer.ok, () => false);
      if (isUp) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("flagfall-server does not answer");
  }

  /** @returns {Promise<void>} */
  kill() {
    const ended = this.#process;
    this.#process = undefined;
    return new Promise((resolve) => {
      if (!ended || ended.exitCode !== null) return resolve();
      ended.once("exit", () => resolve());
      ended.kill("SIGKILL");
    });
  }

  async end() {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

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
