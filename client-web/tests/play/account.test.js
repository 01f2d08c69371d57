// The account: signing up with the guest's games, logging in and out, codes, tokens, deletion.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { PASSWORD, api, newAccount, openAs } from "../accounts.js";
import { newPage, picture } from "../browser.js";
import { chromium, server } from "../site.js";

/** @typedef {import("playwright-core").Page} Page */

/** @param {Page} page @param {string} name */
const form = (page, name) => page.getByRole("form", { name, exact: true });

/** Keeps the code that is shown once, and returns it. @param {Page} page */
async function keepSecret(page) {
  const field = page.locator(".secret");
  await field.waitFor();
  assert.ok(await page.getByRole("button", { name: "Go on" }).isDisabled());
  const code = await field.innerText();
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), code);
  await page.getByLabel("I have saved it or written it down").check();
  await page.getByRole("button", { name: "Go on" }).click();
  await field.waitFor({ state: "detached" });
  return code;
}

const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

test("a guest signs up and keeps the game; the code is shown once; all of it can be undone", async () => {
  const { page, faults, context } = await newPage(chromium, CLIPBOARD);
  await page.goto(`${server.url}/account`);
  await page.getByRole("heading", { name: "Sign up" }).waitFor();
  await picture(page, "account-nobody", true);
  await page.goto(server.url);
  await page.getByRole("button", { name: /Against the house/ }).click();
  await page.waitForURL(/\/game\//);
  const game = page.url();
  await page.goto(`${server.url}/account`);
  await page.getByRole("heading", { name: /You play as a guest/ }).waitFor();
  await picture(page, "account-guest", true);
  const signUp = form(page, "Sign up");
  await signUp.getByLabel("Name").fill("carol");
  await signUp.getByLabel("Password").fill("password1");
  await signUp.getByRole("button", { name: "Sign up" }).click();
  await signUp.getByRole("alert").getByText(/.+/).waitFor();
  await signUp.getByLabel("Password").fill(PASSWORD);
  await signUp.getByRole("button", { name: "Sign up" }).click();
  await page.locator(".secret").waitFor();
  await picture(page, "account-code", true);
  await page.setViewportSize({ width: 360, height: 740 });
  assert.ok(await page.locator(".secret").evaluate((code) => code.scrollWidth <= code.clientWidth), "all of it is seen");
  await picture(page, "account-code-phone");
  await page.setViewportSize({ width: 1280, height: 800 });
  const first = await keepSecret(page);
  await page.getByRole("link", { name: "Your page, as others see it" }).waitFor();
  await page.getByRole("banner").getByText("carol").waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Devices and programs" }).waitFor();
  assert.ok(!(await page.content()).includes(first), "the code is shown once");
  assert.equal(await page.evaluate(() => document.cookie), "");
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), []);
  await page.getByText("this browser").waitFor();
  await page.getByText("The browser where you began as a guest").waitFor();
  await picture(page, "account", true);
  for (const [size, viewport] of /** @type {const} */ ([["phone", { width: 360, height: 740 }], ["tablet", { width: 820, height: 1180 }]])) {
    await page.setViewportSize(viewport);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), size);
    await picture(page, `account-${size}`, true);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  // The guest's game is the account's.
  await page.goto(game);
  await page.getByRole("button", { name: "Random" }).waitFor();
  await page.getByRole("button", { name: "Call off" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Call off" }).click();
  await page.locator(".phase-over").waitFor();
  await page.goto(`${server.url}/account`);
  // A token for a program.
  await page.locator("summary", { hasText: "New token for a program" }).click();
  await form(page, "New token for a program").getByLabel("Name of the token").fill("lab");
  await form(page, "New token for a program").getByLabel("Password").fill(PASSWORD);
  await form(page, "New token for a program").getByRole("button", { name: "Make the token" }).click();
  const token = await keepSecret(page);
  assert.equal((await api(server.address, token, "/api/me")).player.name, "carol");
  await page.getByRole("button", { name: "Revoke lab" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke lab" }).waitFor({ state: "detached" });
  assert.equal((await api(server.address, token, "/api/me")).code, "bad_token");
  // A new code, and a new password.
  await form(page, "Recovery code").getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Make a new code" }).click();
  const second = await keepSecret(page);
  assert.notEqual(second, first);
  await form(page, "Change the password").getByLabel("Current password").fill(PASSWORD);
  await form(page, "Change the password").getByLabel("New password").fill(`${PASSWORD} 2`);
  await page.getByRole("button", { name: "Change the password" }).click();
  await page.getByText("The password is changed.").waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as a file" }).click();
  const exported = await (await download).path();
  assert.equal(JSON.parse(readFileSync(exported, "utf8")).player.name, "carol");
  // Out, and in again with the recovery code.
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  await page.getByRole("banner").getByRole("link", { name: "Account" }).waitFor();
  await form(page, "Log in").getByLabel("Name").fill("carol");
  await form(page, "Log in").getByLabel("Password").fill(PASSWORD);
  await form(page, "Log in").getByRole("button", { name: "Log in" }).click();
  await form(page, "Log in").getByRole("alert").getByText(/Wrong name or password/).waitFor();
  await page.getByRole("button", { name: "Forgot your password?" }).click();
  const recover = form(page, "Set a new password");
  await recover.getByLabel("Name").fill("carol");
  await recover.getByLabel("Recovery code").fill(second);
  await recover.getByLabel("New password").fill(`${PASSWORD} 3`);
  await recover.getByRole("button", { name: "Set the password" }).click();
  assert.notEqual(await keepSecret(page), second);
  await page.getByRole("heading", { name: "Devices and programs" }).waitFor();
  await page.getByText("this browser").waitFor();
  assert.equal(await page.getByRole("button", { name: /^Revoke/ }).count(), 0, "nothing is left of the recovery");
  // The end.
  const remove = form(page, "Delete the account");
  await remove.getByLabel("Password").fill(`${PASSWORD} 3`);
  await remove.getByRole("button", { name: "Delete the account" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete the account" }).click();
  await page.getByRole("heading", { name: "Sign up" }).waitFor();
  assert.equal((await fetch(`http://${server.address}/api/players/carol`)).status, 404);
  assert.equal(await page.locator(".bar").count(), 0);
  assert.deepEqual(faults.filter((fault) => !/40[0-9]/.test(fault)), []);
  await context.close();
});

test("two tabs have one session", async () => {
  await newAccount(server.address, "dave");
  const { page, faults, context } = await newPage(chromium);
  const second = await context.newPage();
  for (const tab of [page, second]) {
    await tab.goto(`${server.url}/account`);
    await tab.getByRole("heading", { name: "Log in" }).waitFor();
  }
  await form(page, "Log in").getByLabel("Name").fill("dave");
  await form(page, "Log in").getByLabel("Password").fill(PASSWORD);
  await form(page, "Log in").getByRole("button", { name: "Log in" }).click();
  for (const tab of [page, second]) await tab.getByRole("heading", { name: "Devices and programs" }).waitFor();
  await second.getByRole("button", { name: "Log out" }).click();
  for (const tab of [page, second]) {
    await tab.getByRole("heading", { name: "Log in" }).waitFor();
    await tab.locator(".bar").waitFor({ state: "detached" });
  }
  assert.deepEqual(faults.filter((fault) => !/40[0-9]/.test(fault)), []);
  await context.close();
});

test("an account that is logged out elsewhere is forgotten on this device, and can log in again", async () => {
  const token = await newAccount(server.address, "gina");
  const { page, context } = await openAs(chromium, server, token);
  await page.goto(server.url);
  await page.getByRole("banner").getByRole("link", { name: "gina" }).waitFor();
  await fetch(`${server.url}/api/logout`, { method: "POST", headers: { Authorization: `Bearer ${token}` } });
  const bar = page.locator(".bar");
  await bar.getByText("You were logged out elsewhere.").waitFor();
  await page.getByRole("banner").getByRole("link", { name: "Account" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  await page.goto(server.url);
  await page.getByText("Nobody is playing right now.").waitFor();
  await context.close();

  const other = await openAs(chromium, server, await newAccount(server.address, "hugo"));
  await other.page.goto(server.url);
  await other.page.getByRole("banner").getByRole("link", { name: "hugo" }).waitFor();
  const [{ value } = { value: "" }] = await other.context.cookies();
  await fetch(`${server.url}/api/logout`, { method: "POST", headers: { Authorization: `Bearer ${value}` } });
  await other.page.getByRole("button", { name: "Log in" }).click();
  await other.page.waitForURL(/\/account$/);
  await form(other.page, "Log in").getByLabel("Name").fill("hugo");
  await form(other.page, "Log in").getByLabel("Password").fill(PASSWORD);
  await form(other.page, "Log in").getByRole("button", { name: "Log in" }).click();
  await other.page.getByRole("heading", { name: "Devices and programs" }).waitFor();
  assert.equal(await other.page.locator(".bar").count(), 0);
  await other.context.close();
});

test("an account keeps deployments, takes over those of the device, and lists blocked players", async () => {
  const token = await newAccount(server.address, "erin");
  await newAccount(server.address, "frank");
  const { page, faults, context } = await openAs(chromium, server, token);
  await page.addInitScript(() => {
    if (localStorage.getItem("done")) return;
    localStorage.setItem("done", "1");
    localStorage.setItem("deployments", JSON.stringify([{ ruleset: "classic", name: "old", setup: "939492493956691S9575574BB7668B88BF7B88B9" }]));
  });
  await page.goto(`${server.url}/deployments`);
  await page.getByText("1 deployment is saved on this device only.").waitFor();
  await page.getByRole("button", { name: "Move to the account" }).click();
  await page.getByRole("link", { name: "old" }).waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem("deployments")), null);
  await page.goto(`${server.url}/deployments/barrage`);
  await page.getByRole("button", { name: "Suggest" }).click();
  await page.locator(".tray-piece:enabled").first().waitFor({ state: "detached" });
  await page.getByLabel("Name").fill("quick");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/\/barrage\/quick$/);
  const { deployments } = await api(server.address, token, "/api/me/deployments");
  assert.deepEqual(deployments.map((/** @type {any} */ { name }) => name).sort(), ["old", "quick"]);
  await page.reload();
  await page.locator(".piece").first().waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("link", { name: "old" }).waitFor();
  assert.equal((await api(server.address, token, "/api/me/deployments")).deployments.length, 1);
  await page.goto(`${server.url}/@/frank`);
  await page.getByRole("button", { name: "Block" }).click();
  await page.getByRole("button", { name: "Unblock" }).waitFor();
  await page.goto(`${server.url}/account`);
  await page.getByRole("button", { name: "Unblock frank" }).click();
  await page.getByText("You have not blocked anyone.").waitFor();
  // A feed is removed only where there is one.
  const feed = page.locator("section", { has: page.getByRole("heading", { name: "Feed", exact: true }) });
  await feed.locator("summary").click();
  await feed.getByText("You have no feed.").waitFor();
  assert.equal(await feed.getByRole("button").count(), 1);
  await feed.getByRole("button", { name: "Make an address" }).click();
  await page.getByLabel("I have saved it or written it down").check();
  await page.getByRole("button", { name: "Go on" }).click();
  await feed.locator("summary").click();
  await feed.getByRole("button", { name: "Remove the feed" }).click();
  await feed.getByText("You have no feed.").waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});
