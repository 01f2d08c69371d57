// The account: sign up, log in, and what belongs to it. Passwords, codes and tokens are never
// kept by the page; the session is a cookie that no script can read.

import { Waiting, playerName } from "../parts/basics.js";
import { confirm } from "../parts/dialog.js";
import { Email } from "../parts/email.js";
import { change, copy, dateText, refusalSentence, request, saveFile, shown, useAnswer, useTitle, useWho } from "../parts/load.js";
import { storeSettings } from "../parts/preferences.js";
import { PushChoice, withoutPush } from "../parts/push.js";
import { FeedAddress, Webhook } from "../parts/webhook.js";
import { line, mutes, say, sessionChanged, settings, show, toggleMute } from "../state.js";
import { h, signal, useEffect, useRef, useState } from "../vendor/library.js";

/** @typedef {import("../../types/api").TokenList} TokenList */
/** @typedef {import("../../types/api").MadeToken} MadeToken */
/** @typedef {import("../../types/api").BlockList} BlockList */
/** @typedef {import("../../types/messages").Player} Player */
/** @typedef {import("../../types/api").OwnReports} OwnReports */
/** @template T @typedef {import("../parts/load.js").Asked<T>} Asked */
/** @typedef {"recovery" | "token" | "webhook" | "feed"} SecretKind */
/** @typedef {{ value: any } | { trouble: string, code: string }} Done */

/** What is sent only once, until the player says that they have kept it. */
const secret = signal(/** @type {{ kind: SecretKind, text: string } | undefined} */ (undefined));

export function AccountPage() {
  const { isKnown, player, isAccount } = useWho();
  useTitle(say("account-title"));
  return h("div", { class: "page stack" },
    h("h1", null, say("account-title")),
    secret.value ? h(Secret, { kind: secret.value.kind, text: secret.value.text })
      : !isKnown ? h(Waiting, { skeleton: "page-skeleton" })
      : player && isAccount ? h(Own, { player }) : h(Strangers, { player }));
}

/**
 * A code or token that must be kept before the page goes on.
 * @param {{ kind: SecretKind, text: string }} props
 */
function Secret({ kind, text }) {
  const [isKept, setKept] = useState(false);
  const title = useRef(/** @type {HTMLElement | null} */ (null));
  const isOther = kind === "webhook" || kind === "feed";
  const heading = isOther ? say(`${kind}-secret`) : say("secret-title", { kind });
  useEffect(() => {
    title.current?.focus();
    const stay = (/** @type {Event} */ event) => event.preventDefault();
    addEventListener("beforeunload", stay);
    return () => removeEventListener("beforeunload", stay);
  }, []);
  return h("section", { class: "card stack narrow" },
    h("h2", { ref: title, tabindex: -1 }, heading),
    h("p", null, isOther ? say(`${kind}-secret-text`) : say("secret-text", { kind })),
    h("output", { class: "link-field secret", "aria-label": heading }, text),
    h("div", { class: "row-of" },
      h("button", { class: "button main", onClick: () => void copy(text, say("secret-copied")) }, say("secret-copy"))),
    h("label", { class: "check" },
      h("input", { type: "checkbox", checked: isKept, onChange: () => setKept(!isKept) }), say("secret-kept")),
    h("div", null, h("button", { class: "button", disabled: !isKept, onClick: () => (secret.value = undefined) }, say("secret-done"))));
}

/** For those without an account. @param {{ player: Player | undefined }} props */
function Strangers({ player }) {
  const [isForgotten, setForgotten] = useState(false);
  return h("div", { class: "stack" },
    player ? h(Guest, { player }) : h("p", { class: "muted lead" }, say("account-lead")),
    h("div", { class: "columns" },
      h(SignUp, { isGuest: player !== undefined }),
      isForgotten ? h(Recover, { back: () => setForgotten(false) }) : h(LogIn, { isGuest: player !== undefined, forgot: () => setForgotten(true) })),
    player ? h("div", { class: "columns" }, h(Blocks, {}), h(Mutes, {}), h(Reports, {})) : null);
}

/** What a guest has, and loses. @param {{ player: Player }} props */
function Guest({ player }) {
  return h("section", { class: "card stack tight" },
    h("h2", null, say("guest-title", { name: player.name })),
    h("p", null, say("guest-text")),
    h("ul", { class: "points" }, ["guest-loses-browser", "guest-loses-ratings", "guest-loses-games", "guest-loses-deployments"].map((one) =>
      h("li", { key: one }, say(one)))),
    h("div", null, h("button", { class: "button compact", onClick: () => void logOut(true) }, say("guest-leave"))));
}

