// Flagfall's programs for tests. FLAGFALL_TARGET is the folder they were built in.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
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
