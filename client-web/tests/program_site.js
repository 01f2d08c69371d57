// Chromium and a server that sends the page that it was built with, for the tests of the file that
// imports this. Unlike a page from a folder, it is compressed, and browsers keep it.

import { after } from "node:test";
import { Server } from "./programs.js";

export { chromium } from "./chromium.js";

export const server = new Server({ page: "program" });
await server.start();
after(() => server.end());
