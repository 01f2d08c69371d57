// The editor of a deployment: by pointer, by keys, and as text.

import { Board } from "../board/board.js";
import { squareNames } from "../game/sentences.js";
import { readSetup, writeSetup } from "../game/hand.js";
import { MOST_BYTES, inRows, isName, problemOf, squeeze } from "../game/setups.js";
import { confirm } from "../parts/dialog.js";
import { OpenFile, addressOf, isCalled, suggestInto, useLibrary } from "../parts/library.js";
import { copy, refusalSentence, useTitle, waiting } from "../parts/load.js";
import { rulesetTitle } from "../parts/basics.js";
import { go } from "../route.js";
import { allWords, isKeyOff, rulesets, say, settings, show } from "../state.js";
import { DeployTray, Deploying } from "../table/deploying.js";
import { h, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../vendor/library.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {ReturnType<typeof useLibrary>} Library */

/**
 * A deployment in the making without a game around it: what `Deploying` needs of a game.
 */
class Editor {
  side = /** @type {const} */ ("red");
  /** @type {Board | undefined} */
  board;

  /** @param {Rules} rules */
  constructor(rules) {
    this.rules = rules;
    this.view = /** @type {GameView} */ (/** @type {unknown} */ ({
      audience: "red", phase: "deploying", pieces: [], lakes: rules.lakes === "drawn" ? [] : rules.lakes,
    }));
    this.deploying = new Deploying(/** @type {any} */ (this));
  }

  /** @param {GameView} view @returns {GameView} */
  shownView(view) {
    return { ...view, pieces: this.deploying.pieces() };
  }

  act() {
    return Promise.resolve();
  }

  get text() {
    return writeSetup(this.deploying.setup.value, this.rules, "red");
  }

  /** Takes a text that is a deployment, or says why it is none. @param {string} text */
  open(text) {
    const problem = text.length > MOST_BYTES ? { code: "", message: say("file-too-large"), args: {} } : problemOf(text, this.rules);
    if (problem) return show(refusalSentence(problem));
    this.deploying.change(readSetup(text, this.rules, "red"));
    show(say("deployment-opened"));
  }
}

/** @param {{ ruleset: string, name?: string }} props */
export function DeploymentPage({ ruleset, name }) {
  const rules = rulesets.value.find(({ id, start }) => id === ruleset && start === "deployments");
  const library = useLibrary();
  const editor = useMemo(() => (rules ? new Editor(rules) : undefined), [rules]);
  useTitle(name ?? say("deployment-new"));
  const kept = library.saved?.find((one) => isCalled(one, ruleset, name ?? ""));
  useEffect(() => {
    if (kept && editor && squeeze(kept.setup) !== editor.text) editor.deploying.change(readSetup(kept.setup, editor.rules, "red"));
  }, [editor, kept?.setup]);
  const { hash } = location;
  useEffect(() => {
    if (editor && !name && hash.length > 1) editor.open(decodeURIComponent(hash.slice(1)));
  }, [editor, name, hash]);
  if (!rules || !editor) {
    return h("div", { class: "page stack narrow" },
      h("h1", null, say("deployment-no-ruleset")),
      h("p", { class: "muted" }, say("deployment-no-ruleset-text")),
      h("a", { class: "button main", href: "/deployments" }, say("deployments-all")));
  }
  return h("div", { class: "page stack editor-page" },
    h("p", { class: "small" }, h("a", { href: "/deployments" }, say("deployments-all"))),
    h("h1", null, name ?? say("deployment-new"), h("span", { class: "muted of-ruleset" }, ` ${rulesetTitle(ruleset)}`)),
    name && library.saved && !kept ? h("p", { class: "card" }, say("deployment-missing", { name })) : null,
    name && !library.saved ? waiting(library.asked)
      : h("div", { class: "editor" },
        h(EditorBoard, { editor }),
        h("div", { class: "stack" },
          h(Tools, { editor }),
          h(Keep, { editor, library, name: kept ? name : undefined, key: name }),
          h(AsText, { editor }))));
}

/** On an upright phone, a board that is wider than high is turned. */
const narrow = matchMedia("(max-width: 700px) and (orientation: portrait)");

/** @param {{ editor: Editor }} props */
function EditorBoard({ editor }) {
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  const { rules, deploying } = editor;
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const change = () => setNarrow(narrow.matches);
    narrow.addEventListener("change", change);
    return () => narrow.removeEventListener("change", change);
  }, []);
  const isTurned = isNarrow && rules.columns > rules.rows;
  const rows = rules.rows - rules.home_rows;
  useLayoutEffect(() => {
    if (!host.current) return;
    editor.board = new Board(host.current, {
      press: (square) => deploying.press(square),
      ask: (square) => show(nameOf(editor)(square)),
      mayLift: (square) => deploying.mayLift(square),
      drop: (from, to) => deploying.drop(from, to),
      letGo: () => (deploying.hand.value = undefined),
      movable: () => Object.keys(deploying.setup.value),
      key: (event, square) => deploying.key(event, square),
      isOff: isKeyOff,
    });
  }, [editor]);
  useLayoutEffect(() => {
    // The enemy's home rows are left out: the squares get larger.
    editor.board?.layOut({ ...rules, rows, joined_columns: [], joined_rows: [] }, "red", isTurned, say("editor-board"));
    editor.board?.show(editor.shownView(editor.view));
  }, [editor, isTurned]);
  const { numbering, print, motion } = settings.value;
  useLayoutEffect(() => {
    editor.board?.restyle({ numbering, print });
    editor.board?.setMotion(motion);
  }, [editor, numbering, print, motion]);
  const [setup, hand] = [deploying.setup.value, deploying.hand.value];
  useLayoutEffect(() => {
    editor.board?.mark({
      ...(hand && "square" in hand ? { chosen: hand.square } : {}),
      free: deploying.free(),
    });
    editor.board?.name(nameOf(editor));
  }, [editor, setup, hand, isTurned]);
  const [across, down] = isTurned ? [rows, rules.columns] : [rules.columns, rows];
  return h("div", { class: "position editor-board", style: { "--columns": across, "--rows": down } }, h("div", { class: "board-host", ref: host }));
}

