// Looking on: one live game large, others as small boards; without any, the games that ended
// last.

import { Waiting, termsText } from "../parts/basics.js";
import { Losses, PlayerStrip, SeenBoard, TakenRow } from "../parts/boards.js";
import { FinishedList, GameList, finishedOf, useOpenLobby } from "../parts/lists.js";
import { Failed, useAnswer, useTitle, waiting } from "../parts/load.js";
import { SmallBoard } from "../parts/small_board.js";
import { line, onNews, rulesFor, say, tell } from "../state.js";
import { effect, h, useEffect, useRef, useState } from "../vendor/library.js";

/** @typedef {import("../game/follow.js").LoadedGame} LoadedGame */
/** @typedef {import("../../types/messages").GameEvent} GameEvent */
/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").GameSummary} GameSummary */
/** @typedef {import("../net/line.js").Line} Line */
/** @typedef {import("../../types/api").Games} Games */
/** @template T @typedef {import("../parts/load.js").Asked<T>} Asked */

/** Boards are drawn at most once in so many milliseconds. */
const DRAW_MS = 1_000;
/** How long a game that has ended stays large. */
const STAY_MS = 8_000;
/** Small boards; games beyond them are a list. */
const SMALL = 12;
/** Games that ended last, when nobody plays. */
const FINISHED = 10;

export function WatchPage() {
  const shown = useLineEvery(DRAW_MS);
  useTitle(say("watch-title"));
  useOpenLobby();
  const [chosen, setChosen] = useState("");
  const rated = /** @type {Asked<Games>} */ (useAnswer("/api/games?order=rating"));
  // Without an answer, the games stand in the order of the lobby.
  const order = rated.value?.games ?? (rated.refusal ? [] : undefined);
  const running = order ? byRating(runningOf(shown), order) : [];
  const large = useLarge(shown, running, chosen, rated.again);
  const others = running.filter(({ id }) => id !== large);
  const small = others.slice(0, SMALL);
  useOpenGames([...(large ? [large] : []), ...small.map(({ id }) => id)]);
  if ((!shown.lobby || !order) && !large) return h(Frame, {}, h(Waiting, { skeleton: "watch-skeleton" }), h(Waiting, { skeleton: "lines" }));
  if (!large) return h(Frame, {}, h(Nobody, {}));
  return h(Frame, {},
    h(LargeGame, { key: large, id: large, trouble: shown.games[large]?.trouble }),
    h("div", { class: "stack" },
      small.length > 0 ? h("section", { class: "stack tight", "aria-label": say("watch-others") },
        h("h2", null, say("watch-others")),
        h("ul", { class: "small-games" }, small.map((game) =>
          h(SmallGame, { key: game.id, game, shown, choose: () => setChosen(game.id) })))) : null,
      others.length > SMALL ? h("section", { class: "card stack" },
        h("h2", null, say("watch-more")), h(GameList, { games: others.slice(SMALL), empty: "", isOwn: false })) : null,
      h("a", { class: "button", href: "/play" }, say("watch-start"))));
}

/** @param {{ children?: any }} props */
function Frame({ children }) {
  return h("div", { class: "page stack watch" }, h("h1", null, say("watch-title")), children);
}

/** The live games of others: looking on at one's own would take its seat. @param {Line} line */
function runningOf({ lobby, player }) {
  return lobby?.games.filter(({ players }) => players.red.id !== player?.id && players.blue.id !== player?.id) ?? [];
}

/**
 * Games of the highest rated players first; those that have begun since come last, so that no
 * board moves.
 * @param {readonly GameSummary[]} running @param {readonly GameSummary[]} order
 */
function byRating(running, order) {
  const places = new Map(order.map(({ id }, place) => [id, place]));
  const placeOf = (/** @type {GameSummary} */ { id }) => places.get(id) ?? Infinity;
  return [...running].sort((a, b) => (placeOf(a) === placeOf(b) ? 0 : placeOf(a) - placeOf(b)));
}

/**
 * The game that is shown large: the chosen one, or the first that is played. It stays for a
 * moment after its end.
 * @param {Line} shown @param {readonly GameSummary[]} running @param {string} chosen
 * @param {() => void} ended A game that was shown large is over.
 */
