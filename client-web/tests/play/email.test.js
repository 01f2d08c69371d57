// Notices by e-mail: the address on the account's page, and the pages to which links in mails lead.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import test, { after } from "node:test";
import { newAccount, openAs } from "../accounts.js";
import { newPage, picture } from "../browser.js";
import { chromium } from "../chromium.js";
import { Server } from "../programs.js";

/** The mails that a mail server on loopback has taken. @type {string[]} */
const mails = [];
/** @type {(() => void)[]} */
const waiting = [];

const relay = createServer((line) => {
  let rest = "";
  let isMail = false;
  line.setEncoding("utf8");
  line.write("220 relay.example.org ESMTP\r\n");
  line.on("data", (text) => {
    rest += text;
    for (;;) {
      const end = isMail ? "\r\n.\r\n" : "\r\n";
      const at = rest.indexOf(end);
      if (at < 0) return;
      const part = rest.slice(0, at);
      rest = rest.slice(at + end.length);
      if (isMail) {
        mails.push(part.replaceAll("=\r\n", "").replaceAll("=3D", "="));
        waiting.splice(0).forEach((tell) => tell());
      }
      line.write(isMail ? "250 Kept\r\n" : part === "DATA" ? "354 Go on\r\n" : "250 OK\r\n");
      isMail = !isMail && part === "DATA";
    }
  });
  line.on("error", () => undefined);
});
await new Promise((resolve) => relay.listen(0, "127.0.0.1", () => resolve(undefined)));
const { port } = /** @type {import("node:net").AddressInfo} */ (relay.address());
const server = new Server();
await server.start();
// Only a server that has started knows its port, and with it its public address.
await server.kill();
server.flags.push("--smtp", `smtp://127.0.0.1:${port}`, "--mail-from", "Flagfall <mail@example.org>", "--public-url", server.url);
await server.start();
after(() => Promise.all([server.end(), relay.close()]));

/** The path of a link in the mail that comes next, or has come. @param {string} path */
async function linkIn(path) {
  while (mails.length === 0) await new Promise((resolve) => waiting.push(() => resolve(undefined)));
  const found = new RegExp(`${path}[\\w/]+`).exec(mails.shift() ?? "")?.[0];
  assert.ok(found, `a link to ${path}`);
  return found;
}

test("an address is set, confirmed by a form, and removed", async () => {
  const token = await newAccount(server.address, "ida");
  const { page, faults, context } = await openAs(chromium, server, token);
  await page.goto(`${server.url}/account`);
  const section = page.locator("section", { has: page.getByRole("heading", { name: "E-mail", exact: true }) });
  await section.getByText("No address is set.").waitFor();
  await section.getByLabel("E-mail address").fill("ida@example.org");
  await section.getByRole("button", { name: "Set the address" }).click();
  await section.getByText("ida@example.org is not confirmed yet.").waitFor();
  await picture(page, "account-email", true);
  const link = await linkIn("/mail/confirm/");
  await section.getByRole("button", { name: "Send the confirmation again" }).click();
  const other = await linkIn("/mail/confirm/");
  assert.notEqual(link, other);
  // The mail is read in a browser that has no session.
  const reader = await newPage(chromium);
  await reader.page.goto(server.url + link);
  await reader.page.getByText("Should ida@example.org get a mail whenever it is the turn of ida").waitFor();
  await picture(reader.page, "mail-confirm");
  await reader.page.getByRole("button", { name: "Yes, send these mails" }).click();
  await reader.page.getByRole("heading", { name: "The address is confirmed" }).waitFor();
  await picture(reader.page, "mail-confirmed");
  assert.deepEqual(reader.faults, []);
  await reader.page.goto(server.url + other);
  await reader.page.getByRole("heading", { name: "This link is not valid any more" }).waitFor();
  await reader.context.close();
  await page.reload();
  await section.getByText("Mails go to ida@example.org.").waitFor();
  assert.equal(await section.getByRole("button", { name: "Send the confirmation again" }).count(), 0);
  await section.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await section.getByText("No address is set.").waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});
