// A server for development and tests: the page's files with their headers, and /ws and /api from
// a running flagfall-server. It has sessions by cookie and the texts of a language as one file, as
// that server has, and a list of the games that ended last, which that server lacks (see README.md).
//
//     npm run serve -- [--port 8080] [--server 127.0.0.1:7171]

import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const PAGE = fileURLToPath(new URL("../page/", import.meta.url));
const OWN_WORDS = fileURLToPath(new URL("../words/", import.meta.url));
const WORDS = [fileURLToPath(new URL("../../shared/words/", import.meta.url)), OWN_WORDS];
const PICTURES = fileURLToPath(new URL("./board/", import.meta.url));

export const HEADERS = {
  "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    + "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    + "require-trusted-types-for 'script'; trusted-types flagfall-sw",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "",
};

const TYPES = /** @type {Record<string, string>} */ ({
  ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8",
  ".svg": "image/svg+xml", ".png": "image/png", ".webmanifest": "application/manifest+json", ".ftl": "text/plain; charset=utf-8", ".txt": "text/plain; charset=utf-8",
});

/** The addresses of the page. Others answer the page too, with status 404. */
const ADDRESSES = /^\/(play|challenge|watch|replay(\/[0-9a-z]{12})?|game\/[0-9a-z]{12}|games|account|about|rules(\/[a-z0-9-]+)?|@\/[\w-]{2,20}|deployments(\/[a-z0-9-]+(\/[\w-]{1,30})?)?|leaderboard(\/[a-z0-9-]+\/[a-z]+)?)?$/;

/**
 * Serves the page in front of a server.
 * @param {{ port: number, server: string }} options
 * @returns {Promise<{ url: string, cut: () => void, close: () => void }>} `cut` drops all sockets.
 */
export function serve({ port, server }) {
  /** @type {Set<import("node:net").Socket>} */
  const sockets = new Set();
  const http = createServer((asked, answer) => {
    for (const [name, value] of Object.entries(HEADERS)) answer.setHeader(name, value);
    const { pathname: path } = new URL(asked.url ?? "/", "http://page");
    if (path === "/api/session") return void session(asked, answer, server);
    if (path.startsWith("/api/")) return forward(asked, answer, server);
    if (path === "/sw.js" || path === "/manifest.webmanifest") return send(answer, 200, extname(path), built(path.slice(1)));
    if (path === "/assets/dev/files.txt") return send(answer, 200, ".txt", buildFiles().join("\n"));
    if (path.startsWith("/assets/dev/")) return file(answer, PAGE, path.slice("/assets/dev/".length));
    if (path.startsWith("/board/")) return file(answer, PICTURES, path.slice("/board/".length));
    return page(answer, path);
  });
  http.on("upgrade", (asked, socket, head) => {
    sockets.add(/** @type {import("node:net").Socket} */ (socket));
    socket.on("close", () => sockets.delete(/** @type {import("node:net").Socket} */ (socket)));
    upgrade(asked, /** @type {import("node:net").Socket} */ (socket), head, server);
  });
  return new Promise((resolve) => {
    http.listen(port, "127.0.0.1", () => {
      const address = /** @type {import("node:net").AddressInfo} */ (http.address());
      const cut = () => sockets.forEach((socket) => socket.destroy());
      resolve({
        url: `http://127.0.0.1:${address.port}`,
        cut,
        close: () => {
          cut();
          http.close();
          http.closeAllConnections();
        },
      });
    });
  });
}

/** @typedef {import("node:http").IncomingMessage} Asked */
/** @typedef {import("node:http").ServerResponse} Answer */

/** @param {Answer} answer @param {string} folder @param {string} path */
function file(answer, folder, path) {
  const asked = textFiles().find((name) => path === `words/${name}.ftl`);
  if (asked) return send(answer, 200, ".ftl", texts(asked));
  const full = join(folder, normalize(path));
  if (!full.startsWith(folder) || !existsSync(full)) return send(answer, 404, ".txt", "not found");
  send(answer, 200, extname(full), readFileSync(full));
}

