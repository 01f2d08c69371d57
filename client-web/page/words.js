// What the page says. The texts are Fluent files; a missing text shows its name.

import { FluentBundle, FluentResource } from "./vendor/library.js";

/** @typedef {Record<string, string | number>} Args */

export class Words {
  #bundle;

  /** @param {string} language @param {string} texts */
  constructor(language, texts) {
    this.language = language;
    this.#bundle = new FluentBundle(language, { useIsolating: false });
    this.#bundle.addResource(new FluentResource(texts));
  }

  /** @param {string} texts */
  add(texts) {
    this.#bundle.addResource(new FluentResource(texts));
  }

  /** @param {string} id */
  has(id) {
    return this.#bundle.hasMessage(id);
  }

  /** @param {string} id @param {Args} [args] @returns {string} */
  say(id, args = {}) {
    const pattern = this.#bundle.getMessage(id)?.value;
    if (!pattern) return id;
    /** @type {Error[]} */
    const errors = [];
    const text = this.#bundle.formatPattern(pattern, args, errors);
    if (errors.length > 0) console.warn(`${id}: ${errors.map((error) => error.message).join("; ")}`);
    return text;
  }
}

/** Loads the texts of a language that every page needs. @param {string} language */
export async function loadWords(language) {
  return new Words(language, await load(language));
}

/** Loads the texts that only some pages need. @param {Words} words */
export async function loadMore(words) {
  words.add(await load(`${words.language}-more`));
}

/** @param {string} name */
async function load(name) {
  const answer = await fetch(new URL(`./words/${name}.ftl`, import.meta.url));
  if (!answer.ok) throw new Error(`no texts: ${answer.status}`);
  return answer.text();
}
