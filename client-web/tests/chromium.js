// Chromium, for the tests of the file that imports this.

import { after } from "node:test";
import { launch } from "./browser.js";

export const chromium = await launch();
after(() => chromium.close());
