// Notices of turns in games by mail, for programs: the account's webhook and its feed.

import { say, show } from "../state.js";
import { h, useState } from "../vendor/library.js";
import { confirm } from "./dialog.js";
import { change, dateText, useAnswer, waiting } from "./load.js";

/** @typedef {import("../../types/api").WebhookInfo} WebhookInfo */
/** @typedef {import("../../types/api").WebhookAttempt} WebhookAttempt */
/** @typedef {import("../../types/api").WebhookSet} WebhookSet */
/** @typedef {import("../../types/api").MadeFeed} MadeFeed */
/** @template T @typedef {import("./load.js").Asked<T>} Asked */

/** A secret that the server sends once. @typedef {(kind: "webhook" | "feed", text: string) => void} Keep */

const PATH = "/api/me/webhook";
const FEED = "/api/me/feed";

/** @param {{ keep: Keep }} props */
export function Webhook({ keep }) {
  // A webhook is looked for only when somebody asks: most accounts have none.
  const [isOpen, setOpen] = useState(false);
  return h("section", { class: "card stack tight" },
    h("h2", null, say("webhook")),
    h("p", { class: "muted small" }, say("webhook-text")),
    h("details", { onToggle: (/** @type {any} */ event) => setOpen(event.target.open) },
      h("summary", null, say("webhook-open")), isOpen ? h(Settings, { keep }) : null));
}

/** @param {{ keep: Keep }} props */
function Settings({ keep }) {
  const asked = /** @type {Asked<WebhookInfo>} */ (useAnswer(PATH));
  const isNone = asked.refusal?.code === "no_such_webhook";
  if (!isNone && (asked.value === undefined || asked.refusal)) return waiting(asked, "line-skeleton");
  const info = isNone ? undefined : asked.value;
  const remove = async () => {
    if (!await confirm({ title: say("webhook-remove-ask"), yes: say("webhook-remove"), isDanger: true })) return;
    const done = await change("DELETE", PATH);
    show("trouble" in done ? done.trouble : say("webhook-removed"));
    asked.again();
  };
  return h("div", { class: "stack tight" },
    info ? h("div", { class: "stack tight small", role: "status" }, linesOf(info).map((text) => h("p", { key: text }, text))) : h("p", { class: "small" }, say("webhook-none")),
    h(Address, { before: info?.url ?? "", keep, done: asked.again }),
    info ? h("div", { class: "row-of" }, h(Test, { done: asked.again }),
      h("button", { class: "button compact danger", onClick: remove }, say("webhook-remove"))) : null);
}

/** What is known of a webhook, in sentences. @param {WebhookInfo} info */
function linesOf({ url, created, active, lost, waiting: count, last }) {
  return [
    say("webhook-is", { url, date: dateText(created) }),
    ...(active ? [] : [say("webhook-off", { count: lost })]),
    last ? say("webhook-last", { date: new Date(last.at).toLocaleString(document.documentElement.lang), delivered: last.delivered ? "yes" : "no", result: last.result })
      : say("webhook-unused"),
    ...(count > 0 ? [say("webhook-waiting", { count })] : []),
  ];
}

/** Sets the address. @param {{ before: string, keep: Keep, done: () => void }} props */
function Address({ before, keep, done }) {
  const [url, setUrl] = useState(before);
  const [trouble, setTrouble] = useState("");
  const [isBusy, setBusy] = useState(false);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    const set = /** @type {{ value: WebhookSet } | { trouble: string, code: string }} */ (await change("PUT", PATH, { url: url.trim() }));
    setBusy(false);
    setTrouble("trouble" in set ? set.trouble : "");
    if ("trouble" in set) return;
    done();
    keep("webhook", String(set.value.secret));
  };
  return h("form", { class: "stack tight", onSubmit: submit, "aria-label": say("webhook") },
    h("label", { class: "field" }, h("span", null, say("webhook-address")),
      h("input", { type: "url", required: true, maxlength: 500, value: url, autocomplete: "off", onInput: (/** @type {any} */ event) => setUrl(event.target.value) })),
    h("p", { class: "trouble small", role: "alert" }, trouble),
    h("div", null, h("button", { class: "button compact", disabled: isBusy, "aria-busy": isBusy }, say(before ? "webhook-change" : "webhook-set"))));
}

/** Sends a test. @param {{ done: () => void }} props */
function Test({ done }) {
  const [isBusy, setBusy] = useState(false);
  const test = async () => {
    setBusy(true);
    const tried = /** @type {{ value: WebhookAttempt } | { trouble: string, code: string }} */ (await change("POST", `${PATH}/test`));
    setBusy(false);
    if ("trouble" in tried) show(tried.trouble);
    else show(say("webhook-tested", { delivered: tried.value.delivered ? "yes" : "no", result: tried.value.result }));
    done();
  };
  return h("button", { class: "button compact", disabled: isBusy, "aria-busy": isBusy, onClick: test }, say("webhook-test"));
}

/** @param {{ keep: Keep }} props */
export function FeedAddress({ keep }) {
  // As with the webhook, most accounts have none.
  const [isOpen, setOpen] = useState(false);
  return h("section", { class: "card stack tight" },
    h("h2", null, say("feed")),
    h("p", { class: "muted small" }, say("feed-text")),
    h("details", { onToggle: (/** @type {any} */ event) => setOpen(event.target.open) },
      h("summary", null, say("feed-open")), isOpen ? h(FeedSettings, { keep }) : null));
}

/** @param {{ keep: Keep }} props */
function FeedSettings({ keep }) {
  const [isBusy, setBusy] = useState(false);
  const asked = /** @type {Asked<import("../../types/api").FeedInfo>} */ (useAnswer(FEED));
  if (asked.value === undefined) return waiting(asked, "line-skeleton");
  const exists = asked.value.exists ? "yes" : "no";
  const make = async () => {
    setBusy(true);
    const made = /** @type {{ value: MadeFeed } | { trouble: string, code: string }} */ (await change("POST", FEED));
    setBusy(false);
    if ("trouble" in made) show(made.trouble);
    else keep("feed", new URL(String(made.value.path), location.origin).href);
  };
  const remove = async () => {
    const done = await change("DELETE", FEED);
    show("trouble" in done ? done.trouble : say("feed-removed"));
    asked.again();
  };
  return h("div", { class: "stack tight" },
    h("p", { class: "small", role: "status" }, say("feed-state", { exists })),
    h("div", { class: "row-of" },
      h("button", { class: "button compact", disabled: isBusy, "aria-busy": isBusy, onClick: make }, say("feed-make", { exists })),
      exists === "yes" ? h("button", { class: "button compact danger", onClick: remove }, say("feed-remove")) : null));
}
