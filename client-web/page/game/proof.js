// What can be checked of a record without the rules: the server's signature, commitments, the order
// of times, and whether two records are of one game. docs/protocol/RECORDS.md defines the digest.

import { holdCommitments } from "./record.js";
import { SIDES, letterOf } from "./rules.js";

/** @typedef {import("../../types/messages").GameRecord} GameRecord */
/** @typedef {import("../../types/messages").GameEvent} GameEvent */
/** @typedef {import("../../types/messages").SeenMove} SeenMove */
/** @typedef {import("../../types/messages").Time} Time */
/** @typedef {import("../../types/api").SigningKeyInfo} SigningKeyInfo */

/** @typedef {"signature" | "commitments" | "start" | "opened" | "times" | "same"} Check */
/**
 * What came of a check, and why nothing did.
 * @typedef {{ check: Check, result: "good" | "bad" | "unknown", why?: "running" | "unsigned" | "no-key" | "no-browser" | "side" | "hidden" }} Finding
 */

/**
 * What computes hashes and verifies signatures; `verify` comes back undefined if the browser has
 * no Ed25519.
 * @typedef {object} Crypto
 * @property {(bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>} sha256
 * @property {(key: Uint8Array<ArrayBuffer>, signature: Uint8Array<ArrayBuffer>, message: Uint8Array<ArrayBuffer>) => Promise<boolean | undefined>} verify
 */

/**
 * What everybody saw of a finished game of this server, if the record itself is not what the
 * signature covers: it is a player's, it lacks choices, or it was read before the game was signed.
 * A running game goes on, so that a record that is read later would differ.
 * @template R
 * @param {GameRecord} record @param {(path: string) => Promise<{ body: any } | { refusal: R }>} read
 * @returns {Promise<{ body: GameRecord | undefined } | { refusal: R }>}
 */
export async function readSeen(record, read) {
  const isWhole = record.audience === "public" && record.signature && digestFields(record);
  if (!record.outcome || isWhole) return { body: undefined };
  const address = `/api/games/${record.game}/record`;
  const seen = await read(`${address}?as=public`);
  if ("refusal" in seen || !lacksChoices(seen.body)) return seen;
  const opened = await read(address);
  return "refusal" in opened ? opened : { body: withChoices(seen.body, opened.body) };
}

/**
 * The public's live record with the choices of an opened record of the same game.
 * @param {GameRecord} seen @param {GameRecord} opened @returns {GameRecord}
 */
function withChoices(seen, opened) {
  const rest = [...seen.events];
  /** @type {GameRecord["events"]} */
  const events = [];
  for (const entry of opened.events) {
    if (entry.event.kind === "chosen") events.push(entry);
    else events.push(...rest.splice(0, 1));
  }
  return { ...seen, kind: opened.kind ?? null, events: [...events, ...rest] };
}

/**
 * All checks of a record.
 * @param {GameRecord} record
 * @param {GameRecord | undefined} seen What everybody saw of the same game, if `readSeen` read it.
 * @param {readonly SigningKeyInfo[]} keys The keys of this server. @param {Crypto} crypto
 * @returns {Promise<Finding[]>}
 */
export async function checkRecord(record, seen, keys, crypto) {
  return [
    await checkSignature(seen ?? (record.audience === "public" ? record : undefined), record, keys, crypto),
    ...(seen ? [/** @type {Finding} */ ({ check: "same", result: isSameGame(record, seen) ? "good" : "bad" })] : []),
    await checkCommitments(record, crypto),
    ...checkEnds(record),
    { check: "times", result: inOrder(record) ? "good" : "bad" },
  ];
}

/**
 * @param {GameRecord | undefined} seen @param {GameRecord} record @param {readonly SigningKeyInfo[]} keys
 * @param {Crypto} crypto @returns {Promise<Finding>}
 */
async function checkSignature(seen, record, keys, crypto) {
  const check = /** @type {const} */ ("signature");
  if (!record.outcome) return { check, result: "unknown", why: "running" };
  const signature = (seen ?? record).signature;
  if (!signature) return { check, result: "unknown", why: "unsigned" };
  if (!seen) return { check, result: "unknown", why: "side" };
  const key = keys.find(({ id }) => id === signature.key);
  if (!key) return { check, result: "unknown", why: "no-key" };
  const fields = digestFields(seen);
  if (!fields) return { check, result: "unknown", why: "hidden" };
  const digest = await crypto.sha256(framed(fields));
  const message = new Uint8Array([...new TextEncoder().encode("flagfall-signature-1\0"), ...digest]);
  const isRight = await crypto.verify(bytesOf(key.public), bytesOf(signature.value), message);
  return isRight === undefined ? { check, result: "unknown", why: "no-browser" } : { check, result: isRight ? "good" : "bad" };
}

/** @param {GameRecord} record @param {Crypto} crypto @returns {Promise<Finding>} */
async function checkCommitments(record, crypto) {
  const check = /** @type {const} */ ("commitments");
  const held = Object.values(await holdCommitments(record, crypto.sha256));
  if (held.includes("broken")) return { check, result: "bad" };
  return held.includes("kept") ? { check, result: "good" } : { check, result: "unknown", why: "hidden" };
}

/** The start and the end of the game say the same as the record's head. @param {GameRecord} record @returns {Finding[]} */
function checkEnds(record) {
  /** @type {Finding[]} */
  const findings = [];
  for (const { event } of record.events) {
    if (event.kind === "started") {
      const isSame = SIDES.every((side) => (event.commitments[side] ?? null) === (record.commitments[side] ?? null));
      findings.push({ check: "start", result: isSame ? "good" : "bad" });
    }
    if (event.kind === "ended") {
      const isSame = SIDES.every((side) => event.opened[side]?.setup === record.deployments[side]?.setup)
        && event.outcome.winner === record.outcome?.winner && event.outcome.reason === record.outcome?.reason;
      findings.push({ check: "opened", result: isSame ? "good" : "bad" });
    }
  }
  return findings;
}

