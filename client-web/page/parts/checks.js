// What this browser has checked of a record, and what it cannot check.

import { BROWSER, checkRecord, readSeen } from "../game/proof.js";
import { moreWords, readApi, refusalText, say } from "../state.js";
import { h, useEffect, useState } from "../vendor/library.js";
import { Waiting } from "./basics.js";

/** @typedef {import("../../types/messages").GameRecord} GameRecord */
/** @typedef {import("../game/proof.js").Finding} Finding */
/** @typedef {{ findings: Finding[], isOwn: boolean } | { trouble: string }} Checked */

/**
 * @param {GameRecord} record @param {boolean} isStored True if it is of this server. @returns {Promise<Checked>}
 */
async function check(record, isStored) {
  if (!crypto.subtle) return { trouble: say("check-needs-https") };
  // The signature covers what everybody saw.
  const seen = isStored ? await readSeen(record, readApi) : { body: undefined };
  if ("refusal" in seen) return { trouble: refusalText(seen.refusal) };
  const isSigned = Boolean(record.outcome && (seen.body ?? record).signature);
  const keys = isSigned ? await readApi("/api/keys") : { body: { keys: [] } };
  if ("refusal" in keys) return { trouble: refusalText(keys.refusal) };
  return { findings: await checkRecord(record, seen.body, keys.body.keys, BROWSER), isOwn: isStored };
}

/** @param {{ record: GameRecord, isStored: boolean }} props */
export function Checks({ record, isStored }) {
  const [checked, setChecked] = useState(/** @type {Checked | undefined} */ (undefined));
  useEffect(() => {
    let isCurrent = true;
    setChecked(undefined);
    void Promise.all([check(record, isStored), moreWords()]).then(([found]) => isCurrent && setChecked(found));
    return () => {
      isCurrent = false;
    };
  }, [record]);
  if (!checked) return h(Waiting, { skeleton: "lines" });
  if ("trouble" in checked) return h("p", { class: "small", role: "alert" }, checked.trouble);
  return h("div", { class: "stack tight small", role: "status" },
    h("ul", { class: "stack tight" }, checked.findings.map(({ check, result, why }) => h("li", { key: check, class: `finding ${result}` },
      h("strong", null, say("check-result", { result })), " ", say(`check-${check}`, { result, why: why ?? "none" })))),
    h("p", { class: "muted" }, say("check-not")),
    checked.isOwn ? null : h("p", { class: "muted" }, say("check-file")));
}
