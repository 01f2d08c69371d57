// Reads files by the protocol's own JSON Schemas: the part of JSON Schema that they use.

/**
 * @typedef {object} Schema
 * @property {string} [$ref]
 * @property {string | string[]} [type]
 * @property {unknown} [const]
 * @property {Schema[]} [oneOf]
 * @property {Schema[]} [anyOf]
 * @property {Schema} [items]
 * @property {Record<string, Schema>} [properties]
 * @property {string[]} [required]
 * @property {Schema | boolean} [additionalProperties]
 * @property {string} [pattern]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {Record<string, Schema>} [$defs]
 */

/** Values nested deeper are refused. */
const DEEPEST = 32;

/**
 * Where a value differs from its schema, as in `events.3.event`. Undefined if it does not.
 * @param {unknown} value @param {Schema} root @returns {string | undefined}
 */
export function mismatch(value, root) {
  return differs(value, root, root, "", 0);
}

/**
 * @param {unknown} value @param {Schema} schema @param {Schema} root @param {string} path
 * @param {number} depth @returns {string | undefined}
 */
function differs(value, schema, root, path, depth) {
  const here = path || ".";
  if (depth > DEEPEST) return here;
  const next = depth + 1;
  if (schema.$ref) {
    const named = root.$defs?.[schema.$ref.split("/").at(-1) ?? ""];
    const wrong = named ? differs(value, named, root, path, next) : here;
    if (wrong) return wrong;
  }
  if (schema.const !== undefined && value !== schema.const) return here;
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) {
    const found = choices.map((one) => differs(value, one, root, path, next));
    // The deepest difference is of the variant that was meant.
    if (found.every(Boolean)) return found.reduce((a, b) => ((b?.length ?? 0) > (a?.length ?? 0) ? b : a), here);
  }
  if (schema.type && ![schema.type].flat().some((type) => isOfType(value, type))) return here;
  if (typeof value === "string" && schema.pattern && !new RegExp(schema.pattern, "u").test(value)) return here;
  if (typeof value === "number" && !(value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity))) return here;
  if (Array.isArray(value)) {
    const { items } = schema;
    return items && first(value.entries(), ([index, item]) => differs(item, items, root, join(path, index), next));
  }
  return isObject(value) ? fieldDiffers(value, schema, root, path, next) : undefined;
}

/**
 * @param {Record<string, unknown>} value @param {Schema} schema @param {Schema} root
 * @param {string} path @param {number} depth
 */
function fieldDiffers(value, schema, root, path, depth) {
  const missing = schema.required?.find((name) => !Object.hasOwn(value, name));
  if (missing) return join(path, missing);
  const properties = schema.properties ?? {};
  return first(Object.entries(value), ([name, field]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
    return typeof known === "object" ? differs(field, known, root, join(path, name), depth) : undefined;
  });
}

/** @param {unknown} value @param {string} type */
function isOfType(value, type) {
  switch (type) {
    case "null": return value === null;
    case "array": return Array.isArray(value);
    case "object": return isObject(value);
    case "integer": return Number.isSafeInteger(value);
    default: return typeof value === type;
  }
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @template T @param {Iterable<T>} list @param {(one: T) => string | undefined} find */
function first(list, find) {
  for (const one of list) {
    const found = find(one);
    if (found) return found;
  }
  return undefined;
}

/** @param {string} path @param {string | number} name */
function join(path, name) {
  return path ? `${path}.${name}` : String(name);
}