/** @param {Editor} editor */
function nameOf(editor) {
  return squareNames(editor.shownView(editor.view), allWords(), undefined);
}

/**
 * What is left to place, and what can be done with all of it.
 * @param {{ editor: Editor }} props
 */
function Tools({ editor }) {
  const { rules, deploying } = editor;
  /** @param {string} text @param {() => void} act */
  const tool = (text, act) => h("button", {
    class: "button compact",
    onClick: () => {
      deploying.hand.value = undefined;
      act();
    },
  }, say(text));
  return h("section", { class: "card stack tight", "aria-label": say("deploy-title") },
    h(DeployTray, { deploying, side: "red" }),
    h("div", { class: "row-of tools" },
      tool("deploy-suggest", () => void suggestInto(deploying, rules, "red")),
      tool("deploy-random", () => void deploying.random()),
      tool("deploy-mirror", () => void deploying.mirror()),
      tool("deploy-clear", () => deploying.change({})),
      tool("deploy-undo", () => deploying.undo())),
    h("p", { class: "muted small" }, say("deploy-hint")));
}

/**
 * Saves and deletes.
 * @param {{ editor: Editor, library: Library, name: string | undefined }} props
 */
function Keep({ editor, library, name }) {
  const { deploying, rules } = editor;
  const [typed, setTyped] = useState(name ?? "");
  const [trouble, setTrouble] = useState("");
  const [isBusy, setBusy] = useState(false);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!isName(typed)) return setTrouble(say("deployment-bad-name"));
    const other = library.saved?.some((one) => isCalled(one, rules.id, typed)) && typed.toLowerCase() !== name?.toLowerCase();
    if (other && !await confirm({ title: say("deployment-replace", { name: typed }), yes: say("deployment-replace-yes") })) return;
    setBusy(true);
    const done = await library.save({ ruleset: rules.id, name: typed, setup: editor.text });
    setBusy(false);
    setTrouble(done.trouble ?? "");
    if (done.trouble) return;
    show(say("deployment-saved", { place: library.place }));
    if (typed !== name) go(`/deployments/${rules.id}/${typed}`);
  };
  const remove = async () => {
    if (!name || !await confirm({ title: say("deployment-delete-ask", { name }), yes: say("deployment-delete"), isDanger: true })) return;
    const done = await library.remove(rules.id, name);
    if (done.trouble) return setTrouble(done.trouble);
    show(say("deployment-deleted"));
    go("/deployments");
  };
  const missing = deploying.missing;
  return h("form", { class: "card stack tight", onSubmit: submit },
    h("label", { class: "field" }, h("span", null, say("deployment-name")),
      h("input", {
        value: typed, maxlength: 30, required: true, autocomplete: "off", spellcheck: false, "aria-describedby": "name-hint name-trouble",
        onInput: (/** @type {any} */ event) => setTyped(event.target.value),
      })),
    h("p", { id: "name-hint", class: "muted small" }, say("deployment-name-hint")),
    h("p", { id: "name-trouble", class: "trouble small", role: "alert" }, trouble),
    h("div", { class: "row-of" },
      h("button", { class: "button main", disabled: isBusy || !deploying.isComplete, "aria-busy": isBusy },
        missing > 0 ? say("deploy-missing", { count: missing }) : say("deployment-save")),
      name ? h("button", { class: "button danger", type: "button", onClick: remove }, say("deployment-delete")) : null),
    h("p", { class: "muted small" }, say("deployment-place", { place: library.place })));
}

/** The deployment as text: to share, and to open. @param {{ editor: Editor }} props */
function AsText({ editor }) {
  const { rules } = editor;
  const text = inRows(editor.text, rules);
  const [typed, setTyped] = useState(/** @type {string | undefined} */ (undefined));
  useEffect(() => setTyped(undefined), [text]);
  const isReady = editor.deploying.isComplete;
  return h("section", { class: "card stack tight" },
    h("label", { class: "field" }, h("span", null, say("deployment-text")),
      h("textarea", {
        class: "setup-text", rows: rules.home_rows, spellcheck: false, autocomplete: "off", value: typed ?? text, maxlength: 2_000,
        onInput: (/** @type {any} */ event) => setTyped(event.target.value),
      })),
    h("p", { class: "muted small" }, say("deployment-text-hint", { count: rules.columns })),
    h("div", { class: "row-of" },
      h("button", { class: "button compact", disabled: typed === undefined, onClick: () => typed !== undefined && editor.open(typed) }, say("deployment-use-text")),
      h(OpenFile, { label: say("file-open"), accept: ".txt,text/plain", tooLarge: say("file-too-large"), open: (content) => editor.open(content) }),
      h("button", { class: "button compact", disabled: !isReady, onClick: () => void copy(text, say("text-copied")) }, say("text-copy")),
      h("button", { class: "button compact", disabled: !isReady, onClick: () => void copy(addressOf(rules.id, text), say("copied")) }, say("copy"))));
}
