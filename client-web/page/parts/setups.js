// Deployments to look at, and the files and addresses that carry them.

import { drawPiece, svg } from "../board/pieces.js";
import { readSetup } from "../game/hand.js";
import { columnOf, rowOf } from "../game/notation.js";
import { MOST_BYTES, squeeze } from "../game/setups.js";
import { say, settings, show } from "../state.js";
import { h, useLayoutEffect, useRef } from "../vendor/library.js";

/** @typedef {import("../game/rules.js").Rules} Rules */

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
 * A button that opens a text file.
 * @param {{ label: string, accept: string, open: (text: string) => void }} props
 */
export function OpenFile({ label, accept, open }) {
  return h("label", { class: "button compact file-button" }, label,
    h("input", {
      type: "file", accept, class: "aloud",
      onChange: async (/** @type {Event} */ event) => {
        const input = /** @type {HTMLInputElement} */ (event.target);
        const file = input.files?.[0];
        if (!file) return;
        if (file.size > MOST_BYTES) show(say("file-too-large"));
        else open(await file.text());
        input.value = "";
      },
    }));
}
