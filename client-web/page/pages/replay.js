// A record: of a game of this server, or from a file.

import {
  WrongRecord, holdCommitments, indexOfPly, isOver, momentsOf, plyOf, scopeOf,
} from "../game/record.js";
import { ratingSentence } from "../game/sentences.js";
import { changesText, termsText } from "../parts/basics.js";
import { TableSkeleton } from "../parts/boards.js";
import { go, replayAddress } from "../route.js";
import { allWords, line, readApi, refusalText, rulesFor, say, show } from "../state.js";
import { Result, Viewer } from "../table/viewer.js";
import { h, signal, useEffect, useRef, useState } from "../vendor/library.js";

/** @typedef {import("../../types/messages").GameRecord} GameRecord */
/** @typedef {import("../../types/messages").RatingChange} RatingChange */
/** @typedef {import("../../types/messages").Side} Side */
/** @typedef {import("../game/record.js").Scope} Scope */
/** @typedef {import("../state.js").Refusal} Refusal */
/** @typedef {import("../table/viewer.js").Shown} Shown */

/** Files larger than this are not read. */
const LARGEST = 1024 * 1024;
/** The address follows what is shown after this time: browsers take only so many changes. */
const ADDRESS_MS = 300;

/** The record of a file that was opened. */
const opened = signal(/** @type {Shown | undefined} */ (undefined));

/** @param {{ id?: string, as?: Scope, ply?: string }} props */
export function ReplayPage({ id, as, ply }) {
  if (id) return h(StoredRecord, { id, as, ply });
  return opened.value ? h(FileRecord, { shown: opened.value, ply }) : h(OpenPage, {});
}

/** The player's side in a record. @param {GameRecord} record @returns {Side | undefined} */
function ownSide({ players }) {
  const own = line.value.player?.id;
  return own === undefined ? undefined : own === players.red.id ? "red" : own === players.blue.id ? "blue" : undefined;
}

/** @param {GameRecord} record @param {Scope | undefined} scope @returns {Shown} */
function shownOf(record, scope) {
  const rules = rulesFor(record.terms.ruleset);
  const moments = momentsOf(record, rules);
  return { record, moments, rules: /** @type {import("../game/rules.js").Rules} */ (rules), scope: scope ?? record.audience };
}

/**
 * Reads a record as an audience, or as what is open to the player.
 * @param {string} id @param {Scope | undefined} scope @returns {Promise<Shown | { refusal: Refusal }>}
 */
async function load(id, scope) {
  const answer = await readApi(`/api/games/${id}/record${scope ? `?as=${scope}` : ""}`);
  if ("refusal" in answer) {
    // Without a connection, only the record that was open to the player may have been kept. The
    // address of its page names its audience.
    const kept = scope && answer.refusal.code === "no_answer" ? await load(id, undefined) : answer;
    return "scope" in kept && kept.scope === scope ? kept : answer;
  }
  try {
    const shown = shownOf(answer.body, scope);
    if (scope) return shown;
    const found = scopeOf(answer.body, shown.rules);
    // What a secret leaves open is shown as it was seen in the game.
    return found !== "all" && shown.record.kind === "opened" ? load(id, found) : { ...shown, scope: found };
  } catch (error) {
    return { refusal: { code: "wrong_record", message: wrongText(error) } };
  }
}

/** @param {unknown} error */
function wrongText(error) {
  return error instanceof WrongRecord ? say(`replay-wrong-${error.key}`, { detail: error.detail }) : String(error);
}

