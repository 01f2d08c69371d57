// The settings, as a page.

import { useTitle, useWho } from "../parts/load.js";
import { spoken } from "../parts/preferences.js";
import { Groups, Language, NoticeChoices } from "../parts/settings.js";
import { say, settings } from "../state.js";
import { h, useEffect, useRef } from "../vendor/library.js";

export function SettingsPage() {
  useTitle(say("settings"));
  const { isAccount } = useWho();
  const isOther = settings.value.language !== spoken;
  const isChosen = useRef(false);
  // Everything is said anew in another language. If the account brought it, that waits for the
  // next load: a game may begin just now.
  useEffect(() => () => {
    if (isChosen.current && settings.peek().language !== spoken) location.reload();
  }, []);
  return h("div", { class: "page stack" },
    h("h1", null, say("settings")),
    h("p", { class: "muted lead" }, say("settings-lead", { kept: isAccount ? "account" : "device" })),
    h("div", { class: "columns" },
      h("section", { class: "card stack tight" },
        h(Language, { later: say("settings-language-page"), chosen: () => (isChosen.current = true) }),
        isOther ? h("div", null, h("button", { class: "button compact main", onClick: () => location.reload() }, say("settings-language-now"))) : null),
      h(Groups, { look: "card" }),
      h("section", { class: "card stack tight" },
        h(NoticeChoices, {}),
        h("p", { class: "muted small" }, say("settings-push"), " ", h("a", { href: "/account" }, say("nav-account"))))));
}
