// A game: deploying, playing, over; for its players and for those who look on.

import { GameControl } from "../table/control.js";
import { BoardView } from "../table/board_view.js";
import { Actions, StatusLine } from "../table/actions.js";
import { DeployPanel } from "../table/deploy_panel.js";
import { Sheets } from "../table/sheets.js";
import { SidePanel } from "../table/side_panel.js";
import { TableSkeleton, TakenRow } from "../parts/boards.js";
import { PlayerStrip } from "../parts/bars.js";
import { changesText, termsText } from "../parts/terms.js";
import { opponentOf } from "../game/notation.js";
import { line, onNews, refusalText, say, tell } from "../state.js";
import { h, useEffect, useMemo, useState } from "../vendor/library.js";

/** @typedef {import("../../types/messages").Side} Side */

/** @param {{ id: string }} props */
export function GamePage({ id }) {
  const control = useMemo(() => new GameControl(id), [id]);
  useEffect(() => {
    const stop = onNews((news) => control.hear(news));
    tell({ kind: "open_game", game: id });
    return () => {
      stop();
      tell({ kind: "close_game", game: id });
    };
  }, [id]);
  const game = line.value.games[id];
  useTitle(control);
  if (game?.trouble && !game.loaded) {
    return h("div", { class: "page stack narrow" },
      h("h1", null, say("game-not-shown")),
      h("p", { class: "muted" }, refusalText(game.trouble)),
      h("a", { class: "button main", href: "/" }, say("to-home")));
  }
  if (!game?.loaded || !control.rules) return h(TableSkeleton, { waitingFor: say("waiting-for-game") });
  return h(Table, { control });
}

/** Tells "your turn" in the title of the tab. @param {GameControl} control */
function useTitle(control) {
  const { view, loaded } = control;
  const isTurn = view && control.side && (view.phase === "deploying" ? !view.ready[control.side] : control.isTurn);
  const names = loaded ? `${loaded.game.players.red.name} – ${loaded.game.players.blue.name}` : "Flagfall";
  useEffect(() => {
    document.title = isTurn ? `● ${say("your-turn-note")} · ${names}` : names;
    return () => {
      document.title = "Flagfall";
    };
  }, [isTurn, names]);
}

/** @param {{ control: GameControl }} props */
function Table({ control }) {
  const [isFlipped, setFlipped] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const { loaded, view, side } = control;
  if (!loaded || !view) return null;
  const below = isFlipped ? opponentOf(side ?? "red") : side ?? "red";
  const isDeploying = view.phase === "deploying" && side !== undefined;
  return h("div", { class: `table phase-${view.phase}` },
    h("h1", { class: "aloud" }, say("game-heading", { red: loaded.game.players.red.name, blue: loaded.game.players.blue.name })),
    h("div", { class: "at-top" }, h(Strip, { control, side: opponentOf(below) }), h(TakenRow, { view, side: opponentOf(below) })),
    h(BoardView, { control, below }),
    h("div", { class: "at-foot" }, h(TakenRow, { view, side: below }), h(Strip, { control, side: below })),
    h("div", { class: "side" },
      h("div", { class: "terms" },
        h("span", { class: "small" }, termsText(loaded.game.terms)),
        changesText(loaded.game.terms.ruleset).map((change) => h("span", { class: "small muted" }, change))),
      h(StatusLine, { control }),
      isDeploying ? h(DeployPanel, { control }) : null,
      h(Sheets, { control }),
      h(Actions, { control, flip: () => setFlipped(!isFlipped), more: () => setOpen(!isOpen), isOpen }),
      h(SidePanel, { control, isOpen })));
}

/** @param {{ control: GameControl, side: Side }} props */
function Strip({ control, side }) {
  const { loaded, view } = control;
  if (!loaded || !view) return null;
  return h(PlayerStrip, {
    side, player: loaded.game.players[side], isYou: control.side === side,
    isToAct: view.phase === "playing" && view.turn === side,
    presence: loaded.presence[side], left: loaded.left[side], claimableAt: loaded.claimableAt[side],
    clock: view.clock, isPaused: view.paused ?? false, isLive: view.phase !== "over",
  });
}