/** @param {{ id: string, as: Scope | undefined, ply: string | undefined }} props */
function StoredRecord({ id, as, ply }) {
  const [shown, setShown] = useState(/** @type {Shown | undefined} */ (undefined));
  const [trouble, setTrouble] = useState(/** @type {Refusal | undefined} */ (undefined));
  const [refused, setRefused] = useState(/** @type {readonly Scope[]} */ ([]));
  const [isBusy, setBusy] = useState(true);
  const [index, setIndex] = useState(0);
  const latest = useRef(0);
  /** @param {Scope | undefined} scope @param {string | undefined} place */
  const read = async (scope, place) => {
    const request = ++latest.current;
    setBusy(true);
    const found = await load(id, scope);
    if (request !== latest.current) return;
    setBusy(false);
    if ("moments" in found) {
      setTrouble(undefined);
      setShown(found);
      setIndex(indexOfPly(found.moments, place));
    } else if (found.refusal.code === "record_not_opened" && scope) {
      setRefused((before) => [...before, scope]);
      show(refusalText(found.refusal));
      if (!shown) await read(undefined, place);
    } else if (shown) {
      show(refusalText(found.refusal));
    } else {
      setTrouble(found.refusal);
    }
  };
  useEffect(() => {
    if (shown && (as ?? shown.scope) === shown.scope) setIndex(indexOfPly(shown.moments, ply));
    else void read(as, ply);
  }, [id, as, ply]);
  useEffect(() => () => void latest.current++, []);
  useTitle(shown);
  useEffect(() => {
    if (!shown) return undefined;
    const address = replayAddress({ page: "replay", id, as: shown.scope, ply: plyOf(shown.moments, index) });
    const timer = setTimeout(() => history.replaceState(null, "", address), ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [shown, index]);
  if (trouble) return h(Trouble, { trouble, again: () => void read(as, ply) });
  if (!shown) return h(TableSkeleton, { waitingFor: say("replay-waiting") });
  const place = plyOf(shown.moments, index);
  return h(Viewer, {
    shown, index, goTo: setIndex, own: ownSide(shown.record), refused, isBusy, choose: (scope) => void read(scope, place),
  },
    isOver(shown.record) ? null : h("section", { class: "card stack tight notice" },
      h("p", null, say("replay-not-over")),
      h("div", { class: "row-of" },
        h("button", { class: "button compact main", onClick: () => void read(shown.scope, "end") }, say("replay-reload")),
        h("a", { class: "button compact", href: `/game/${id}` }, say("replay-to-game")))),
    h(Facts, { shown, id, index }));
}

/** @param {{ shown: Shown, ply: string | undefined }} props */
function FileRecord({ shown, ply }) {
  const [index, setIndex] = useState(() => indexOfPly(shown.moments, ply));
  useEffect(() => setIndex(indexOfPly(shown.moments, ply)), [shown]);
  useTitle(shown);
  return h(Viewer, {
    shown, index: Math.min(index, shown.moments.length - 1), goTo: setIndex, own: undefined, refused: [], choose: undefined, isBusy: false,
  }, h(Facts, { shown, id: undefined, index }));
}

/** @param {Shown | undefined} shown */
function useTitle(shown) {
  const names = shown ? say("replay-title", { red: shown.record.players.red.name, blue: shown.record.players.blue.name }) : "Flagfall";
  useEffect(() => {
    document.title = names;
    return () => {
      document.title = "Flagfall";
    };
  }, [names]);
}

/**
 * Who played what, when, and how it ended.
 * @param {{ shown: Shown, id: string | undefined, index: number }} props
 */
function Facts({ shown, id, index }) {
  const { record, scope } = shown;
  const date = new Intl.DateTimeFormat(allWords().language, { dateStyle: "long", timeStyle: "short" });
  const share = async () => {
    const address = replayAddress({ page: "replay", ...(id ? { id } : {}), as: scope, ply: plyOf(shown.moments, index) });
    const url = new URL(address, location.href).href;
    if ("share" in navigator && matchMedia("(pointer: coarse)").matches) return void navigator.share({ url }).catch(() => undefined);
    // Only pages with https may copy.
    const mayCopy = "clipboard" in navigator;
    if (mayCopy) await navigator.clipboard.writeText(url);
    show(mayCopy ? say("copied") : say("copy-by-hand"));
  };
  return h("section", { class: "card stack tight facts", "aria-label": say("replay-facts") },
    h(Result, { shown }),
    h("span", { class: "small" }, termsText(record.terms)),
    changesText(record.terms.ruleset).map((change) => h("span", { key: change, class: "small muted" }, change)),
    record.created > 0 ? h("span", { class: "small muted" }, date.format(record.created)) : null,
    id && record.terms.rated && isOver(record) ? h(Ratings, { id }) : null,
    h(Commitments, { record }),
    h("div", { class: "row-of" },
      id ? h("button", { class: "button compact", onClick: () => void share() }, say("replay-share")) : null,
      id ? h("a", {
        class: "button compact", href: `/api/games/${id}/record?as=${scope}`, download: `flagfall-${id}-${scope}.json`,
      }, say("replay-save")) : null,
      id ? h("a", {
        class: "button compact", href: `/api/games/${id}/record?as=${scope}&format=text`, download: `flagfall-${id}-${scope}.txt`,
      }, say("replay-save-text")) : null,
      h(FileButton, { look: "compact" })),
    h(CheckButton, { record, isStored: id !== undefined }));
}

/** The checks are loaded when somebody asks for them. @param {{ record: GameRecord, isStored: boolean }} props */
function CheckButton({ record, isStored }) {
  const [found, setFound] = useState(/** @type {typeof import("../parts/checks.js") | undefined} */ (undefined));
  const open = (/** @type {any} */ event) => event.target.open && void import("../parts/checks.js").then(setFound);
  return h("details", { class: "small", onToggle: open }, h("summary", null, say("replay-check")),
    found ? h(found.Checks, { record, isStored }) : null);
}

/** What the game changed. @param {{ id: string }} props */
function Ratings({ id }) {
  const [answer, setAnswer] = useState(/** @type {{ body: RatingChange } | { refusal: Refusal } | undefined} */ (undefined));
  useEffect(() => void readApi(`/api/games/${id}/ratings`).then(setAnswer), [id]);
  if (!answer) return h("span", { class: "small" }, "\u00a0");
  if ("refusal" in answer) return h("span", { class: "small muted" }, refusalText(answer.refusal));
  return h("span", { class: "small numbers" }, ratingSentence(answer.body, undefined, allWords()));
}

/**
 * Holds the deployments against their commitments, in this browser.
 * @param {{ record: GameRecord }} props
 */
function Commitments({ record }) {
  const [text, setText] = useState(/** @type {string | undefined} */ (undefined));
  useEffect(() => {
    // Browsers compute hashes only on https and on this machine.
    if (!crypto.subtle) return setText("");
    let isCurrent = true;
    void holdCommitments(record, async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))).then((held) => {
      const all = Object.values(held);
      const key = all.includes("broken") ? "broken" : all.every((one) => one === "kept") ? "kept" : all.includes("kept") ? "one-kept" : "";
      if (isCurrent) setText(key && say(`replay-commitments-${key}`));
    });
    return () => {
      isCurrent = false;
    };
  }, [record]);
  const isExpected = text === undefined && Object.values(record.deployments).some(Boolean);
  return text || isExpected ? h("p", { class: "small muted held" }, text) : null;
}

