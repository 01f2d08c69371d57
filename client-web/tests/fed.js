// A page that is fed with messages instead of a server's, with everything written down that it
// does: changes of the document, sounds, notifications, storage. Its time is the test's.

import { BEGIN, GAME, player } from "./pairs.js";
import { newPage } from "./browser.js";
import { modules } from "./pseudo.js";

/** @typedef {import("../types/messages").ServerMessage} ServerMessage */
/** @typedef {import("../page/game/rules.js").Rules} Rules */
/** @typedef {import("playwright-core").Page} Page */

/** A fault that is planted: a text in a module, and what stands there instead. @typedef {{ is: string, becomes: string }} Plant */

/**
 * What a page did, message by message.
 * @typedef {{ log: string[], document: string, tree: string, storage: string }} Seen
 */

/** Runs in the page before its modules. @param {{ settings: object, begin: number, except: string, isQuiet: boolean }} given */
function prepare({ settings, begin, except, isQuiet }) {
  // Time stands still until the test lets it pass. While the page loads, short timers run all the
  // same.
  let now = begin;
  let timers = 0;
  /** @type {Map<number, { at: number, act: () => void }>} */
  const due = new Map();
  const RealDate = Date;
  const channel = new MessageChannel();
  // A quiet page is not drawn after each timer.
  const settle = () => isQuiet ? Promise.resolve().then(() => undefined).then(() => undefined) : new Promise((resolve) => {
    channel.port1.onmessage = resolve;
    channel.port2.postMessage(0);
  });
  /** @param {(time: number) => void} act @param {number} [ms] */
  const later = (act, ms = 0) => {
    due.set(++timers, { at: now + Math.max(0, ms), act: () => act(now - begin) });
    return timers;
  };
  /** @param {number} end */
  const next = (end) => [...due].filter(([, { at }]) => at <= end).sort(([a, one], [b, other]) => one.at - other.at || a - b)[0];
  /** @param {number} ms */
  const run = async (ms) => {
    const end = now + ms;
    await settle();
    for (let found = next(end); found; found = next(end)) {
      const [id, { at, act }] = found;
      due.delete(id);
      now = Math.max(now, at);
      act();
      await settle();
    }
    now = end;
  };
  const loading = setInterval(() => {
    const ready = [...due].filter(([, { at }]) => at <= now + 60);
    for (const [id, { act }] of ready) {
      due.delete(id);
      act();
    }
  }, 4);
  const drop = (/** @type {number} */ id) => void due.delete(id);
  Object.assign(window, {
    Date: class extends RealDate {
      constructor(/** @type {any[]} */ ...args) {
        super(.../** @type {[any]} */ (args.length > 0 ? args : [now]));
      }
      static now() {
        return now;
      }
    },
    setTimeout: later,
    clearTimeout: drop,
    requestAnimationFrame: (/** @type {(time: number) => void} */ act) => later(act, 16 - ((now - begin) % 16)),
    cancelAnimationFrame: drop,
  });
  /** @type {any} */ (window).realNow = performance.now.bind(performance);
  performance.now = () => now - begin;

  let ids = 0;
  Math.random = () => 0.5;
  crypto.randomUUID = () => `00000000-0000-4000-8000-${String(++ids).padStart(12, "0")}`;
  localStorage.setItem("settings", JSON.stringify(settings));
  /** @type {string[]} */
  const log = [];
  /** @type {any} */
  const fed = { log, socket: undefined, run, except };
  /** @type {any} */ (window).fed = fed;
  const write = (/** @type {string} */ text) => isQuiet || log.push(`${Date.now()} ${text}`);

  class FakeSocket {
    static OPEN = 1;
    readyState = 1;
    constructor() {
      fed.socket = this;
    }
    /** @param {string} text */
    send(text) {
      write(`send ${text}`);
    }
    close() {
      write("close");
    }
  }
  class FakeNotification {
    static permission = "granted";
    static requestPermission = async () => "granted";
    /** @param {string} title @param {object} options */
    constructor(title, options) {
      write(`notification ${title} ${JSON.stringify(options)}`);
    }
    close() {}
    addEventListener() {}
  }
  /** Something of Web Audio: what is called on it and set in it is written down. @param {string} name @returns {any} */
  const audio = (name) => new Proxy(function () {}, {
    get: (_, key) => (key === "currentTime" ? 0 : key === "state" ? "running" : key === "then" || typeof key === "symbol" ? undefined : audio(`${name}.${key}`)),
    set: (_, key, value) => {
      write(`sound ${name}.${String(key)} = ${value}`);
      return true;
    },
    apply: (_, __, args) => {
      write(`sound ${name}(${args.map((arg) => (typeof arg === "function" ? "node" : JSON.stringify(arg))).join()})`);
      return audio(name);
    },
  });
  Object.assign(window, { WebSocket: FakeSocket, Notification: FakeNotification, AudioContext: class { constructor() { return audio("audio"); } } });
  Object.defineProperty(navigator, "userActivation", { configurable: true, value: { hasBeenActive: true, isActive: true } });
  document.hasFocus = () => false;
  Object.defineProperty(navigator, "serviceWorker", { value: undefined });

  // Every node has a number, so that one that comes back is known again.
  const numbers = new WeakMap();
  let count = 0;
  /** @param {Node} node */
  const number = (node) => {
    if (!numbers.has(node)) numbers.set(node, ++count);
    return numbers.get(node);
  };
  /** @param {Node} node */
  const text = (node) => `${number(node)} ${node instanceof Element ? node.outerHTML : node.nodeValue}`;
  /** @param {MutationRecord} record */
  const entry = (record) => {
    const element = record.target instanceof Element ? record.target : undefined;
    const at = `${number(record.target)}${element ? `.${element.getAttribute("class") ?? element.localName}` : ""}`;
    switch (record.type) {
      case "attributes": return `${at} ${record.attributeName}: ${record.oldValue} -> ${element?.getAttribute(record.attributeName ?? "")}`;
      case "characterData": return `${at} text: ${record.oldValue} -> ${record.target.nodeValue}`;
      default: return [...[...record.removedNodes].map((node) => `${at} - ${text(node)}`), ...[...record.addedNodes].map((node) => `${at} + ${text(node)}`)].join("\n");
    }
  };
  fed.draw = () => new Promise((resolve) => {
    channel.port1.onmessage = resolve;
    channel.port2.postMessage(0);
  });
  /** Waits until nothing more is due and the document has stopped changing. */
  fed.rest = async () => {
    let changes = 0;
    const observer = new MutationObserver(() => void ++changes);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    for (let quiet = 0, before = 0; quiet < 3; before = changes) {
      await fed.draw();
      quiet = changes === before && !next(now + 60) ? quiet + 1 : 0;
    }
    observer.disconnect();
  };
  fed.start = () => {
    clearInterval(loading);
    if (isQuiet) return;
    const all = document.createTreeWalker(document);
    while (all.nextNode()) number(all.currentNode);
    new MutationObserver((records) => records.filter(({ target }) => !isHidden(target)).forEach((record) => write(entry(record)))).observe(document, {
      subtree: true, childList: true, attributes: true, characterData: true, attributeOldValue: true, characterDataOldValue: true,
    });
  };
  /** @param {Node} node */
  const isHidden = (node) => {
    const element = node instanceof Element ? node : node.parentElement;
    return Boolean(fed.except && element?.closest(fed.except));
  };
  /** @param {object} message */
  fed.hear = (message) => fed.socket.onmessage({ data: JSON.stringify(message) });
  const serialized = () => {
    const copy = /** @type {Element} */ (document.documentElement.cloneNode(true));
    if (fed.except) copy.querySelectorAll(fed.except).forEach((element) => element.replaceChildren());
    return copy.outerHTML;
  };
  fed.read = () => ({
    log: log.splice(0),
    document: serialized() + [...document.querySelectorAll("input, select, textarea")].map((field) => /** @type {any} */ (field).value).join("|"),
    storage: JSON.stringify([localStorage, sessionStorage, document.cookie, location.href, history.length]),
  });
}

