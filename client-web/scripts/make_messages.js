// Makes types/messages.d.ts from the JSON Schemas of the protocol.
//
//     node scripts/make_messages.js

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const SCHEMAS = new URL("../../shared/protocol/schema/", import.meta.url);
const OUTPUT = new URL("../types/messages.d.ts", import.meta.url);

/**
 * The part of JSON Schema that the protocol uses.
 * @typedef {object} Schema
 * @property {string} [$ref]
 * @property {string} [description]
 * @property {string | string[]} [type]
 * @property {string} [const]
 * @property {Schema[]} [oneOf]
 * @property {Schema[]} [anyOf]
 * @property {Schema} [items]
 * @property {Record<string, Schema>} [properties]
 * @property {string[]} [required]
 * @property {Schema | boolean} [additionalProperties]
 * @property {Record<string, Schema>} [$defs]
 */

/** The text of messages.d.ts. */
export function makeMessages() {
  const client = read("client_to_server.json");
  const server = read("server_to_client.json");
  const record = read("record.json");
  const definitions = new Map();
  for (const schema of [client, server, record]) {
    for (const [name, definition] of Object.entries(schema.$defs ?? {})) {
      if (isPerSide(name)) continue;
      const text = declare(name, definition, schema);
      const known = definitions.get(name);
      if (known !== undefined && known !== text) throw new Error(`two types are called ${name}`);
      definitions.set(name, text);
    }
  }
  const types = [...definitions.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return [
    "// Made from shared/protocol/schema by `npm run make-messages`. Do not edit.",
    "",
    "/** One value for each side. */\nexport interface PerSide<T> {\n  red: T;\n  blue: T;\n}",
    declare("ClientMessage", client, client),
    declare("ServerMessage", server, server),
    declare("GameRecord", record, record),
    ...types,
  ].join("\n\n").replace("\n\n\n", "\n\n") + "\n";
}

/** @param {string} file @returns {Schema} */
function read(file) {
  return JSON.parse(readFileSync(new URL(file, SCHEMAS), "utf8"));
}

/** @param {string} name */
export function isPerSide(name) {
  return /^PerSide\d*$/.test(name);
}

/** @param {string} name @param {Schema} schema @param {Schema} root */
export function declare(name, schema, root) {
  return `${comment(schema, "")}export type ${name} = ${typeOf(schema, root, "")};`;
}

/** @param {Schema} schema @param {string} indent */
function comment(schema, indent) {
  const first = (schema.description ?? "").split("\n\n")[0]?.replaceAll("\n", " ") ?? "";
  return first ? `${indent}/** ${first} */\n` : "";
}

/** @param {Schema} schema @param {Schema} root @param {string} indent @returns {string} */
function typeOf(schema, root, indent) {
  if (schema.oneOf) return union(schema.oneOf, root, indent);
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one, root, indent)).join(" | ");
  const fields = schema.properties ? record(schema, root, indent) : undefined;
  if (schema.$ref) {
    const named = reference(schema.$ref, root, indent);
    return fields ? `${fields} & ${named}` : named;
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types.map((type) => fields ?? plain(type, schema, root, indent)).join(" | ");
}

/** @param {Schema[]} variants @param {Schema} root @param {string} indent */
function union(variants, root, indent) {
  const inner = `${indent}  `;
  return variants
    .map((one) => `\n${comment(one, inner)}${inner}| ${typeOf(one, root, inner)}`)
    .join("");
}

/** @param {string | undefined} type @param {Schema} schema @param {Schema} root @param {string} indent */
function plain(type, schema, root, indent) {
  switch (type) {
    case "integer": case "number": return "number";
    case "string": case "boolean": case "null": return type;
    case "array": {
      const item = schema.items ? typeOf(schema.items, root, indent) : "unknown";
      return item.includes("|") ? `(${item})[]` : `${item}[]`;
    }
    case "object": {
      const value = typeof schema.additionalProperties === "object" ? schema.additionalProperties : {};
      return `Record<string, ${typeOf(value, root, indent)}>`;
    }
    default: return "unknown";
  }
}

/** @param {Schema} schema @param {Schema} root @param {string} indent */
function record(schema, root, indent) {
  const inner = `${indent}  `;
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const mark = required.has(name) ? "" : "?";
    return `${comment(field, inner)}${inner}${name}${mark}: ${typeOf(field, root, inner)};\n`;
  });
  return `{\n${fields.join("")}${indent}}`;
}

/** @param {string} ref @param {Schema} root @param {string} indent */
function reference(ref, root, indent) {
  const name = ref.split("/").at(-1) ?? "";
  if (!isPerSide(name)) return name;
  const side = root.$defs?.[name]?.properties?.red;
  if (!side) throw new Error(`${name} has no side`);
  return `PerSide<${typeOf(side, root, indent)}>`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(OUTPUT, makeMessages());