/** @param {{ trouble: Refusal, again: () => void }} props */
function Trouble({ trouble, again }) {
  return h("div", { class: "page stack narrow" },
    h("h1", null, say("replay-not-shown")),
    h("p", null, trouble.code === "no_such_game" ? say("replay-no-game") : refusalText(trouble)),
    trouble.code ? h("p", { class: "muted small" }, h("code", null, trouble.code)) : null,
    h("div", { class: "row-of" },
      trouble.code === "no_such_game" ? null : h("button", { class: "button main", onClick: again }, say("replay-again")),
      h("a", { class: "button", href: "/" }, say("to-home")),
      h(FileButton, { look: "" })));
}

/** The page before a file was chosen. */
function OpenPage() {
  return h("div", { class: "page stack narrow" },
    h("h1", null, say("replay-open-title")),
    h("p", { class: "muted" }, say("replay-open-text")),
    h("div", { class: "row-of" }, h(FileButton, { look: "main" })));
}

/** Opens a record from a file. @param {{ look: "main" | "compact" | "" }} props */
function FileButton({ look }) {
  const choose = async (/** @type {any} */ event) => {
    const field = /** @type {HTMLInputElement} */ (event.target);
    const [file] = field.files ?? [];
    if (!file) return;
    try {
      opened.value = await readFile(file);
      go("/replay");
    } catch (error) {
      show(wrongText(error));
    }
    field.value = "";
  };
  return h("label", { class: `button file-button ${look}` },
    h("input", { type: "file", class: "aloud", accept: ".json,application/json", onChange: choose }), say("replay-open"));
}

/** @param {File} file @returns {Promise<Shown>} */
async function readFile(file) {
  if (file.size > LARGEST) throw new WrongRecord("too-large");
  const [text, schema, { mismatch }] = await Promise.all([file.text(), readApi("/api/schema/record"), import("../game/schema.js")]);
  if ("refusal" in schema) throw new Error(refusalText(schema.refusal));
  const record = parsed(text);
  const wrong = mismatch(record, schema.body);
  if (wrong) throw new WrongRecord("not-a-record", wrong);
  const rules = rulesFor(record.terms.ruleset);
  return shownOf(record, rules && scopeOf(record, rules));
}

/** @param {string} text @returns {any} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new WrongRecord("not-json");
  }
}
