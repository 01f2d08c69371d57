// The page's texts, as the server joins them.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const WORDS = ["../../shared/words/", "../words/"].map((path) => fileURLToPath(new URL(path, import.meta.url)));

/** All texts of a language: those of both clients, and those of the page. @param {string} language */
export function allTexts(language) {
  return `${texts(language)}\n${texts(`${language}-more`)}`;
}

/** The texts of one file that the page loads, without comments. @param {string} folder */
export function texts(folder) {
  return WORDS.map((words) => join(words, folder)).flatMap((path) => readdirSync(path).sort()
    .map((name) => readFileSync(join(path, name), "utf8"))).join("\n").replace(/^#.*\n/gm, "");
}
