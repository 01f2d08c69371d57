// Saved deployments: with the account, or on this device for those who have none; and deployments to
// look at, with the files and addresses that carry them.

import { drawPiece, svg } from "../board/pieces.js";
import { readSetup } from "../game/hand.js";
import { columnOf, rowOf } from "../game/rules.js";
import { MOST_BYTES, squeeze } from "../game/setups.js";
import { deployWith, line, loadedRefusal, say, settings, show } from "../state.js";
import { h, signal, useEffect, useLayoutEffect, useRef, useState } from "../vendor/library.js";
import { choose } from "./dialog.js";
import { change, request, suggestionsAt, useAnswer, useWho } from "./load.js";

/** @typedef {import("../game/setups.js").Saved} Saved */
/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../../types/api").SuggestedDeployments} SuggestedDeployments */
/** @typedef {import("../../types/messages").Side} Side */
/** @typedef {import("../table/deploying.js").Deploying} Deploying */
/** What a change came to: a sentence if it was refused. @typedef {{ trouble?: string }} Done */

const KEY = "deployments";
const onDevice = signal(/** @type {readonly Saved[]} */ (readDevice()));

/** @returns {Saved[]} */
function readDevice() {
  try {
    const all = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(all) ? all : [];
  } catch {
    return [];
  }
}

/** @param {readonly Saved[]} saved */
function storeDevice(saved) {
  onDevice.value = saved;
  if (saved.length > 0) localStorage.setItem(KEY, JSON.stringify(saved));
  else localStorage.removeItem(KEY);
}

/** @param {Saved} one @param {string} ruleset @param {string} name */
export function isCalled(one, ruleset, name) {
  return one.ruleset === ruleset && one.name.toLowerCase() === name.toLowerCase();
}

const PATH = "/api/me/deployments";
/** @param {string} ruleset @param {string} name */
const path = (ruleset, name) => `${PATH}/${encodeURIComponent(ruleset)}/${encodeURIComponent(name)}`;

/** Saves a deployment. @param {Saved} one @param {boolean} isAccount @returns {Promise<Done>} */
export async function store(one, isAccount) {
  const kept = { ...one, setup: squeeze(one.setup) };
  if (!isAccount) {
    storeDevice([...onDevice.value.filter((other) => !isCalled(other, one.ruleset, one.name)), kept]);
    return {};
  }
  const done = await change("PUT", path(one.ruleset, one.name), { setup: kept.setup });
  return "trouble" in done ? { trouble: done.trouble } : {};
}

/** What the service worker has kept of the account's deployments, if there was an account. @returns {Promise<readonly Saved[] | null>} */
async function readCopy() {
  const kept = await caches.match(PATH);
  return kept ? (await kept.json()).deployments : null;
}

/** The player's library, and how to change it. */
export function useLibrary() {
  const who = useWho();
  const asked = /** @type {import("./load.js").Asked<{ deployments: Saved[] }>} */ (useAnswer(who.isAccount ? PATH : undefined));
  // Without the server, what the account had when it was asked last.
  const isAway = !who.isKnown && line.value.isLost;
  const [copy, setCopy] = useState(/** @type {readonly Saved[] | null | undefined} */ (undefined));
  useEffect(() => {
    if (isAway) void readCopy().then(setCopy, () => setCopy(null));
  }, [isAway]);
  const isCopy = isAway && Boolean(copy);
  const online = isCopy ? copy ?? [] : asked.value?.deployments;
  const isAccount = who.isAccount || isCopy;
  const place = /** @type {"account" | "device"} */ (isAccount ? "account" : "device");
  return {
    place,
    asked,
    /** Undefined while it is on its way. @type {readonly Saved[] | undefined} */
    saved: isAccount ? online : who.isKnown || (isAway && copy === null) ? onDevice.value : undefined,
    /** What this device has of a time before the account. @type {readonly Saved[]} */
    left: isAccount ? onDevice.value : [],
    /** @param {Saved} one @returns {Promise<Done>} */
    async save(one) {
      const done = await store(one, isAccount);
      if (isAccount) asked.again();
      return done;
    },
    /** @param {string} ruleset @param {string} name @returns {Promise<Done>} */
    async remove(ruleset, name) {
      if (!isAccount) {
        storeDevice(onDevice.value.filter((other) => !isCalled(other, ruleset, name)));
        return {};
      }
      const done = await change("DELETE", path(ruleset, name));
      asked.again();
      return "trouble" in done ? { trouble: done.trouble } : {};
    },
    /** Moves what this device has to the account. @returns {Promise<Done>} */
    async takeOver() {
      for (const one of onDevice.value) {
        const done = await change("PUT", path(one.ruleset, one.name), { setup: one.setup });
        if ("trouble" in done) {
          asked.again();
          return { trouble: done.trouble };
        }
        storeDevice(onDevice.value.filter((other) => other !== one));
      }
      asked.again();
      return {};
    },
  };
}

