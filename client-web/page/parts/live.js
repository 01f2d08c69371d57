// Live games that a page looks on at, over the one line, drawn at most once in a while.

import { line, onNews, tell } from "../state.js";
import { effect, useEffect, useRef, useState } from "../vendor/library.js";

/** @typedef {import("../net/line.js").Line} Line */
/** @typedef {import("../game/follow.js").LoadedGame} LoadedGame */
/** @typedef {import("../../types/messages").GameEvent} GameEvent */
/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").GameSummary} GameSummary */

/**
 * The line as it is, at most once in so many milliseconds.
 * @param {number} pause @returns {Line}
 */
export function useLineEvery(pause) {
  const [shown, setShown] = useState(() => line.peek());
  useEffect(() => {
    let drawnAt = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const draw = () => {
      timer = undefined;
      drawnAt = Date.now();
      setShown(line.peek());
    };
    const stop = effect(() => {
      void line.value;
      timer ??= setTimeout(draw, Math.max(0, drawnAt + pause - Date.now()));
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [pause]);
  return shown;
}

/**
 * Keeps these games open while they are named. Never one's own: that would take its seat here.
 * @param {readonly string[]} ids
 */
export function useOpenGames(ids) {
  const open = useRef(/** @type {Set<string>} */ (new Set()));
  useEffect(() => {
    for (const id of open.current) if (!ids.includes(id)) tell({ kind: "close_game", game: id });
    for (const id of ids) if (!open.current.has(id)) tell({ kind: "open_game", game: id });
    open.current = new Set(ids);
  }, [ids.join()]);
  useEffect(() => () => {
    for (const id of open.current) tell({ kind: "close_game", game: id });
    open.current = new Set();
  }, []);
}

/**
 * A live game's view, at most once in so many milliseconds. `event` led to it from the view
 * before; without it, more has happened than one event.
 * @param {string} id @param {number} pause
 * @returns {{ loaded: LoadedGame, event: GameEvent | undefined } | undefined}
 */
export function useLiveGame(id, pause) {
  /** @returns {LoadedGame | undefined} */
  const now = () => line.peek().games[id]?.loaded;
  const [shown, setShown] = useState(/** @type {{ loaded: LoadedGame, event: GameEvent | undefined } | undefined} */ (undefined));
  useEffect(() => {
    let drawnAt = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    /** @type {GameEvent[]} */
    let events = [];
    let hasGap = false;
    const draw = () => {
      const loaded = now();
      timer = undefined;
      drawnAt = Date.now();
      setShown(loaded && { loaded, event: events.length === 1 && !hasGap ? events[0] : undefined });
      events = [];
      hasGap = false;
    };
    const stop = onNews((news) => {
      if (news.game !== id || news.kind === "said") return;
      if (news.kind === "event") events.push(news.event);
      else hasGap = true;
      timer ??= setTimeout(draw, Math.max(0, drawnAt + pause - Date.now()));
    });
    if (now()) draw();
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [id, pause]);
  return shown;
}
