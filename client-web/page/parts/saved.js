// Suggested and saved deployments in a game, loaded when they are asked for.

import { readSetup } from "../game/hand.js";
import { line, say, show } from "../state.js";
import { choose } from "./dialog.js";
import { savedOnDevice } from "./library.js";
import { refusalSentence, request, suggestionsAt } from "./load.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../../types/api").SuggestedDeployments} SuggestedDeployments */
/** @typedef {import("../../types/messages").Side} Side */
/** @typedef {import("../game/setups.js").Saved} Saved */
/** @typedef {import("../table/deploying.js").Deploying} Deploying */

/**
 * Fills a deployment as house players do.
 * @param {Deploying} deploying @param {Rules} rules @param {Side} side
 */
export async function suggestInto(deploying, rules, side) {
  const answer = /** @type {import("./load.js").Answer<SuggestedDeployments>} */ (await request("GET", suggestionsAt(rules.id)));
  if ("refusal" in answer) return show(refusalSentence(answer.refusal));
  deploying.change(readSetup(answer.value.setups[0] ?? "", rules, side));
}

/** Lets the player choose one of the saved deployments. @param {Deploying} deploying @param {Rules} rules @param {Side} side */
export async function openSaved(deploying, rules, side) {
  const kind = line.value.player?.kind;
  const all = kind === "account" || kind === "bot" ? await savedOnline() : savedOnDevice();
  if (!all) return;
  const saved = all.filter(({ ruleset }) => ruleset === rules.id);
  const chosen = await choose({
    title: say("saved-title"), ...(saved.length === 0 ? { text: say("saved-empty") } : {}),
    options: saved.map((one) => ({ value: one, label: one.name })),
  });
  if (chosen) deploying.change(readSetup(chosen.setup, rules, side));
}

/** @returns {Promise<readonly Saved[] | undefined>} */
async function savedOnline() {
  const answer = /** @type {import("./load.js").Answer<{ deployments: Saved[] }>} */ (await request("GET", "/api/me/deployments"));
  if (!("refusal" in answer)) return answer.value.deployments;
  show(refusalSentence(answer.refusal));
  return undefined;
}