/** A file with the address of this build. @param {string} name */
function built(name) {
  return readFileSync(join(PAGE, name), "utf8").replaceAll("/assets/HASH/", "/assets/dev/")
    .replace("data-languages=\"LANGUAGES\"", `data-languages="${languages().join(" ")}"`);
}

/** The files of the build, which the service worker keeps. */
export function buildFiles() {
  const files = readdirSync(PAGE, { recursive: true, encoding: "utf8" });
  return [...files.filter((name) => /\.(js|css|svg|png)$/.test(name) && name !== "sw.js").sort(), ...textFiles().map((name) => `words/${name}.ftl`)];
}

/** The languages that the page has texts in. */
export function languages() {
  return readdirSync(OWN_WORDS).filter((name) => !name.startsWith(".") && !name.endsWith("-more")).sort();
}

/** The names of the files of texts. */
function textFiles() {
  return languages().flatMap((language) => [language, `${language}-more`]);
}

/** All texts of a language: what both clients say, and what the page says. Comments stay here. @param {string} language */
export function allTexts(language) {
  return `${texts(language)}\n${texts(`${language}-more`)}`;
}

/** The texts of one file that the page loads; those that the language lacks follow in English. @param {string} name */
export function texts(name) {
  const own = ownTexts(name);
  const known = new Set(entries(own).map(([id]) => id));
  const lacks = entries(ownTexts(name.endsWith("-more") ? "en-more" : "en")).filter(([id]) => !known.has(id));
  return own + (lacks.length > 0 ? `\n### en\n${lacks.map(([, text]) => text).join("\n")}` : "");
}

