// Chromium and a server that sends the page of this folder, for the tests of the file that imports
// this.

import { after } from "node:test";
import { Server } from "./programs.js";

export { chromium } from "./chromium.js";

export const server = new Server();
await server.start();
after(() => server.end());
