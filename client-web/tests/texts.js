// The page's texts, as the server joins them.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const OWN_WORDS = fileURLToPath(new URL("../words/", import.meta.url));
const WORDS = [fileURLToPath(new URL("../../shared/words/", import.meta.url)), OWN_WORDS];

/** The languages that the page has texts in. */
export function languages() {
  return readdirSync(OWN_WORDS).filter((name) => !name.startsWith(".") && !name.endsWith("-more")).sort();
}

/** All texts of a language: those of both clients, and those of the page. @param {string} language */
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

/** The texts in the folders with this name, without comments. @param {string} folder */
function ownTexts(folder) {
  return WORDS.map((words) => join(words, folder)).filter(existsSync).flatMap((path) => readdirSync(path).sort()
    // The server sends these texts in English.
    .filter((name) => folder !== "en" || name !== "rulesets.ftl")
    .map((name) => readFileSync(join(path, name), "utf8"))).join("\n").replace(/^#.*\n/gm, "").replace(/\n\n+/g, "\n").replace(/^ +/gm, " ");
}

/** The entries of a Fluent file, with their ids. @param {string} text @returns {[string, string][]} */
function entries(text) {
  return text.split(/^(?=-?[a-z])/m).flatMap((entry) => {
    const id = /^-?[a-z][\w-]*/.exec(entry)?.[0];
    return id ? [[id, entry]] : [];
  });
}