/** What is switched on in fed pages: everything that makes itself heard. */
const LOUD = {
  sound: "on", notify_turn: "on", notify_start: "on", notify_challenge: "on", notify_time: "on",
};

/**
 * Opens a page that is fed. `except`: a selector of what is not written down. `beside`: the
 * profile of another page, whose tab it becomes. With `isQuiet`, nothing is written down. `texts`:
 * Fluent texts instead of the page's. `api`: answers of the API by their paths.
 * @param {import("playwright-core").Browser} chromium
 * @param {{ url: string, rules: Rules[], path?: string, plants?: Plant[], settings?: object, except?: string, isQuiet?: boolean, texts?: string,
 *   api?: Record<string, object>,
 *   beside?: import("playwright-core").BrowserContext,
 *   options?: import("playwright-core").BrowserContextOptions }} how
 */
export async function feedPage(chromium, { url, rules, path = `/game/${GAME}`, plants = [], settings = LOUD, except = "", isQuiet = false, texts, api = {}, beside, options = {} }) {
  const { page, faults, context } = beside ? { page: await beside.newPage(), faults: [], context: beside } : await newPage(chromium, options);
  // The messages and these answers are all that the page knows.
  await page.route("**/api/**", (route) => {
    const answer = api[new URL(route.request().url()).pathname];
    return answer ? route.fulfill({ json: answer }) : route.abort("connectionreset");
  });
  // One house player that plays everything.
  const house_players = [{ level: "simple", rulesets: rules.map(({ id }) => id) }];
  await page.route("**/api/rulesets", (route) => route.fulfill({ json: { rulesets: rules, house_players } }));
  if (texts) await page.route("**/words/*.ftl", (route) => route.fulfill({ body: texts, contentType: "text/plain; charset=utf-8" }));
  /** @type {Set<Plant>} */
  const planted = new Set();
  for (const { name, code } of plants.length > 0 ? modules() : []) {
    const found = plants.filter(({ is }) => code.includes(is));
    if (found.length === 0) continue;
    const body = found.reduce((body, { is, becomes }) => body.replaceAll(is, becomes), code);
    await page.route(`**/${name}`, (route) => {
      found.forEach((plant) => planted.add(plant));
      return route.fulfill({ body, contentType: "text/javascript; charset=utf-8" });
    });
  }
  await page.addInitScript(prepare, { settings, begin: BEGIN, except, isQuiet });
  await page.goto(url + path);
  await page.locator("#main .table, #main h1, #main .narrow > .skeleton").first().waitFor({ state: "attached" });
  // Sounds begin with a player, or with the first press of somebody who only looks on.
  await page.evaluate(async () => {
    dispatchEvent(new Event("keydown"));
    const [main] = performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/main.js"));
    if (main) await import(main.name.replace("/main.js", "/parts/notices.js"));
  });
  await page.evaluate(async () => {
    const { fed } = /** @type {any} */ (window);
    await fed.rest();
    fed.start();
    fed.socket.onopen();
  });
  /** @param {ServerMessage | object} message @param {number} [ms] */
  const hear = async (message, ms = 1_500) => {
    await page.evaluate(async ({ message, ms }) => {
      const { fed } = /** @type {any} */ (window);
      fed.hear(message);
      await fed.run(ms);
    }, { message, ms });
  };
  return { page, faults, context, hear, planted };
}

