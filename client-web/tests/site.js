// A server, the page in front of it, and Chromium, for the tests of the file that imports this.

import { after, before } from "node:test";
import { launch } from "./browser.js";
import { Server } from "./programs.js";
import { serve } from "./serve.mjs";

export const server = new Server();
/** @type {Awaited<ReturnType<typeof serve>>} */
export let front;
/** @type {import("playwright-core").Browser} */
export let chromium;

before(async () => {
  await server.start();
  front = await serve({ port: 0, server: server.address });
  chromium = await launch();
});
after(async () => {
  await chromium?.close();
  front?.close();
  await server.end();
});
