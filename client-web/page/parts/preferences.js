// The settings beside the device: an account keeps them too, so that other devices have them.
// Loaded with the settings, and on every page of a player with an account.

import { PLAIN, line, readSettings, settings } from "../state.js";
import { computed, effect } from "../vendor/library.js";
import { languages } from "../words.js";

/** @typedef {import("../state.js").Settings} Settings */
/** What the server keeps for an account. @typedef {Record<string, string>} Kept */

const PATH = "/api/me/preferences";
/** The names of settings that the account has not got yet, and whose they are. */
const UNSENT = "unsent-settings";

export const SWITCH = ["on", "off"];

/**
 * The settings that an account keeps, and their values. Notifications need the browser's
 * permission, so they are set on each device.
 * @satisfies {Partial<Record<keyof Settings, string[]>>}
 */
export const CHOICES = {
  language: ["system", ...languages()],
  theme: ["system", "light", "dark"],
  board: ["plain", "green", "checkered"],
  motion: ["system", "none"],
  print: ["normal", "large", "glyphs"],
  numbering: ["us", "eu"],
  confirm: ["system", "never", "strikes", "always"],
  premove: SWITCH,
  letters: SWITCH,
  sound: SWITCH,
};

/** @typedef {keyof typeof CHOICES} Name */

const NAMES = /** @type {Name[]} */ (Object.keys(CHOICES));

/** The settings of an account that differ. @param {Settings} before @param {Settings} after */
export function differing(before, after) {
  return NAMES.filter((name) => before[name] !== after[name]);
}

/**
 * The settings, with those that the account has, except for the unsent ones. What this page does
 * not know is left alone, because an older or a newer page knows it.
 * @param {Settings} now @param {Readonly<Kept>} kept @param {readonly Name[]} unsent @returns {Settings}
 */
export function merge(now, kept, unsent) {
  const followed = NAMES.filter((name) => !unsent.includes(name) && /** @type {string[]} */ (CHOICES[name]).includes(kept[name] ?? ""));
  return { ...now, ...pick(kept, followed) };
}

/** @param {Readonly<Record<string, string>>} from @param {readonly Name[]} names @returns {Kept} */
function pick(from, names) {
  return Object.fromEntries(names.map((name) => [name, from[name] ?? ""]));
}

/** The language that the page speaks. It changes when the page is loaded anew. */
export const spoken = settings.peek().language;
// Another tab may have changed them, and changes them later.
settings.value = readSettings();
addEventListener("storage", ({ key, newValue }) => {
  if (key === "settings" && newValue) settings.value = readSettings();
});

/** Keeps the settings on the device, and in the account if there is one. @param {Settings} changed */
export function storeSettings(changed) {
  const names = differing(settings.peek(), changed);
  keep(changed);
  const now = owner();
  if (now === NOBODY || names.length === 0) return;
  // Before the server says who is here, it is who was here last.
  const player = now === UNKNOWN ? readUnsent().player : now;
  writeUnsent(player, [...new Set([...unsentOf(player), ...names])]);
  exchangeInTurn();
}

/** @param {Settings} changed */
function keep(changed) {
  settings.value = changed;
  localStorage.setItem("settings", JSON.stringify(changed));
}

/** Instead of a player's id: nobody with an account, or a player whom the server has not named. */
const NOBODY = "";
const UNKNOWN = "?";

/** Whose settings they are. */
function owner() {
  const { link, player } = line.value;
  if (player) return player.kind === "guest" ? NOBODY : player.id;
  return link === "up" ? NOBODY : UNKNOWN;
}

/** Whose settings they are, while the server can be asked. */
const who = computed(() => (line.value.link === "up" ? owner() : undefined));

/** @returns {{ player: string, names: Name[] }} */
function readUnsent() {
  const { player = UNKNOWN, names = [] } = JSON.parse(localStorage.getItem(UNSENT) ?? "{}");
  return { player, names: NAMES.filter((name) => names.includes(name)) };
}

/** @param {string} player */
function unsentOf(player) {
  const unsent = readUnsent();
  return unsent.player === player || unsent.player === UNKNOWN ? unsent.names : [];
}

/** @param {string} player @param {readonly Name[]} names */
function writeUnsent(player, names) {
  if (names.length > 0) localStorage.setItem(UNSENT, JSON.stringify({ player, names }));
  else localStorage.removeItem(UNSENT);
}

/** Whose settings have been read. @type {string | undefined} */
let known;
/** The exchanges with the server, one after the other. */
let exchanges = Promise.resolve();

function exchangeInTurn() {
  exchanges = exchanges.then(exchange);
}

effect(() => {
  const player = who.value;
  if (player === undefined) return;
  if (player === NOBODY) {
    if (readUnsent().player === UNKNOWN) writeUnsent(UNKNOWN, []);
    return;
  }
  // What another player has left behind is dropped.
  writeUnsent(player, unsentOf(player));
  exchangeInTurn();
});

/** Reads the account's settings once, and sends what has changed here, or keeps it for later. */
async function exchange() {
  const player = who.peek();
  if (!player) return;
  if (known !== player) {
    const kept = await ask();
    if (!kept || owner() !== player) return;
    known = player;
    // A new account gets what was set before.
    if (Object.keys(kept).length === 0) writeUnsent(player, differing(PLAIN, settings.peek()));
    else follow(kept, player);
  }
  const names = unsentOf(player);
  if (names.length === 0) return;
  const sent = pick(settings.peek(), names);
  const kept = await ask(sent);
  if (!kept || owner() !== player) return;
  writeUnsent(player, unsentOf(player).filter((name) => settings.peek()[name] !== sent[name]));
  follow(kept, player);
}

/** @param {Kept} kept @param {string} player */
function follow(kept, player) {
  const merged = merge(settings.peek(), kept, unsentOf(player));
  if (differing(settings.peek(), merged).length > 0) keep(merged);
}

/**
 * Reads the account's settings, or changes some of them. Undefined without an answer.
 * @param {Kept} [changes] @returns {Promise<Kept | undefined>}
 */
async function ask(changes) {
  try {
    const answer = await fetch(PATH, changes && {
      method: "PATCH", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ preferences: changes }),
    });
    return answer.ok ? (await answer.json()).preferences : undefined;
  } catch {
    return undefined;
  }
}
