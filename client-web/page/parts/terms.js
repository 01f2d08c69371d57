// Terms of games in words.

import { meaningsOf } from "../game/rules.js";
import { rulesFor, say } from "../state.js";

/** @typedef {import("../../types/messages").Terms} Terms */
/** @typedef {import("../../types/messages").Time} Time */

/** @param {Time} time */
export function timeText(time) {
  switch (time.kind) {
    case "unlimited": return say("time-unlimited");
    case "fischer": return say("time-fischer", { minutes: minutes(time.base_s), seconds: time.increment_s });
    case "delay": return say("time-delay", { minutes: minutes(time.base_s), seconds: time.free_s });
    case "correspondence": return say("time-days", { days: time.days });
  }
}

/** @param {number} seconds */
function minutes(seconds) {
  return seconds % 60 === 0 ? String(seconds / 60) : (seconds / 60).toFixed(1);
}

/** @param {string} ruleset */
export function rulesetTitle(ruleset) {
  const rules = rulesFor(ruleset);
  if (!rules) return ruleset;
  return ruleset === rules.id ? rules.title : say("custom-title", { title: rules.title });
}

/** What a custom game changes, one sentence part each. @param {string} ruleset */
export function changesText(ruleset) {
  const rules = rulesFor(ruleset);
  return rules ? meaningsOf(rules, ruleset) : [];
}

/** @param {Terms} terms */
export function termsText(terms) {
  return say("terms", {
    ruleset: rulesetTitle(terms.ruleset),
    time: timeText(terms.time),
    rated: terms.rated ? "yes" : "no",
    private: terms.private ? "yes" : "no",
    secret: terms.secret ? "yes" : "no",
  });
}
