// Looking on: one live game large, others as small boards; without any, the games that ended
// last.

import { termsText } from "../parts/basics.js";
import { Losses, PlayerStrip, SeenBoard, TakenRow } from "../parts/boards.js";
import { FinishedList, GameList, finishedOf, useOpenLobby } from "../parts/lists.js";
import { useLineEvery, useLiveGame, useOpenGames } from "../parts/live.js";
import { useTitle } from "../parts/load.js";
import { SmallBoard } from "../parts/small_board.js";
import { readApi, rulesFor, say } from "../state.js";
import { h, useEffect, useState } from "../vendor/library.js";

/** @typedef {import("../../types/messages").GameSummary} GameSummary */
/** @typedef {import("../net/line.js").Line} Line */
/** @typedef {import("../parts/lists.js").Finished} Finished */

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
  const large = useLarge(shown, chosen);
  const others = runningOf(shown).filter(({ id }) => id !== large);
  const small = others.slice(0, SMALL);
  useOpenGames([...(large ? [large] : []), ...small.map(({ id }) => id)]);
  if (!shown.lobby && !large) return h(Frame, {}, h("div", { class: "skeleton watch-skeleton" }), h("div", { class: "skeleton lines" }));
  if (!large) return h(Frame, {}, h(Nobody, {}));
  return h(Frame, {},
    h(LargeGame, { key: large, id: large }),
    h("div", { class: "stack" },
      small.length > 0 ? h("section", { class: "stack tight", "aria-label": say("watch-others") },
        h("h2", null, say("watch-others")),
        h("ul", { class: "small-games" }, small.map((game) =>
          h(SmallGame, { key: game.id, game, line: shown, choose: () => setChosen(game.id) })))) : null,
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
 * The game that is shown large: the chosen one, or the latest that is played. It stays for a
 * moment after its end.
 * @param {Line} shown @param {string} chosen
 */
function useLarge(shown, chosen) {
  const [kept, setKept] = useState("");
  const running = runningOf(shown);
  const wanted = running.some(({ id }) => id === chosen) ? chosen : kept;
  const isRunning = running.some(({ id }) => id === wanted);
  const hasEnded = wanted !== "" && !isRunning && shown.games[wanted]?.loaded?.view.phase === "over";
  const first = running.find(({ phase }) => phase === "playing") ?? running[0];
  const next = isRunning || hasEnded ? wanted : first?.id ?? "";
  useEffect(() => setKept(next), [next]);
  useEffect(() => {
    if (!hasEnded) return undefined;
    const timer = setTimeout(() => setKept(first?.id ?? ""), STAY_MS);
    return () => clearTimeout(timer);
  }, [hasEnded, wanted, first?.id]);
  return next;
}

/** @param {{ id: string }} props */
function LargeGame({ id }) {
  const live = useLiveGame(id, DRAW_MS);
  const rules = live && rulesFor(live.loaded.game.terms.ruleset);
  if (!live || !rules) return h("div", { class: "skeleton watch-skeleton" });
  const { game, view, presence, left } = live.loaded;
  /** @param {"red" | "blue"} side */
  const strip = (side) => h(PlayerStrip, {
    side, player: game.players[side], isYou: false, isToAct: view.phase === "playing" && view.turn === side,
    presence: presence[side], left: left[side], claimableAt: undefined, clock: view.clock,
    isPaused: view.paused ?? false, isLive: view.phase !== "over",
  });
  const { red, blue } = game.players;
  return h("section", { class: "watch-large", "aria-label": say("game-heading", { red: red.name, blue: blue.name }) },
    strip("blue"), h(TakenRow, { view, side: "blue" }),
    h(SeenBoard, { rules, view, below: "red", event: live.event }),
    h(TakenRow, { view, side: "red" }), strip("red"),
    h("div", { class: "watch-foot" },
      h("span", { class: "small muted" }, termsText(game.terms), " · ",
        view.outcome ? say("outcome", { winner: view.outcome.winner ?? "none", reason: view.outcome.reason })
          : say("game-ply", { ply: view.ply, phase: view.phase })),
      view.phase === "over" ? h("a", { class: "button compact", href: `/replay/${id}` }, say("replay"))
        : h("a", { class: "button compact", href: `/game/${id}` }, say("watch-open"))),
    h("details", { class: "card" }, h("summary", null, say("replay-losses")), h(Losses, { view, rules })));
}

/** @param {{ game: GameSummary, line: Line, choose: () => void }} props */
function SmallGame({ game, line, choose }) {
  const open = line.games[game.id];
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
  const [games, setGames] = useState(/** @type {Finished[] | undefined} */ (undefined));
  useEffect(() => {
    let isCurrent = true;
    void lastFinished().then((found) => isCurrent && setGames(found));
    return () => {
      isCurrent = false;
    };
  }, []);
  // What comes later stands last, so that nothing moves.
  return h("section", { class: "stack whole" },
    h("p", { class: "muted" }, say(games?.length === 0 ? "watch-nothing" : "watch-empty")),
    h("div", null, h("a", { class: "button main", href: "/play" }, say("watch-start"))),
    games?.length === 0 ? null : h("div", { class: "card" },
      games ? h(FinishedList, { games, empty: "" }) : h("div", { class: "skeleton lines" })));
}

/** The public games that ended last. @returns {Promise<Finished[]>} */
async function lastFinished() {
  const answer = await readApi("/api/games?phase=over");
  return "body" in answer ? answer.body.games.flatMap(finishedOf).slice(0, FINISHED) : [];
}