/**
 * A form that is sent once, and says what was wrong.
 * @param {{ title: string, button: string, send: (fields: Record<string, string>) => Promise<Done>, done?: (value: any) => void, isDanger?: boolean,
 *   isMain?: boolean, children?: any, foot?: any }} props
 */
function Form({ title, button, send, done, isDanger = false, isMain = false, children, foot }) {
  const [trouble, setTrouble] = useState("");
  const [isBusy, setBusy] = useState(false);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const fields = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    setBusy(true);
    const answer = await send(fields);
    setBusy(false);
    setTrouble("trouble" in answer ? answer.trouble : "");
    if ("trouble" in answer) return;
    form.reset();
    done?.(answer.value);
  };
  return h("form", { class: "card stack tight account-form", onSubmit: submit, "aria-label": title },
    h("h2", null, title),
    children,
    h("p", { class: "trouble small", role: "alert" }, trouble),
    h("div", { class: "row-of" },
      h("button", { class: `button ${isDanger ? "danger" : isMain ? "main" : ""}`, disabled: isBusy, "aria-busy": isBusy }, button), foot));
}

/**
 * @param {{ name: string, label: string, type?: string, complete: string, least?: number, most: number, hint?: string }} props
 */
function Field({ name, label, type = "text", complete, least, most, hint }) {
  return h("label", { class: "field" }, h("span", null, label),
    h("input", {
      name, type, required: true, minlength: least, maxlength: most, autocomplete: complete, spellcheck: false, autocapitalize: "off",
    }),
    hint ? h("small", { class: "muted" }, hint) : null);
}

/** @param {{ isNew: boolean, label?: string, name?: string }} props */
function Password({ isNew, label = say("password"), name = "password" }) {
  return h(Field, {
    name, label, type: "password", complete: isNew ? "new-password" : "current-password", most: 256,
    ...(isNew ? { least: 8, hint: say("password-hint") } : {}),
  });
}

/** @param {Record<string, unknown>} body */
async function begin(body) {
  const answer = /** @type {Done} */ (await change("POST", "/api/session", body));
  return answer;
}

/** A session has begun, perhaps with a code to keep. @param {import("../../types/api").SessionInfo} info */
function begun({ recovery_code: code }) {
  if (code) secret.value = { kind: "recovery", text: code };
  sessionChanged();
}

/** @param {{ isGuest: boolean }} props */
function SignUp({ isGuest }) {
  return h(Form, {
    title: say("sign-up"), button: say("sign-up"), isMain: true,
    send: ({ name, password }) => begin({ name, password, sign_up: true }),
    done: begun,
  },
    h("p", { class: "muted small" }, say(isGuest ? "sign-up-guest" : "sign-up-text")),
    h(Field, { name: "name", label: say("account-name"), complete: "username", least: 2, most: 20, hint: say("account-name-hint") }),
    h(Password, { isNew: true }));
}

/** @param {{ isGuest: boolean, forgot: () => void }} props */
function LogIn({ isGuest, forgot }) {
  return h(Form, {
    title: say("log-in"), button: say("log-in"),
    send: ({ name, password }) => begin({ name, password }),
    done: sessionChanged,
    foot: h("button", { class: "button plain compact", type: "button", onClick: forgot }, say("forgot")),
  },
    isGuest ? h("p", { class: "muted small" }, say("log-in-guest")) : null,
    h(Field, { name: "name", label: say("account-name"), complete: "username", most: 20 }),
    h(Password, { isNew: false }));
}

/** Sets a new password with the recovery code. @param {{ back: () => void }} props */
function Recover({ back }) {
  return h(Form, {
    title: say("recover"), button: say("recover-do"),
    send: ({ name, recovery_code, password }) => begin({ name, recovery_code, password }),
    done: begun,
    foot: h("button", { class: "button plain compact", type: "button", onClick: back }, say("recover-back")),
  },
    h("p", { class: "muted small" }, say("recover-text")),
    h(Field, { name: "name", label: say("account-name"), complete: "username", most: 20 }),
    h(Field, { name: "recovery_code", label: say("recovery-code-label"), complete: "off", most: 64 }),
    h(Password, { isNew: true, label: say("password-new") }));
}