/** @param {GameRecord} record */
function inOrder({ created, events }) {
  return events.every(({ at }, index) => at >= (events[index - 1]?.at ?? created));
}

/** True if a player's record tells the same turns at the same times as the public's. @param {GameRecord} own @param {GameRecord} seen */
export function isSameGame(own, seen) {
  /** @param {GameRecord} record */
  const turns = ({ game, terms, events }) => [game, JSON.stringify(terms), ...events.flatMap(({ at, event }) => {
    switch (event.kind) {
      case "moved": return [`${at} ${event.side} ${event.move} ${event.strike?.attacker_fate} ${event.strike?.defender_fate} ${event.laid}`];
      case "removed": case "placed": case "colored": return [`${at} ${event.kind} ${event.side} ${event.square}`];
      case "ended": return [`${at} ${event.outcome.winner} ${event.outcome.reason}`];
      default: return [];
    }
  })].join("\n");
  return turns(own) === turns(seen);
}

/**
 * The fields of the digest that servers sign. Undefined if this record does not have them all.
 * @param {GameRecord} record The public's. @returns {string[] | undefined}
 */
export function digestFields(record) {
  const { terms, players, commitments, outcome, events } = record;
  if (!outcome || lacksChoices(record)) return undefined;
  const last = outcome.reason === "aborted" ? -1 : events.findLastIndex(({ event }) => event.kind === "moved");
  /** @type {string[]} */
  const acts = [];
  for (const [index, { at, lag_ms: lag, event }] of events.entries()) {
    // A choice stays secret if its strike was never resolved.
    if (event.kind === "chosen" && index > last) continue;
    const words = actWords(event);
    if (words === undefined) return undefined;
    acts.push(`${at} ${lag ?? 0} ${words}`);
  }
  const quota = record.lag_quota;
  return [
    "flagfall-digest-1", record.game, terms.ruleset, timeWords(terms.time) + (record.whole_turns ? " whole" : ""),
    terms.rated ? "rated" : "casual", terms.private ? "private" : "open", terms.secret ? "secret" : "shown",
    String(record.created), String(record.deploy_ms ?? ""), quota ? `${quota.per_ply_ms} ${quota.stock_ms}` : "",
    (record.lakes ?? []).join(" "), record.start ?? "", players.red.id, players.blue.id,
    commitments.red ?? "", commitments.blue ?? "", String(acts.length), ...acts, outcome.winner ?? "", outcome.reason,
  ];
}

/** True if this is a live record of a game with coins, whose choices the signature covers. @param {GameRecord} record */
function lacksChoices({ kind, outcome, events }) {
  return kind === "live" && outcome?.reason !== "aborted" && events.some(({ event }) => event.kind === "struck");
}

/** @param {Time} time */
function timeWords(time) {
  switch (time.kind) {
    case "unlimited": return "unlimited";
    case "fischer": return `fischer ${time.base_s} ${time.increment_s}`;
    case "delay": return `delay ${time.base_s} ${time.free_s}`;
    case "correspondence": return `correspondence ${time.days}`;
  }
}

/** Undefined for an event that the public never sees. @param {GameEvent} event @returns {string | undefined} */
function actWords(event) {
  switch (event.kind) {
    case "deployed": return undefined;
    case "ready": case "draw_offered": case "draw_declined": return `${event.kind} ${event.side}`;
    case "moved": return movedWords(event);
    case "struck": return `struck ${event.side} ${event.move} ${SIDES.filter((side) => event.owes[side]).join(" ")}`;
    case "chosen": return `chosen ${event.side} ${letterOf(event.rank)}`;
    case "removed": return `removed ${event.side} ${event.square}`;
    case "placed": return `placed ${event.side} ${event.square} ${event.labeled ? `${event.piece}^` : "?"}${event.color ? ` ${event.color[0]}` : ""}`;
    case "colored": return `colored ${event.side} ${event.square} ${event.color[0]}`;
    case "paused": return `paused ${event.since}`;
    case "resumed": return event.since == null ? "resumed" : `resumed ${event.since}`;
    default: return event.kind;
  }
}

/** @param {SeenMove} move */
function movedWords({ side, move, piece, strike, laid }) {
  const struck = strike ? ` strikes ${strike.attacker} ${strike.attacker_fate} ${strike.defender} ${strike.defender_fate}` : "";
  return `moved ${side} ${move} ${piece}${struck}${laid ? ` lays ${laid}` : ""}`;
}

/** The fields as bytes, each after its length. @param {readonly string[]} fields */
export function framed(fields) {
  const parts = fields.map((field) => new TextEncoder().encode(field));
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.length);
    bytes.set(part, at + 4);
    at += 4 + part.length;
  }
  return bytes;
}

/** @param {string} hex @returns {Uint8Array<ArrayBuffer>} */
function bytesOf(hex) {
  return new Uint8Array((hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));
}

/** The browser's own. @type {Crypto} */
export const BROWSER = {
  sha256: async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)),
  verify: async (key, signature, message) => {
    try {
      const imported = await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
      return await crypto.subtle.verify("Ed25519", imported, signature, message);
    } catch {
      // A browser without this kind of signature, or a page without https.
      return undefined;
    }
  },
};
