// The settings, as a page.

import { useTitle } from "../parts/load.js";
import { NoticeChoices } from "../parts/notices.js";
import { Groups, Language } from "../parts/settings.js";
import { say, settings } from "../state.js";
import { h, useEffect, useRef } from "../vendor/library.js";

export function SettingsPage() {
  useTitle(say("settings"));
  const spoken = useRef(settings.peek().language).current;
  const isOther = settings.value.language !== spoken;
  // Everything is said anew in another language.
  useEffect(() => () => {
    if (settings.peek().language !== spoken) location.reload();
  }, []);
  return h("div", { class: "page stack" },
    h("h1", null, say("settings")),
    h("p", { class: "muted lead" }, say("settings-lead")),
    h("div", { class: "columns" },
      h("section", { class: "card stack tight" },
        h(Language, { later: say("settings-language-page") }),
        isOther ? h("div", null, h("button", { class: "button compact main", onClick: () => location.reload() }, say("settings-language-now"))) : null),
      h(Groups, { look: "card" }),
      h("section", { class: "card stack tight" },
        h(NoticeChoices, {}),
        h("p", { class: "muted small" }, say("settings-push"), " ", h("a", { href: "/account" }, say("nav-account"))))));
}