// Suggested and saved deployments in a game.

/**
 * Fills a deployment as house players do.
 * @param {Deploying} deploying @param {Rules} rules @param {Side} side
 */
export async function suggestInto(deploying, rules, side) {
  const answer = /** @type {import("./load.js").Answer<SuggestedDeployments>} */ (await request("GET", suggestionsAt(rules.id)));
  if ("refusal" in answer) return show(await loadedRefusal({ args: {}, ...answer.refusal }));
  deploying.change(readSetup(answer.value.setups[0] ?? "", rules, side), say("deploy-told", { what: "suggested" }));
}

/** True if the player's deployments are saved with an account. */
export function hasAccount() {
  const kind = line.value.player?.kind;
  return kind === "account" || kind === "bot";
}

/** Lets the player choose one of the saved deployments. @param {Deploying} deploying @param {Rules} rules @param {Side} side */
export async function openSaved(deploying, rules, side) {
  const all = await readSaved();
  if (!all) return;
  const saved = all.filter(({ ruleset }) => ruleset === rules.id);
  const chosen = await choose({
    title: say("saved-title"), ...(saved.length === 0 ? { text: [say("saved-empty"), " ", h("a", { href: "/deployments" }, say("nav-deployments"))] } : {}),
    options: saved.map((one) => ({ value: one, label: one.name })),
  });
  if (chosen) deploying.change(readSetup(chosen.setup, rules, side), `${chosen.name}.`);
}

/** @param {string} ruleset @param {string} name Empty for none. */
export function storeDeployWith(ruleset, name) {
  const { [ruleset]: _, ...others } = deployWith.value;
  deployWith.value = name ? { ...others, [ruleset]: name } : others;
  if (Object.keys(deployWith.value).length > 0) localStorage.setItem("deploy-with", JSON.stringify(deployWith.value));
  else localStorage.removeItem("deploy-with");
}

/**
 * Places the deployment that the player has chosen before the game.
 * @param {Deploying} deploying @param {Rules} rules @param {Side} side @param {string} name
 */
export async function placeSaved(deploying, rules, side, name) {
  const all = await readSaved();
  if (!all) return;
  const chosen = all.find((one) => isCalled(one, rules.id, name));
  if (chosen) return deploying.change(readSetup(chosen.setup, rules, side), `${chosen.name}.`);
  storeDeployWith(rules.id, "");
  show(say("deploy-chosen-gone", { name }));
}

/** What the player has saved; undefined if it cannot be read. @returns {Promise<readonly Saved[] | undefined>} */
export async function readSaved() {
  if (!hasAccount()) return onDevice.value;
  const answer = /** @type {import("./load.js").Answer<{ deployments: Saved[] }>} */ (await request("GET", PATH));
  if (!("refusal" in answer)) return answer.value.deployments;
  show(await loadedRefusal({ args: {}, ...answer.refusal }));
  return undefined;
}

/** A small picture of a deployment. @param {{ setup: string, rules: Rules }} props */
export function SetupPicture({ setup, rules }) {
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  const { numbering, print } = settings.value;
  const { columns, home_rows: rows } = rules;
  useLayoutEffect(() => {
    const picture = svg("svg", { viewBox: `0 0 ${columns} ${rows}`, class: "setup-picture", "aria-hidden": "true" });
    for (const [square, identity] of Object.entries(readSetup(setup, rules, "red"))) {
      const place = svg("svg", { x: columnOf(square), y: rows - 1 - rowOf(square), width: 1, height: 1, viewBox: "-8 -8 116 116" });
      place.append(drawPiece({ side: "red", identity, moved: false, revealed: false, labeled: false }, { numbering, print }));
      picture.append(place);
    }
    host.current?.replaceChildren(picture);
  }, [setup, rules, numbering, print]);
  return h("div", { class: "setup-place", style: { "--columns": columns, "--rows": rows }, ref: host });
}

/**
 * The address of a deployment that anybody can open; the deployment is in the fragment.
 * @param {string} ruleset @param {string} setup
 */
export function addressOf(ruleset, setup) {
  return `${location.origin}/deployments/${ruleset}#${squeeze(setup)}`;
}

/**
 * A button that opens a text file. `tooLarge`: what is said of one that is.
 * @param {{ label: string, accept: string, tooLarge: string, open: (text: string) => void }} props
 */
export function OpenFile({ label, accept, tooLarge, open }) {
  return h("label", { class: "button compact file-button" }, label,
    h("input", {
      type: "file", accept, class: "aloud",
      onChange: async (/** @type {Event} */ event) => {
        const input = /** @type {HTMLInputElement} */ (event.target);
        const file = input.files?.[0];
        if (!file) return;
        if (file.size > MOST_BYTES) show(tooLarge);
        else open(await file.text());
        input.value = "";
      },
    }));
}
