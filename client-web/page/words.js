// What the page says. The texts are Fluent files. A text that a language lacks is said in English; one
// that is missing shows its name.

import { FluentBundle, FluentResource } from "./vendor/library.js";

/** @typedef {Record<string, string | number>} Args */

const ENGLISH = "en";
/** What the language lacks follows this line. */
const LACKS = "\n### en\n";

export class Words {
  #own;
  #english = bundle(ENGLISH);

  /** @param {string} language @param {string} texts */
  constructor(language, texts) {
    this.language = language;
    this.#own = bundle(language);
    this.add(texts);
  }

  /** @param {string} texts */
  add(texts) {
    const [own = "", english = ""] = `\n${texts}`.split(LACKS);
    this.#own.addResource(new FluentResource(own));
    this.#english.addResource(new FluentResource(english));
  }

  /** @param {string} id */
  has(id) {
    return this.#own.hasMessage(id) || this.#english.hasMessage(id);
  }

  /** @param {string} id @param {Args} [args] @returns {string} */
  say(id, args = {}) {
    const { text, errors } = this.#format(id, args);
    if (errors.length > 0) console.warn(`${id}: ${errors.map((error) => error.message).join("; ")}`);
    return text;
  }

  /** A text; or what the server says, if the text is missing or a value of it. @param {string} id @param {string} server @param {Args} [args] */
  sayOr(id, server, args = {}) {
    const { text, errors } = this.#format(id, args);
    return !this.has(id) || errors.length > 0 ? server : text;
  }

  /** @param {string} id @param {Args} args @returns {{ text: string, errors: Error[] }} */
  #format(id, args) {
    const bundle = this.#own.hasMessage(id) ? this.#own : this.#english;
    const pattern = bundle.getMessage(id)?.value;
    /** @type {Error[]} */
    const errors = [];
    return { text: pattern ? bundle.formatPattern(pattern, args, errors) : id, errors };
  }
}

/** @param {string} language */
function bundle(language) {
  return new FluentBundle(language, { useIsolating: false });
}

export function languages() {
  return (document.documentElement.dataset.languages ?? ENGLISH).split(" ");
}

/** `pt-BR` is content with `pt`. @param {readonly string[]} wanted @param {readonly string[]} known */
export function chooseLanguage(wanted, known) {
  const tags = wanted.map((tag) => tag.toLowerCase()).flatMap((tag) => [tag, tag.split("-")[0] ?? tag]);
  return tags.find((tag) => known.includes(tag)) ?? ENGLISH;
}

/** Loads the texts of a language that every page needs. @param {string} language */
export async function loadWords(language) {
  try {
    return new Words(language, await load(language));
  } catch (error) {
    // Offline, a language may not be on the device.
    if (language === ENGLISH) throw error;
    return loadWords(ENGLISH);
  }
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