/**
 * Lets a fed page ask, wait and draw until something is there.
 * @param {Page} page @param {string} selector
 */
export async function settle(page, selector) {
  for (let tries = 0; tries < 200; tries++) {
    await page.evaluate(() => /** @type {any} */ (window).fed.run(100));
    if (await page.locator(selector).count() > 0 && await page.locator(".skeleton").count() === 0) break;
    await page.waitForTimeout(10);
  }
  await page.locator(selector).first().waitFor({ state: "attached", timeout: 1_000 });
  await page.evaluate(() => /** @type {any} */ (window).fed.draw());
}

/** The server's greeting. @param {"red" | "blue" | "public"} audience */
export const welcome = (audience) => ({
  type: "welcome", protocol: 1, server: "flagfall", server_time: BEGIN, games: [], claim_seconds: 60,
  ...(audience === "public" ? {} : { player: player(audience) }),
});

/** Lets time pass until something is shown that the page loads on demand. @param {Page} page @param {import("playwright-core").Locator} locator */
export async function until(page, locator) {
  for (let turn = 0; turn < 200 && !await locator.first().isVisible(); turn++) {
    await page.evaluate(() => /** @type {any} */ (window).fed.run(20));
    await page.waitForTimeout(10);
  }
  await locator.first().waitFor();
}

/** The tree of what a screen reader finds. @param {Page} page */
export async function tree(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  // How a text breaks into lines follows from its width.
  return nodes.filter(({ ignored, role }) => !ignored && role?.value !== "InlineTextBox").map(({ role, name, value, properties }) => [role?.value, name?.value, value?.value,
    ...(properties ?? []).map((property) => `${property.name}=${property.value.value ?? ""}`)].filter(Boolean).join(" ")).join("\n");
}

/**
 * Feeds messages, and tells what the page did at each. The tree is read after the last one.
 * @param {Page} page @param {readonly object[]} messages @returns {Promise<Seen[]>}
 */
export async function feed(page, messages) {
  const seen = await page.evaluate(async (messages) => {
    const { fed } = /** @type {any} */ (window);
    const seen = [];
    for (const message of messages) {
      fed.hear(message);
      await fed.run(1_500);
      seen.push({ ...fed.read(), tree: "" });
    }
    return seen;
  }, messages);
  const last = seen.at(-1);
  if (last) last.tree = await tree(page);
  return seen;
}
