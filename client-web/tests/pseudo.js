// An invented language: English with every vowel accented and doubled, 40 % longer. What
// a page shows without accents was written into its code; what does not fit would burst in Russian.

import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PAGE = fileURLToPath(new URL("../page/", import.meta.url));
const VOWELS = /** @type {Record<string, string>} */ ({
  a: "á", e: "é", i: "í", o: "ó", u: "ú", y: "ý", A: "Á", E: "É", I: "Í", O: "Ó", U: "Ú", Y: "Ý",
});

/** @param {string} text Words without placeables. */
export function pseudoText(text) {
  if (!/[A-Za-z]{2}/.test(text)) return text;
  const accented = text.replace(/[aeiouy]/gi, (vowel) => (VOWELS[vowel] ?? vowel) + (VOWELS[vowel.toLowerCase()] ?? ""));
  const missing = Math.max(0, Math.ceil(text.trim().length * 1.4) - accented.trim().length);
  // No language has words without an end.
  const more = "é".repeat(missing).replace(/é{7}(?=é)/g, "$& ");
  return accented.replace(/([^\W\d_]|[^\x00-\x7f])(\W*)$/u, `$1${more}$2`);
}

/** The texts of a Fluent file in the language. @param {string} fluent */
export function pseudoFluent(fluent) {
  /** Placeables stay as they are. @param {string} text */
  const outside = (text) => text.split(/(\{[^{}]*\}|\{[^{}]*$|\})/).map((part) => (/^[{}]/.test(part) ? part : pseudoText(part))).join("");
  return fluent.split("\n").map((line) => {
    if (line.startsWith("#")) return line;
    const [, head = "", text = line] = /^(-?[a-z][\w-]* *= *|\s+\*?\[[^\]]+\] *|\s+\.[\w-]+ *= *|\s+)(.*)$/.exec(line) ?? [];
    return head + outside(text);
  }).join("\n");
}

/** The modules of the page. @returns {{ name: string, code: string }[]} */
export function modules() {
  return readdirSync(PAGE, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js") && !name.startsWith("vendor") && name !== "sw.js")
    .map((name) => ({ name, code: readFileSync(PAGE + name, "utf8") }));
}

/** Strings of a module that are written for people. @param {string} code */
export function spoken(code) {
  const plain = code.replace(/\/\*[^]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "").replace(/\s\/\/ .*$/gm, "");
  // Errors are for developers.
  const shown = plain.replace(/new (Type)?Error\([^\n]*/g, "").replace(/console\.\w+\([^\n]*/g, "");
  const strings = [...shown.matchAll(/"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/g)].map(([, plain, template]) => plain ?? template ?? "");
  return strings.filter((text) => {
    const words = text.replace(/\$\{[^}]*\}/g, "{}");
    return /\b[A-Z][a-z]+,?( \{\})? [a-z]+/.test(words) || /\b[a-z]{2,} [a-z]{2,} [a-z]{2,} .*[.!?…]/.test(words);
  }).concat([...shown.matchAll(/\bh\([^()]*, "([A-Z][a-z]{2,})"/g)].map(([, text]) => text ?? "")).concat([...shown.matchAll(/(?:"aria-label"|placeholder|title|alt): "([^"]*[a-z]{3,}[^"]*)"/g)].map(([, text]) => text ?? ""));
}
