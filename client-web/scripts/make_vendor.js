// Makes page/vendor/: Preact with hooks and signals, and Fluent, as one file, from the versions
// in the lock file.
//
//     npm ci && node scripts/make_vendor.js

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = new URL("../", import.meta.url);
const VENDOR = new URL("page/vendor/", ROOT);

/** The packages in the file, and the names that the page uses of them. */
const PACKAGES = [
  { name: "preact", exports: "h, render, Fragment, createContext, createRef" },
  {
    name: "preact/hooks",
    exports: "useContext, useEffect, useLayoutEffect, useMemo, useRef, useState, useCallback, useId",
  },
  {
    name: "@preact/signals",
    exports: "signal, computed, effect, batch, untracked, useSignal, useComputed, useSignalEffect, Signal",
  },
  { name: "@fluent/bundle", exports: "FluentBundle, FluentResource" },
];

/** The packages whose licences apply: those above, and what they bring along. */
const LICENSED = ["preact", "@preact/signals", "@preact/signals-core", "@fluent/bundle"];

/** The files of page/vendor/ by their names. */
export async function makeVendor() {
  const types = PACKAGES.map(({ name, exports }) => `export { ${exports} } from ${JSON.stringify(name)};\n`);
  const result = await build({
    stdin: { contents: types.join(""), resolveDir: fileURLToPath(ROOT), loader: "js" },
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    legalComments: "none",
    write: false,
  });
  const code = result.outputFiles[0]?.text ?? "";
  const versions = LICENSED.map((name) => `${name} ${version(name)}`).join(", ");
  const note = `// ${versions}. Licenses: library.licenses.txt.\n`
    + "// Made by `npm run make-vendor`. Do not edit.\n";
  return new Map([
    ["library.js", note + code],
    ["library.d.ts", `// Made by \`npm run make-vendor\`. Do not edit.\n${types.join("")}`],
    ["library.licenses.txt", LICENSED.map(license).join("\n")],
  ]);
}

/** @param {string} name */
function version(name) {
  return JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, ROOT), "utf8")).version;
}

/** @param {string} name */
function license(name) {
  const text = NO_LICENSE_FILE.has(name) ? APACHE : readFileSync(new URL(`node_modules/${name}/LICENSE`, ROOT), "utf8");
  return `${name} ${version(name)}\n\n${text}`;
}

/** Fluent's package names its license, Apache-2.0, without the text. It is the one of Flagfall. */
const NO_LICENSE_FILE = new Set(["@fluent/bundle"]);
const APACHE = readFileSync(new URL("../LICENSE", ROOT), "utf8");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, text] of await makeVendor()) writeFileSync(new URL(name, VENDOR), text);
}
