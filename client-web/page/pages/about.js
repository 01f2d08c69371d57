// The operator's text about the server, as plain text.

import { shown, useAnswer, useTitle } from "../parts/load.js";
import { say } from "../state.js";
import { h } from "../vendor/library.js";

/** @typedef {import("../../types/api").AboutText} AboutText */
/** @template T @typedef {import("../parts/load.js").Asked<T>} Asked */

export function AboutPage() {
  const asked = /** @type {Asked<AboutText>} */ (useAnswer("/api/about"));
  useTitle(say("nav-about"));
  return h("div", { class: "page stack narrow" },
    h("h1", null, say("nav-about")),
    asked.refusal?.code === "no_such_path" ? h("p", { class: "muted" }, say("about-none"))
      : shown(asked, ({ text }) => h("div", { class: "stack tight" }, blocksOf(text).map(({ tag, text: block }, at) => h(tag, { key: at }, block)))));
}

/**
 * The headings and paragraphs of a text: lines that begin with "# ", and what blank lines
 * separate.
 * @param {string} text @returns {{ tag: "h2" | "p", text: string }[]}
 */
export function blocksOf(text) {
  const blocks = /** @type {{ tag: "h2" | "p", text: string }[]} */ ([]);
  let isOpen = false;
  for (const line of text.split("\n").map((one) => one.trim())) {
    const last = blocks.at(-1);
    if (line.startsWith("# ")) blocks.push({ tag: "h2", text: line.slice(2).trim() });
    else if (line !== "" && isOpen && last) last.text += `\n${line}`;
    else if (line !== "") blocks.push({ tag: "p", text: line });
    isOpen = line !== "" && !line.startsWith("# ");
  }
  return blocks;
}
