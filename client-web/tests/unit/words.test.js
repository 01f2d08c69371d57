// Every language has the texts that English has, with the same arguments and its own plural forms.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { FluentResource } from "@fluent/bundle";
import { Words, chooseLanguage } from "../../page/words.js";
import { languages } from "../texts.js";

/** The folders with languages in them. */
const FOLDERS = ["shared/words", "client-web/words", "client-cli/words"];
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * What a text takes and offers. `forms`: for each choice by number, the plural forms that it has.
 * @typedef {{ arguments: string[], attributes: string[], forms: string[][] }} Needs
 */

/** The texts of a folder by their file and id. @param {string} folder @returns {Map<string, any>} */
function textsOf(folder) {
  const found = new Map();
  for (const file of readdirSync(ROOT + folder)) {
    const text = readFileSync(`${ROOT}${folder}/${file}`, "utf8");
    const parsed = new FluentResource(text).body;
    const ids = [...text.matchAll(/^(-?[a-z][\w-]*) *=/gm)].map(([, id]) => id);
    assert.deepEqual(parsed.map(({ id }) => id), ids, `${folder}/${file} is valid Fluent`);
    for (const entry of parsed) found.set(`${file} ${entry.id}`, entry);
  }
  return found;
}

/**
 * Looks through a text and the texts that it refers to.
 * @param {any} entry @param {Map<string, any>} all By their ids. @returns {Needs}
 */
function needsOf(entry, all) {
  /** @type {Set<string>} */
  const names = new Set();
  /** @type {string[][]} */
  const forms = [];
  /** @param {any} node @param {boolean} isOwn */
  const walk = (node, isOwn) => {
    if (Array.isArray(node)) return node.forEach((part) => walk(part, isOwn));
    if (!node || typeof node !== "object") return;
    if (node.type === "var") names.add(node.name);
    if (node.type === "mesg") walk(all.get(node.name)?.value, false);
    if (node.type === "select" && isOwn) {
      const keys = node.variants.map((/** @type {any} */ { key }) => String(key.value));
      if (keys.some((/** @type {string} */ key) => ["one", "few", "many"].includes(key))) forms.push(keys);
    }
    Object.values(node).forEach((part) => walk(part, isOwn));
  };
  walk(entry.value, true);
  walk(Object.values(entry.attributes), true);
  return { arguments: [...names].sort(), attributes: Object.keys(entry.attributes).sort(), forms };
}

/** @param {Iterable<Map<string, any>>} maps */
const byId = (maps) => new Map([...maps].flatMap((map) => [...map.values()].map((entry) => /** @type {const} */ ([entry.id, entry]))));

/** Every folder in one language: `-more` is part of the language. @param {string} language */
function foldersOf(language) {
  return FOLDERS.flatMap((folder) => readdirSync(ROOT + folder)
    .filter((name) => name === language || name === `${language}-more`).map((name) => ({ folder, name })));
}

for (const language of languages().filter((language) => language !== "en")) {
  test(`${language} has the texts of English, with the same arguments and all plural forms`, () => {
    const pairs = foldersOf("en").map(({ folder, name }) => ({ folder, english: name, other: name.replace(/^en/, language) }))
      // A client that has not learned a language speaks English.
      .filter(({ folder }) => readdirSync(ROOT + folder).includes(language));
    const english = pairs.map(({ folder, english }) => textsOf(`${folder}/${english}`));
    const others = pairs.map(({ folder, other }) => textsOf(`${folder}/${other}`));
    const [allEnglish, allOthers] = [byId(english), byId(others)];
    const plurals = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const [index, { folder, other }] of pairs.entries()) {
      const [from = new Map(), to = new Map()] = [english[index], others[index]];
      assert.deepEqual([...to.keys()].sort(), [...from.keys()].sort(), `${folder}/${other}`);
      for (const [id, entry] of from) {
        const [wanted, found] = [needsOf(entry, allEnglish), needsOf(to.get(id), allOthers)];
        assert.deepEqual(found.arguments, wanted.arguments, `${folder}/${other}: ${id}`);
        assert.deepEqual(found.attributes, wanted.attributes, `${folder}/${other}: ${id}`);
        for (const keys of found.forms) {
          // Only fractions are `other` in Russian, and nothing here counts those.
          const missing = plurals.filter((form) => form !== "other" && !keys.includes(form));
          assert.deepEqual(missing, [], `${folder}/${other}: ${id}`);
        }
      }
    }
  });
}

test("the language is the first wanted one that there is", () => {
  const known = ["en", "pt", "pt-br", "ru"];
  assert.equal(chooseLanguage(["ru-RU", "en"], known), "ru");
  assert.equal(chooseLanguage(["de", "pt-BR"], known), "pt-br");
  assert.equal(chooseLanguage(["pt-PT"], known), "pt");
  assert.equal(chooseLanguage(["de-AT", "fr"], known), "en");
  assert.equal(chooseLanguage([], known), "en");
});

test("a text that a language lacks is said in English, with English plurals", () => {
  const count = "{ $count ->\n    [one] 1 game\n   *[other] { $count } games\n  }";
  const words = new Words("ru", `own = Своё\n### en\nlacks = ${count}\n`);
  assert.equal(words.say("own"), "Своё");
  assert.equal(words.say("lacks", { count: 21 }), "21 games");
  words.add("### en\nmore = More\n");
  assert.ok(words.has("lacks") && words.has("more") && !words.has("none"));
  assert.equal(words.say("more"), "More");
});

test("what a server says stands in for a text that it gives no values for", () => {
  const words = new Words("ru", "refusal-no-such-game = Нет такой партии.\nrefusal-too-many-games = Не больше { $most } партий.");
  assert.equal(words.sayOr("refusal-no-such-game", "There is no such game."), "Нет такой партии.");
  assert.equal(words.sayOr("refusal-too-many-games", "At most 4 games.", { most: 4 }), "Не больше 4 партий.");
  assert.equal(words.sayOr("refusal-too-many-games", "At most 4 games."), "At most 4 games.");
  assert.equal(words.sayOr("refusal-of-tomorrow", "Not today.", { most: 4 }), "Not today.");
});
