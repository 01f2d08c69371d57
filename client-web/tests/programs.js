// Flagfall's programs for tests. FLAGFALL_TARGET is the folder they were built in.

import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The folder `client-web`, whose page a server can read anew on each request. */
const FOLDER = fileURLToPath(new URL("../", import.meta.url));

/** Programs that run. None of them outlives the tests. @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.once(signal, () => process.exit(1));

/** @template {import("node:child_process").ChildProcess} T @param {T} child @returns {T} */
function untilTheEnd(child) {
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** The path of a built program. @param {"flagfall" | "flagfall-server"} name */
export function program(name) {
  const target = process.env.FLAGFALL_TARGET;
  const folders = target ? [target] : ["release", "debug"].map((profile) =>
    fileURLToPath(new URL(`../../target/${profile}`, import.meta.url)));
  const found = folders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path));
  if (!found) throw new Error(`${name} is not built: run \`cargo build\`, or set FLAGFALL_TARGET to its folder`);
  return found;
}

/** The path of a browser. @param {"chromium" | "firefox"} name */
export function browser(name) {
  const variable = name.toUpperCase();
  const paths = { chromium: ["/usr/bin/chromium", "/usr/bin/chromium-browser"], firefox: ["/usr/bin/firefox-esr", "/usr/bin/firefox"] }[name];
  const found = [process.env[variable] ?? "", ...paths].find((path) => path && existsSync(path));
  if (!found) throw new Error(`${name} is missing: install it, or set ${variable} to its path`);
  return found;
}

/** The rules engine behind `flagfall referee`: one answer for each request, in order. */
export class Referee {
  constructor() {
    this.process = untilTheEnd(spawn(program("flagfall"), ["referee"], { stdio: ["pipe", "pipe", "inherit"] }));
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
 * A server with a store of its own, and the page. `kill` ends it as a crash does; `start` starts it
 * again with the same store and address.
 */
export class Server {
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #process;
  #port = 0;

  /**
   * @param {{ page?: "folder" | "program", flags?: string[] }} [how] `page`: where the page comes from:
   *   the files of this checkout as they are now, or the program, with the compressed files that
   *   players get.
   */
  constructor({ page = "folder", flags = [] } = {}) {
    this.page = page;
    this.flags = flags;
    this.folder = mkdtempSync(join(tmpdir(), "flagfall-store-"));
  }

  get address() {
    return `127.0.0.1:${this.#port}`;
  }

  get url() {
    return `http://${this.address}`;
  }

  /** The name of the cookie with a session. */
  get cookie() {
    return `flagfall-${this.#port}`;
  }

  async start() {
    this.#port ||= await ownPort();
    const args = ["--listen", this.address, "--metrics-listen", "none", "--data", this.folder, ...this.flags];
    if (this.page === "folder") args.push("--page", FOLDER);
    const child = untilTheEnd(spawn(program("flagfall-server"), args, { stdio: ["ignore", "pipe", "pipe"] }));
    this.#process = child;
    await isReady(child);
    if (this.page === "program") await this.#compareThePage();
  }

  /** The folder of the page's files, such as `/assets/dev/`. */
  async assets() {
    const document = await (await fetch(this.url)).text();
    const found = /\/assets\/\w+\//.exec(document)?.[0];
    if (!found) throw new Error("the page's document names no assets");
    return found;
  }

  /** A program that was built before the page was changed would be tested with the old page. */
  async #compareThePage() {
    const assets = await this.assets();
    const files = (await (await fetch(`${this.url}${assets}files.txt`)).text()).split("\n").filter((path) => /\.(js|css)$/.test(path));
    for (const path of files) {
      const served = await (await fetch(this.url + assets + path)).text();
      const written = existsSync(`${FOLDER}page/${path}`) ? readFileSync(`${FOLDER}page/${path}`, "utf8") : undefined;
      // Style sheets are sent without their comments.
      if (served === (path.endsWith(".css") ? written?.replaceAll(/\/\*.*?\*\//gs, "") : written)) continue;
      throw new Error(`flagfall-server was built with another ${path}: run \`cargo build\``);
    }
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

/**
 * A port that no other test uses while this process runs, as `OwnPort` in `tests/src/ports.rs`. The UDP
 * port with the same number marks it as taken.
 */
async function ownPort() {
  for (let tries = 0; tries < 1_000; tries++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const claim = createSocket("udp4").unref();
    const isMine = await new Promise((resolve) => claim.once("error", () => resolve(false)).bind(port, "127.0.0.1", () => resolve(true)));
    const isFree = isMine && await new Promise((resolve) => {
      const dialed = connect(port, "127.0.0.1", () => {
        dialed.destroy();
        resolve(false);
      });
      dialed.once("error", () => resolve(true));
    });
    if (isFree) return port;
    claim.close();
  }
  throw new Error("no port is free");
}

/**
 * Waits until a server listens.
 * @param {import("node:child_process").ChildProcess} child @returns {Promise<void>}
 */
function isReady(child) {
  return new Promise((resolve, reject) => {
    let errors = "";
    child.stderr?.on("data", (text) => (errors = `${errors}${text}`.slice(-2_000)));
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`flagfall-server ended: ${errors}`)));
    const { stdout } = child;
    if (!stdout) return reject(new Error("flagfall-server has no output"));
    createInterface({ input: stdout }).on("line", (line) => {
      if (line.startsWith("listening on ")) resolve();
    });
  });
}

/**
 * A network between browsers and a server. `cut` drops all its connections.
 * @param {Server} server @returns {Promise<{ url: string, cut: () => void, close: () => void }>}
 */
export function network(server) {
  /** @type {Set<import("node:net").Socket>} */
  const sockets = new Set();
  const listener = createServer((near) => {
    const far = connect(Number(server.address.split(":")[1]), "127.0.0.1");
    for (const [socket, other] of /** @type {const} */ ([[near, far], [far, near]])) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  const cut = () => sockets.forEach((socket) => socket.destroy());
  return new Promise((resolve) => {
    listener.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (listener.address());
      resolve({
        url: `http://127.0.0.1:${port}`,
        cut,
        close: () => {
          listener.close();
          cut();
        },
      });
    });
  });
}
