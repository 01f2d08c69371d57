// Files that scripts make are the ones in the repository.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import { makeApi } from "../../scripts/make_api.js";
import { makeMessages } from "../../scripts/make_messages.js";
import { makeVendor } from "../../scripts/make_vendor.js";
import { program } from "../programs.js";

const ROOT = new URL("../../", import.meta.url);
/** @param {string} path */
const read = (path) => readFileSync(new URL(path, ROOT), "utf8");

test("the types of messages are made from today's schemas", () => {
  assert.ok(read("types/messages.d.ts") === makeMessages(), "run `npm run make-messages`");
});

test("the types of the HTTP API are made from today's document", () => {
  assert.ok(read("types/api.d.ts") === makeApi(), "run `npm run make-api`");
});

test("the library is made from the lock file", async () => {
  const files = await makeVendor();
  assert.deepEqual(readdirSync(new URL("page/vendor/", ROOT)).sort(), [...files.keys()].sort());
  for (const [name, text] of files) {
    assert.ok(read(`page/vendor/${name}`) === text, `${name}: run \`npm ci && npm run make-vendor\``);
  }
});

test("the lock file names no registry", () => {
  assert.doesNotMatch(read("package-lock.json"), /"resolved"/);
});

test("every command of the terminal client has its place in docs/browser.md, and at most five have none on the page", () => {
  const help = spawnSync(program("flagfall"), ["--help"], { encoding: "utf8" }).stdout;
  const commands = [...help.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, command]) => command);
  assert.ok(commands.length > 20, help);
  const rows = [...read("../docs/browser.md").matchAll(/^\| (`[^|]+) \| (.+) \|$/gm)].map(([, names = "", place = ""]) =>
    ({ names: [...names.matchAll(/`([a-z]+)`/g)].map(([, name]) => name), place }));
  assert.deepEqual(rows.flatMap(({ names }) => names).sort(), [...commands].sort());
  const without = rows.filter(({ place }) => place.startsWith("–"));
  assert.ok(without.flatMap(({ names }) => names).length <= 5);
  for (const { names, place } of without) assert.match(place, /^– \(.+\)$/, `${names} has a reason`);
});
