// An address that the page does not know.

import { useTitle } from "../parts/load.js";
import { say } from "../state.js";
import { h } from "../vendor/library.js";

export function UnknownPage() {
  useTitle(say("unknown-title"));
  return h("div", { class: "page stack narrow" },
    h("h1", null, say("unknown-title")),
    h("p", { class: "muted" }, say("unknown-text")),
    h("a", { class: "button main", href: "/" }, say("to-home")));
}
