// Settings come along with an account: from the device where it began to others and back, without a
// link too.

import assert from "node:assert/strict";
import test from "node:test";
import { PASSWORD } from "../accounts.js";
import { newPage, picture } from "../browser.js";
import { chromium, server } from "../site.js";

/** @typedef {import("playwright-core").Page} Page */

/** @param {Page} page @param {string} name */
const form = (page, name) => page.getByRole("form", { name, exact: true });

/** @param {Page} page */
const openSettings = async (page) => {
  await page.goto(`${server.url}/settings`);
  await page.getByRole("heading", { level: 1 }).waitFor();
};

/** The account has got a change. @param {Page} page */
const sent = (page) => page.waitForResponse((answer) => answer.request().method() === "PATCH" && answer.ok());

/** @param {Page} page @param {string} look */
const looks = (page, look) => page.locator(`html${look}`).waitFor({ state: "attached" });

test("settings come along to another device, also those that were changed before the account or without a link", async () => {
  const first = await newPage(chromium, { locale: "en-US" });
  const { page } = first;
  await openSettings(page);
  await page.getByText("Settings are kept on this device").waitFor();
  await page.getByLabel("Light or dark").selectOption("dark");
  await page.goto(`${server.url}/account`);
  await form(page, "Sign up").getByLabel("Name").fill("sam");
  await form(page, "Sign up").getByLabel("Password").fill(PASSWORD);
  await Promise.all([sent(page), form(page, "Sign up").getByRole("button", { name: "Sign up" }).click()]);

  const second = await newPage(chromium, { locale: "en-US" });
  const other = second.page;
  await other.goto(`${server.url}/account`);
  await form(other, "Log in").getByLabel("Name").fill("sam");
  await form(other, "Log in").getByLabel("Password").fill(PASSWORD);
  await form(other, "Log in").getByRole("button", { name: "Log in" }).click();
  await looks(other, "[data-theme=dark]");
  await openSettings(other);
  await other.getByText("Settings are kept in your account and on this device").waitFor();
  await picture(other, "settings-account", true);
  await Promise.all([sent(other), other.getByLabel("Squares of the board").selectOption("green")]);

  await openSettings(page);
  await looks(page, "[data-theme=dark][data-board=green]");
  // What the page loads with the first focus cannot be loaded later.
  await Promise.all([page.waitForResponse(/focus\.js$/), page.getByLabel("Sounds").focus()]);
  await first.context.setOffline(true);
  await page.getByLabel("What pieces show").selectOption("large");
  await page.getByLabel("Sounds").uncheck();
  assert.deepEqual(await page.evaluate(() => JSON.parse(localStorage.getItem("unsent-settings") ?? "").names), ["print", "sound"]);
  await Promise.all([sent(page), first.context.setOffline(false)]);
  await Promise.all([sent(page), page.getByLabel("Language").selectOption({ label: "Русский" })]);
  assert.equal(await page.evaluate(() => localStorage.getItem("unsent-settings")), null);

  // The account brings another language, which is spoken from the next load on.
  await openSettings(other);
  await other.getByRole("button", { name: "Change it now" }).waitFor();
  assert.deepEqual(await Promise.all([
    other.locator("html").getAttribute("lang"), other.getByLabel("What pieces show").inputValue(), other.getByLabel("Sounds").isChecked(),
  ]), ["en", "large", false]);
  await other.goto(`${server.url}/account`);
  await looks(other, "[lang=ru]");
  // Without the account, the device keeps what it shows.
  await other.getByRole("button", { name: "Выйти", exact: true }).click();
  await form(other, "Войти").waitFor();
  await openSettings(other);
  await other.getByText("Хранятся на этом устройстве").waitFor();
  await looks(other, "[lang=ru][data-theme=dark][data-board=green]");
  for (const { faults, context } of [first, second]) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});
