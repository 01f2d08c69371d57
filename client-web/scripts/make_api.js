// Makes types/api.d.ts from the OpenAPI document of the server: bodies and answers of /api, as
// far as messages do not have them already.
//
//     node scripts/make_api.js

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { declare, isPerSide, makeMessages } from "./make_messages.js";

const DOCUMENT = new URL("../../server/openapi.json", import.meta.url);
const OUTPUT = new URL("../types/api.d.ts", import.meta.url);

/** The text of api.d.ts. */
export function makeApi() {
  const { schemas } = JSON.parse(readFileSync(DOCUMENT, "utf8")).components;
  const known = new Set([...makeMessages().matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, name]) => name));
  const names = Object.keys(schemas).filter((name) => !isPerSide(name)).sort();
  const shared = names.filter((name) => known.has(name));
  const types = names.filter((name) => !known.has(name))
    .map((name) => declare(name, schemas[name], { $defs: schemas }));
  const text = types.join("\n\n");
  const used = ["PerSide", ...shared].filter((name) => new RegExp(`\\b${name}\\b`).test(text)).sort();
  return [
    "// Made from server/openapi.json by `npm run make-api`. Do not edit.",
    `import type {\n${used.map((name) => `  ${name},\n`).join("")}} from "./messages";`,
    text,
  ].join("\n\n") + "\n";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(OUTPUT, makeApi());