/** @param {{ player: Player }} props */
function Own({ player }) {
  return h("div", { class: "stack" },
    h("section", { class: "card row-of spread" },
      h("div", null, h("strong", null, playerName(player)), h("div", { class: "small row-of" }, h("a", { href: `/@/${player.name}` }, say("account-profile")), h("a", { href: "/statistics" }, say("statistics")))),
      h("button", { class: "button", onClick: () => void logOut(false) }, say("log-out"))),
    h("div", { class: "columns" },
      h(Form, {
        title: say("password-change"), button: say("password-change"), done: () => show(say("password-changed")),
        send: ({ password, new_password: fresh }) => change("POST", "/api/account/password", { password, new_password: fresh }),
      },
        h("p", { class: "muted small" }, say("password-change-text")),
        h(Password, { isNew: false, label: say("password-old") }),
        h(Password, { isNew: true, label: say("password-new"), name: "new_password" })),
      h(Form, {
        title: say("recovery"), button: say("recovery-new"),
        send: ({ password }) => change("POST", "/api/account/recovery_code", { password }),
        done: ({ recovery_code: code }) => (secret.value = { kind: "recovery", text: code }),
      },
        h("p", { class: "muted small" }, say("recovery-text")),
        h(Password, { isNew: false })),
      h(Blocks, {}), h(Mutes, {}), h(Reports, {})),
    h("div", { class: "columns" }, h(PushChoice, { player: player.id }), h(Email, {})),
    h(Tokens, { player }),
    h("div", { class: "columns" }, h(Webhook, { keep }), h(FeedAddress, { keep })),
    h("div", { class: "columns" },
      h("section", { class: "card stack tight" },
        h("h2", null, say("export")),
        h("p", { class: "muted small" }, say("export-text")),
        h("div", null, h("button", { class: "button", onClick: () => void saveExport(player.name) }, say("export-do")))),
      h(Form, { title: say("account-delete"), button: say("account-delete"), isDanger: true, send: deleteAccount, done: leftBehind },
        h("p", { class: "muted small" }, say("account-delete-text")),
        h(Password, { isNew: false }))));
}

/** @param {"webhook" | "feed"} kind @param {string} text */
function keep(kind, text) {
  secret.value = { kind, text };
}

/** @param {boolean} isGuest */
async function logOut(isGuest) {
  if (isGuest && !await confirm({ title: say("guest-leave-ask"), text: say("guest-leave-text"), yes: say("guest-leave"), isDanger: true })) return;
  const done = /** @type {Done} */ (await withoutPush(line.value.player?.id, () => change("DELETE", "/api/session")));
  if ("trouble" in done) return show(done.trouble);
  leftBehind();
}

/**
 * The session has ended, and with it what this device kept. The settings tell nothing of a player,
 * and stay.
 */
function leftBehind() {
  storeSettings(settings.peek());
  sessionChanged();
}

/** @param {Record<string, string>} fields @returns {Promise<Done>} */
async function deleteAccount({ password }) {
  if (!await confirm({ title: say("account-delete-ask"), text: say("account-delete-text"), yes: say("account-delete"), isDanger: true })) {
    return { trouble: say("account-kept"), code: "" };
  }
  const done = /** @type {Done} */ (await withoutPush(line.value.player?.id, () => change("DELETE", "/api/account", { password })));
  if (!("trouble" in done)) await request("DELETE", "/api/session");
  return done;
}

/** @param {string} name */
async function saveExport(name) {
  const answer = /** @type {import("../parts/load.js").Answer<object>} */ (await request("GET", "/api/account"));
  if ("refusal" in answer) return show(refusalSentence(answer.refusal));
  saveFile(`flagfall-${name}.json`, `${JSON.stringify(answer.value, undefined, 2)}\n`, "application/json");
}