function useLarge(shown, running, chosen, ended) {
  const [kept, setKept] = useState("");
  const wanted = running.some(({ id }) => id === chosen) ? chosen : kept;
  const isRunning = running.some(({ id }) => id === wanted);
  const hasEnded = wanted !== "" && !isRunning && shown.games[wanted]?.loaded?.view.phase === "over";
  const first = running.find(({ phase }) => phase === "playing") ?? running[0];
  const next = isRunning || hasEnded ? wanted : first?.id ?? "";
  useEffect(() => setKept(next), [next]);
  useEffect(() => {
    if (!hasEnded) return undefined;
    ended();
    const timer = setTimeout(() => setKept(first?.id ?? ""), STAY_MS);
    return () => clearTimeout(timer);
  }, [hasEnded, wanted, first?.id]);
  return next;
}

/** @param {{ id: string, trouble: import("../state.js").Refusal | undefined }} props */
function LargeGame({ id, trouble }) {
  const live = useLiveGame(id, DRAW_MS);
  const rules = live && rulesFor(live.loaded.game.terms.ruleset);
  const [shown, setShown] = useState(live?.loaded.view);
  if (trouble && !live) return h(Failed, { refusal: trouble, again: () => tell({ kind: "open_game", game: id }) });
  if (!live || !rules) return h(Waiting, { skeleton: "watch-skeleton" });
  const { game, view, presence, left } = live.loaded;
  // What stands around the board does not tell how a strike ends before the board does.
  const seen = shown ?? view;
  /** @param {"red" | "blue"} side */
  const strip = (side) => h(PlayerStrip, {
    side, player: game.players[side], isYou: false, isToAct: seen.phase === "playing" && seen.turn === side,
    presence: presence[side], left: left[side], claimableAt: undefined, clock: view.clock,
    isPaused: view.paused ?? false, isLive: view.phase !== "over",
  });
  const { red, blue } = game.players;
  return h("section", { class: "watch-large", "aria-label": say("game-heading", { red: red.name, blue: blue.name }) },
    strip("blue"), h(TakenRow, { view: seen, side: "blue" }),
    h(SeenBoard, { rules, view, below: "red", event: live.event, shown: setShown }),
    h(TakenRow, { view: seen, side: "red" }), strip("red"),
    h("div", { class: "watch-foot" },
      h("span", { class: "small muted" }, termsText(game.terms), " · ",
        seen.outcome ? say("outcome", { winner: seen.outcome.winner ?? "none", reason: seen.outcome.reason })
          : say("game-ply", { ply: seen.ply, phase: seen.phase })),
      seen.phase === "over" ? h("a", { class: "button compact", href: `/replay/${id}` }, say("replay"))
        : h("a", { class: "button compact", href: `/game/${id}` }, say("watch-open"))),
    h("details", { class: "card" }, h("summary", null, say("replay-losses")), h(Losses, { view: seen, rules })));
}

/** @param {{ game: GameSummary, shown: Line, choose: () => void }} props */
function SmallGame({ game, shown, choose }) {
  const open = shown.games[game.id];
  const view = open?.loaded?.view;
  const rules = rulesFor(game.terms.ruleset);
  const { red, blue } = game.players;
  const names = { red: red.name, blue: blue.name };
  return h("li", { class: "small-game" },
    view && rules
      ? h("button", { onClick: choose, title: say("watch-show", names) },
        h(SmallBoard, { rules, view, label: say("watch-board", { ...names, ply: view.ply }) }))
      : open?.trouble ? null : h("div", { class: "skeleton" }),
    h("a", { class: "small", href: `/game/${game.id}` }, `${red.name} – ${blue.name}`),
    h("span", { class: "small muted" }, termsText(game.terms)));
}

/** What there is when nobody plays. */
function Nobody() {
  const asked = /** @type {Asked<Games>} */ (useAnswer("/api/games?phase=over"));
  const games = asked.value?.games.flatMap(finishedOf).slice(0, FINISHED);
  // What comes later stands last, so that nothing moves.
  return h("section", { class: "stack whole" },
    h("p", { class: "muted" }, say(games?.length === 0 ? "watch-nothing" : asked.refusal && !games ? "live-games-empty" : "watch-empty")),
    h("div", null, h("a", { class: "button main", href: "/play" }, say("watch-start"))),
    games?.length === 0 ? null : asked.refusal && !games ? waiting(asked)
      : h("div", { class: "card" }, games ? h(FinishedList, { games, empty: "" }) : waiting(asked, "lines")));
}

// Live games over the one line, drawn at most once in a while.

/**
 * The line as it is, at most once in so many milliseconds.
 * @param {number} pause @returns {Line}
 */
function useLineEvery(pause) {
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
function useOpenGames(ids) {
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
function useLiveGame(id, pause) {
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