/** The texts in the folders with this name. @param {string} folder */
function ownTexts(folder) {
  return WORDS.map((words) => join(words, folder)).filter(existsSync).flatMap((path) => readdirSync(path).sort()
    .map((name) => readFileSync(join(path, name), "utf8"))).join("\n").replace(/^#.*\n/gm, "");
}

/** The entries of a Fluent file, with their ids. @param {string} text @returns {[string, string][]} */
function entries(text) {
  return text.split(/^(?=-?[a-z])/m).flatMap((entry) => {
    const id = /^-?[a-z][\w-]*/.exec(entry)?.[0];
    return id ? [[id, entry]] : [];
  });
}

/** @param {Answer} answer @param {string} path */
function page(answer, path) {
  send(answer, ADDRESSES.test(path) ? 200 : 404, ".html", built("index.html"));
}

/** @param {Answer} answer @param {number} status @param {string} type @param {string | Buffer} body */
function send(answer, status, type, body) {
  answer.setHeader("Content-Type", TYPES[type] ?? "application/octet-stream");
  answer.setHeader("Cache-Control", "no-cache");
  answer.writeHead(status).end(body);
}

/** @param {Asked} asked @param {Answer} answer @param {string} server */
function forward(asked, answer, server) {
  const token = tokenOf(asked);
  const headers = { ...(token ? { authorization: `Bearer ${token}` } : {}), ...asked.headers, host: server };
  delete headers.cookie;
  const inner = request(`http://${server}${asked.url}`, { method: asked.method, headers }, (reply) => {
    const encoding = reply.headers["content-encoding"];
    answer.writeHead(reply.statusCode ?? 502, {
      "Content-Type": reply.headers["content-type"] ?? "text/plain", ...(encoding ? { "Content-Encoding": encoding } : {}),
    });
    reply.pipe(answer);
  });
  inner.on("error", () => answer.destroy());
  asked.pipe(inner);
}

/** True if a request comes from the page itself. @param {Asked} asked */
function isOwnOrigin(asked) {
  // Browsers send no `Origin` with a GET of the same origin.
  const { origin, host } = asked.headers;
  return origin ? origin === `http://${host}` : asked.headers["sec-fetch-site"] === "same-origin";
}

/** @param {Asked} asked */
function tokenOf(asked) {
  return isOwnOrigin(asked) ? /(?:^|; )flagfall-page=([^;]+)/.exec(asked.headers.cookie ?? "")?.[1] : undefined;
}

/**
 * Begins and ends sessions: of a new guest, of an account, or of a new account.
 * @param {Asked} asked @param {Answer} answer @param {string} server
 */
async function session(asked, answer, server) {
  if (!isOwnOrigin(asked)) return void answer.writeHead(403).end();
  const cookie = (/** @type {string} */ value, /** @type {number} */ seconds) =>
    answer.setHeader("Set-Cookie", `flagfall-page=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}`);
  const token = tokenOf(asked);
  const old = /** @type {Record<string, string>} */ (token ? { Authorization: `Bearer ${token}` } : {});
  answer.setHeader("Content-Type", "application/json");
  try {
    if (asked.method === "DELETE") {
      if (token) await fetch(`http://${server}/api/logout`, { method: "POST", headers: old });
      cookie("", 0);
      answer.setHeader("Clear-Site-Data", "\"storage\"");
      return void answer.writeHead(204).end();
    }
    if (asked.method !== "POST") return void answer.writeHead(405).end();
    const body = JSON.parse(await bodyOf(asked));
    if (body.password === undefined) {
      const made = await newGuest(server);
      cookie(made.token, 31_536_000);
      return void answer.writeHead(200).end(JSON.stringify({ player: made.player }));
    }
    const { name, password, recovery_code: code, sign_up: isNew } = body;
    const reply = await fetch(`http://${server}/api/${code ? "recover" : isNew ? "account" : "login"}`, {
      method: "POST", headers: { "Content-Type": "application/json", ...old }, body: JSON.stringify({ name, password, ...(code ? { recovery_code: code } : {}) }),
    });
    const made = /** @type {any} */ (await reply.json());
    if (!reply.ok) return void answer.writeHead(reply.status).end(JSON.stringify(made));
    const { token: fresh, ...info } = made;
    if (fresh) cookie(fresh, 31_536_000);
    answer.writeHead(200).end(JSON.stringify(info));
  } catch {
    answer.writeHead(503).end("{}");
  }
}

/** @param {Asked} asked @returns {Promise<string>} */
async function bodyOf(asked) {
  const parts = [];
  for await (const part of asked) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** @param {string} server @returns {Promise<{ token: string, player: object }>} */
function newGuest(server) {
  return new Promise((resolve, reject) => {
    const link = openUpstream(server, (text) => {
      const message = JSON.parse(text);
      if (message.type !== "welcome") return;
      link.socket.end();
      resolve(message);
    });
    link.socket.on("error", reject).on("close", () => reject(new Error("closed")));
    link.write(JSON.stringify({ type: "hello", protocol: 1, client: "page" }));
  });
}

// WebSockets, as far as two ends need that send whole text frames.

/** @param {string} text @param {boolean} isMasked */
function frame(text, isMasked) {
  const body = Buffer.from(text);
  const length = body.length < 126 ? Buffer.from([body.length])
    : body.length < 65_536 ? Buffer.from([126, body.length >> 8, body.length & 255])
    : Buffer.concat([Buffer.from([127, 0, 0, 0, 0]), Buffer.from(Uint32Array.of(body.length).buffer).reverse()]);
  if (isMasked) length[0] = (length[0] ?? 0) | 128;
  const mask = isMasked ? randomBytes(4) : Buffer.alloc(0);
  if (isMasked) body.forEach((byte, index) => (body[index] = byte ^ (mask[index % 4] ?? 0)));
  return Buffer.concat([Buffer.from([0x81]), length, mask, body]);
}

/**
 * Cuts a stream into frames.
 * @param {(opcode: number, body: Buffer) => void} got
 */
function frames(got) {
  let rest = Buffer.alloc(0);
  return (/** @type {Buffer} */ chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      if (rest.length < 2) return;
      const [first = 0, second = 0] = rest;
      let length = second & 127;
      let at = 2;
      if (length === 126) {
        if (rest.length < 4) return;
        length = rest.readUInt16BE(2);
        at = 4;
      } else if (length === 127) {
        if (rest.length < 10) return;
        length = rest.readUInt32BE(6);
        at = 10;
      }
      const mask = second & 128 ? rest.subarray(at, at + 4) : undefined;
      if (mask) at += 4;
      if (rest.length < at + length) return;
      const body = Buffer.from(rest.subarray(at, at + length));
      if (mask) body.forEach((byte, index) => (body[index] = byte ^ (mask[index % 4] ?? 0)));
      rest = rest.subarray(at + length);
      got(first & 15, body);
    }
  };
}

/** @param {string} server @param {(text: string) => void} heard @param {(code: number) => void} [closed] */
function openUpstream(server, heard, closed) {
  const [host = "127.0.0.1", port] = server.split(":");
  const socket = connect(Number(port), host);
  const key = randomBytes(16).toString("base64");
  socket.write(`GET /ws HTTP/1.1\r\nHost: ${server}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`
    + `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`);
  /** @type {string[]} */
  let waiting = [];
  let isOpen = false;
  let early = Buffer.alloc(0);
  const parse = frames((opcode, body) => {
    if (opcode === 1) heard(body.toString());
    if (opcode === 8) closed?.(body.length >= 2 ? body.readUInt16BE(0) : 1005);
  });
  socket.on("data", (chunk) => {
    if (isOpen) return parse(chunk);
    early = Buffer.concat([early, chunk]);
    const end = early.indexOf("\r\n\r\n");
    if (end < 0) return;
    isOpen = true;
    waiting.forEach((text) => socket.write(frame(text, true)));
    waiting = [];
    parse(early.subarray(end + 4));
  });
  socket.on("error", () => socket.destroy());
  return { socket, write: (/** @type {string} */ text) => (isOpen ? socket.write(frame(text, true)) : waiting.push(text)) };
}

/** @param {Asked} asked @param {import("node:net").Socket} socket @param {Buffer} head @param {string} server */
function upgrade(asked, socket, head, server) {
  socket.on("error", () => socket.destroy());
  if (asked.url !== "/ws" || !isOwnOrigin(asked)) return void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  const accept = createHash("sha1").update(`${asked.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  const token = tokenOf(asked);
  const upstream = openUpstream(server, (text) => socket.write(frame(outward(text, token), false)), (code) => {
    socket.write(Buffer.from([0x88, 2, code >> 8, code & 255]));
    socket.end();
  });
  upstream.socket.on("connect", () => socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
    + `Connection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`));
  upstream.socket.on("close", () => socket.destroy());
  socket.on("close", () => upstream.socket.destroy());
  const parse = frames((opcode, body) => {
    if (opcode === 1) upstream.write(inward(body.toString(), token));
    if (opcode === 8) upstream.socket.end();
  });
  socket.on("data", parse);
  if (head.length > 0) parse(head);
}

/** Puts the cookie's token in the place of `session`. @param {string} text @param {string | undefined} token */
function inward(text, token) {
  const message = JSON.parse(text);
  if (message.type !== "hello") return text;
  const { session, ...hello } = message;
  return JSON.stringify(session && token ? { ...hello, token } : hello);
}

/**
 * The page never sees a token, and has no player without a session.
 * @param {string} text @param {string | undefined} token
 */
function outward(text, token) {
  const message = JSON.parse(text);
  if (message.type !== "welcome") return text;
  const { token: _, player, ...welcome } = message;
  return JSON.stringify(token ? { ...welcome, player } : welcome);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const option = (/** @type {string} */ name, /** @type {string} */ otherwise) => {
    const at = process.argv.indexOf(name);
    return at < 0 ? otherwise : process.argv[at + 1] ?? otherwise;
  };
  const served = await serve({ port: Number(option("--port", "8080")), server: option("--server", "127.0.0.1:7171") });
  console.log(`The page is at ${served.url}`);
}