/** Where the account is logged in, and tokens for programs. @param {{ player: Player }} props */
function Tokens({ player }) {
  const asked = /** @type {Asked<TokenList>} */ (useAnswer("/api/tokens"));
  /** @param {string} id @param {string} name */
  const revoke = async (id, name) => {
    if (!await confirm({ title: say("token-revoke-ask", { name }), text: say("token-revoke-text"), yes: say("token-revoke"), isDanger: true })) return;
    const done = await change("DELETE", `/api/tokens/${id}`);
    show("trouble" in done ? done.trouble : say("token-revoked"));
    asked.again();
  };
  return h("section", { class: "card stack tight" },
    h("h2", null, say("tokens")),
    h("p", { class: "muted small" }, say("tokens-text")),
    shown(asked, ({ tokens }) => h("ul", { class: "list" }, named(tokens).map(({ id, name, scope, created, current }) => h("li", { key: id },
      h("div", null,
        h("strong", null, name),
        h("div", { class: "muted small" }, [say("token-scope", { scope }), say("token-since", { date: dateText(created) }), ...(current ? [say("token-current")] : [])].join(" · "))),
      current ? null : h("button", { class: "button compact", "aria-label": say("token-revoke-one", { name }), onClick: () => void revoke(id, name) }, say("token-revoke"))))), "line-skeleton"),
    h("details", null, h("summary", null, say("token-new")), h(Form, {
      title: say("token-new"), button: say("token-make"),
      send: ({ name, scope, password }) => change("POST", "/api/tokens", { name, password, ...(scope ? { scope } : {}) }),
      done: (/** @type {MadeToken} */ { token }) => (secret.value = { kind: "token", text: String(token) }),
    },
      h(Field, { name: "name", label: say("token-name"), complete: "off", most: 40, hint: say("token-name-hint") }),
      player.kind === "bot" ? h("label", { class: "field" }, h("span", null, say("token-scope-label")),
        h("select", { name: "scope" }, ["bot", "play"].map((scope) => h("option", { key: scope, value: scope }, say("token-scope", { scope }))))) : null,
      h(Password, { isNew: false }))));
}

/** The name that the server gives to a guest's token. */
const GUEST = "guest";

/** Tokens with names for people: an account that began as a guest has the guest's token, its first. @param {TokenList["tokens"]} tokens */
function named(tokens) {
  const first = Math.min(...tokens.map(({ created }) => created));
  return tokens.map((token) => (token.name === GUEST && token.created === first ? { ...token, name: say("token-guest") } : token));
}

/** Blocked players. */
function Blocks() {
  const asked = /** @type {Asked<BlockList>} */ (useAnswer("/api/blocks"));
  /** @param {string} name */
  const unblock = async (name) => {
    const done = await change("DELETE", `/api/blocks/${name}`);
    show("trouble" in done ? done.trouble : say("unblocked", { name }));
    asked.again();
  };
  return h("section", { class: "card stack tight" },
    h("h2", null, say("blocks")),
    h("p", { class: "muted small" }, say("blocks-text")),
    shown(asked, ({ players }) => (players.length === 0 ? h("p", null, say("blocks-empty"))
      : h("ul", { class: "list" }, players.map((player) => h("li", { key: player.id },
        h("a", { href: `/@/${player.name}` }, playerName(player)),
        h("button", { class: "button compact", "aria-label": say("unblock-one", { name: player.name }), onClick: () => void unblock(player.name) }, say("unblock")))))), "line-skeleton"));
}

/** Players whose talk this device hides. */
function Mutes() {
  return h("section", { class: "card stack tight" },
    h("h2", null, say("mutes")),
    h("p", { class: "muted small" }, say("mutes-text")),
    mutes.value.length === 0 ? h("p", null, say("mutes-empty"))
      : h("ul", { class: "list" }, mutes.value.map((mute) => h("li", { key: mute.id },
        h("div", null, h("a", { href: `/@/${mute.name}` }, mute.name), h("div", { class: "muted small" }, say("token-since", { date: dateText(mute.since) }))),
        h("button", { class: "button compact", "aria-label": say("unmute-one", { name: mute.name }), onClick: () => toggleMute(mute) }, say("unmute"))))));
}

/** The player's reports, and what became of them. */
function Reports() {
  const asked = /** @type {Asked<OwnReports>} */ (useAnswer("/api/me/reports"));
  return h("section", { class: "card stack tight" },
    h("h2", null, say("reports")),
    h("p", { class: "muted small" }, say("reports-text")),
    shown(asked, ({ reports }) => reports.length === 0 ? h("p", null, say("reports-empty"))
      : h("ul", { class: "list" }, reports.map(({ game, at, reported, reason, state }) => h("li", { key: game },
        h("div", null,
          h("strong", null, reported.name), h("div", { class: "muted small" }, say("report-at", { date: dateText(at) })),
          h("div", { class: "small" }, reason),
          h("div", { class: "small" }, h("b", { class: state === "open" ? "muted" : "" }, say("report-state", { state })))),
        h("a", { class: "button compact", href: `/replay/${game}` }, say("game-replay"))))), "line-skeleton"));
}
