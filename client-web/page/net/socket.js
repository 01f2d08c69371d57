// Carries out what the line wants done: the WebSocket, the timers, and what the browser tells.

import { newLine, step, wakeAt } from "./line.js";

/** @typedef {import("./line.js").Line} Line */
/** @typedef {import("./line.js").Input} Input */
/** @typedef {import("./line.js").Effect} Effect */

/**
 * Connects to the server of this page and stays connected.
 * @param {{ changed: (line: Line) => void, effect: (effect: Effect) => void }} listener
 */
export function openLine(listener) {
  let line = newLine(Date.now());
  /** @type {WebSocket | undefined} */
  let socket;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** @param {Input} what */
  function input(what) {
    const after = step(line, what, { now: Date.now(), random: Math.random() });
    line = after.line;
    // Listeners find the line as it is after the effect.
    listener.changed(line);
    after.effects.forEach(carryOut);
    clearTimeout(timer);
    const at = wakeAt(line);
    if (at < Infinity) timer = setTimeout(() => input({ kind: "tick" }), Math.max(20, at - Date.now()));
  }

  /** @param {Effect} effect */
  function carryOut(effect) {
    switch (effect.kind) {
      case "connect": return connect();
      case "disconnect": return disconnect();
      case "send": return socket?.readyState === WebSocket.OPEN ? socket.send(JSON.stringify(effect.message)) : undefined;
      default: return listener.effect(effect);
    }
  }

  function connect() {
    const url = new URL("/ws", location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const opened = new WebSocket(url);
    socket = opened;
    // A socket that was replaced is not heard any more.
    opened.onopen = () => socket === opened && input({ kind: "opened" });
    opened.onclose = (event) => socket === opened && input({ kind: "closed", code: event.code });
    opened.onmessage = (event) => socket === opened && input({ kind: "message", message: JSON.parse(event.data) });
  }

  function disconnect() {
    const old = socket;
    socket = undefined;
    // With code 1000 or none, the server would take it for leaving on purpose.
    old?.close(4999);
  }

  addEventListener("online", () => input({ kind: "online" }));
  addEventListener("offline", () => input({ kind: "offline" }));
  addEventListener("pageshow", (event) => event.persisted && input({ kind: "shown" }));
  document.addEventListener("visibilitychange", () =>
    input({ kind: document.visibilityState === "hidden" ? "hidden" : "shown" }));
  input({ kind: "tick" });

  return {
    /** @param {Input} what */
    input: (what) => input(what),
    /** Asks the server for a change, and returns the id of the command. @param {import("./line.js").Request} request */
    ask(request) {
      const id = crypto.randomUUID();
      input({ kind: "ask", request, id });
      return id;
    },
    get line() {
      return line;
    },
  };
}
