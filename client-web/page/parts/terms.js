// The clock of an offer, in a form.

import { clockCode, speedOf } from "../game/rules.js";
import { allowed, readClock } from "../game/setups.js";
import { say } from "../state.js";
import { h } from "../vendor/library.js";
import { timeText } from "./basics.js";

/** @typedef {import("../../types/messages").Time} Time */

/**
 * A clock in a form. `preset`: its code, or `own` if the numbers count, which are as typed.
 * @typedef {{ preset: string, kind: Exclude<Time["kind"], "unlimited">, minutes: string, seconds: string, days: string }} ClockChoice
 */

const PRESETS = ["none", "3+2", "10+5", "15+10", "20d10", "3days"];
const KINDS = /** @type {const} */ (["fischer", "delay", "correspondence"]);

/** The choice of a clock. @param {Time} time @returns {ClockChoice} */
export function clockChoice(time) {
  const code = clockCode(time);
  const isTimed = time.kind === "fischer" || time.kind === "delay";
  return {
    preset: PRESETS.includes(code) ? code : "own",
    kind: time.kind === "unlimited" ? "fischer" : time.kind,
    minutes: isTimed ? String(Math.round(time.base_s / 0.6) / 100) : "10",
    seconds: time.kind === "fischer" ? String(time.increment_s) : time.kind === "delay" ? String(time.free_s) : "5",
    days: time.kind === "correspondence" ? String(time.days) : "3",
  };
}

/** The clock that is chosen. Undefined if the server would not take it. @param {ClockChoice} choice @returns {Time | undefined} */
export function timeOf({ preset, kind, minutes, seconds, days }) {
  if (preset !== "own") return readClock(preset);
  // An empty field is not zero.
  const number = (/** @type {string} */ typed) => (typed.trim() === "" ? NaN : Number(typed));
  const base_s = Math.round(number(minutes) * 60);
  switch (kind) {
    case "fischer": return allowed({ kind, base_s, increment_s: number(seconds) });
    case "delay": return allowed({ kind, base_s, free_s: number(seconds) });
    case "correspondence": return allowed({ kind, days: number(days) });
  }
}

/** @param {{ choice: ClockChoice, change: (choice: ClockChoice) => void }} props */
export function ClockField({ choice, change }) {
  const { preset, kind } = choice;
  const time = timeOf(choice);
  const speed = time && speedOf(time);
  /** @param {string} chosen */
  const choose = (chosen) => {
    const time = readClock(chosen);
    change(time ? clockChoice(time) : { ...choice, preset: chosen });
  };
  /** @param {"minutes" | "seconds" | "days"} name */
  const field = (name) => h("label", { class: "field" }, h("span", null, say(`clock-${name}`)),
    h("input", {
      type: "number", step: name === "minutes" ? "any" : 1, min: 0, inputmode: name === "minutes" ? "decimal" : "numeric", value: choice[name],
      "aria-describedby": "clock-bounds", "aria-invalid": time ? undefined : "true",
      onInput: (/** @type {any} */ event) => change({ ...choice, [name]: event.target.value }),
    }));
  return h("div", { class: "stack tight" },
    h("label", { class: "field" }, h("span", null, say("form-time")),
      h("select", { value: preset, onChange: (/** @type {any} */ event) => choose(event.target.value) },
        PRESETS.map((code) => h("option", { key: code, value: code }, timeText(readClock(code) ?? { kind: "unlimited" }))),
        h("option", { value: "own" }, say("clock-own")))),
    preset === "own" ? h("div", { class: "stack tight", role: "group", "aria-label": say("clock-numbers") },
      h("label", { class: "field" }, h("span", null, say("clock-kind")),
        h("select", { value: kind, onChange: (/** @type {any} */ event) => change({ ...choice, kind: event.target.value }) },
          KINDS.map((kind) => h("option", { key: kind, value: kind }, say("clock-kind-option", { kind }))))),
      kind === "correspondence" ? field("days") : h("div", { class: "two" }, field("minutes"), field("seconds")),
      h("small", { id: "clock-bounds", class: time ? "muted" : "trouble", role: time ? undefined : "alert" }, say("clock-bounds", { kind }))) : null,
    h("small", { class: "muted" }, speed ? say("clock-speed", { speed }) : time ? say("clock-no-speed") : ""));
}
