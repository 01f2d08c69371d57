// Makes the PNG icons in `page/icons` from `flagfall.svg`. Browsers of phones want them to install
// the page. Needs Chromium; the icons are checked in.
//
//     node scripts/make_icons.js

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch } from "../tests/browser.js";

const FOLDER = fileURLToPath(new URL("../page/icons/", import.meta.url));
/** `padding`: the part of the width around the picture. A maskable icon is cut to any shape. */
const ICONS = [
  { name: "flagfall-192", size: 192, padding: 0, ground: "transparent" },
  { name: "flagfall-512", size: 512, padding: 0, ground: "transparent" },
  { name: "maskable-512", size: 512, padding: 0.2, ground: "#f2efe7" },
];

const picture = readFileSync(`${FOLDER}flagfall.svg`, "utf8");
const chromium = await launch();
try {
  const page = await chromium.newPage();
  for (const { name, size, padding, ground } of ICONS) {
    await page.setViewportSize({ width: size, height: size });
    const pixels = size * padding;
    await page.setContent(`<body style="margin:0;background:${ground}"><div style="padding:${pixels}px;width:${size - 2 * pixels}px">${picture}</div>`);
    writeFileSync(`${FOLDER}${name}.png`, await page.screenshot({ omitBackground: true }));
  }
} finally {
  await chromium.close();
}
