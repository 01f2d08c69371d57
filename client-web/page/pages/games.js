// The player's own games, the most urgent first, with challenges and queued moves.

import { nextChange, opponentOf } from "../game/rules.js";
import { MOST, actText, readQueue, writeQueue } from "../game/queue.js";
import { Waiting, changesText, playerName, termsText, useTicks } from "../parts/basics.js";
import { ChallengeList } from "../parts/lists.js";
import { change, shown, useAnswer, useTitle, useWho } from "../parts/load.js";
import { line, say, sayClock, serverTime, show } from "../state.js";
import { h, useEffect, useRef, useState } from "../vendor/library.js";

/** @typedef {import("../../types/api").OwnGame} OwnGame */
/** @typedef {import("../../types/api").OwnGames} OwnGames */
/** @typedef {import("../../types/api").MoveQueue} MoveQueue */
/** @typedef {import("../../types/api").Invitations} Invitations */
/** @template T @typedef {import("../parts/load.js").Asked<T>} Asked */

/**
 * Games are asked for again after this time: nobody tells of moves in games that are not open.
 */
const AGAIN_MS = 20_000;

export function GamesPage() {
  const who = useWho();
  useTitle(say("games-title"));
  return h("div", { class: "page stack" },
    h("h1", null, say("games-title")),
    !who.isKnown ? h(Waiting, { skeleton: "page-skeleton" }) : who.player ? h(Games, { name: who.player.name }) : h(None, {}));
}

function None() {
  return h("section", { class: "card stack tight" },
    h("h2", null, say("games-none")),
    h("p", { class: "muted" }, say("games-none-text")),
    h("p", { class: "row-of" }, h("a", { class: "button main", href: "/play" }, say("games-start"))));
}

/** @param {{ name: string }} props */
function Games({ name }) {
  const asked = /** @type {Asked<OwnGames>} */ (useAnswer("/api/me/games"));
  const invited = /** @type {Asked<Invitations>} */ (useAnswer("/api/me/challenges"));
  const { ownGames } = line.value;
  useEffect(() => {
    const again = () => {
      asked.again();
      invited.again();
    };
    const timer = setTimeout(again, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [asked.value, invited.value]);
  const count = useRef(ownGames.length);
  useEffect(() => {
    if (count.current !== ownGames.length) asked.again();
    count.current = ownGames.length;
  }, [ownGames.length]);
  return h("div", { class: "stack" },
    invited.value && invited.value.challenges.length > 0 ? h(ChallengeList, { challenges: invited.value.challenges, again: invited.again }) : null,
    shown(asked, ({ games, unavailable = [] }) => h("div", { class: "stack" },
      games.length === 0 ? h(None, {}) : null,
      h(Section, { title: say("games-to-act"), games: games.filter(({ to_act: isTurn }) => isTurn), again: asked.again }),
      h(Section, { title: say("games-waiting"), games: games.filter(({ to_act: isTurn }) => !isTurn), again: asked.again }),
      unavailable.length > 0 ? h("p", { class: "muted small" }, say("games-unavailable", { count: unavailable.length })) : null)),
    h("p", null, h("a", { href: `/@/${name}` }, say("games-finished"))));
}

/** @param {{ title: string, games: readonly OwnGame[], again: () => void }} props */
function Section({ title, games, again }) {
  if (games.length === 0) return null;
  return h("section", { class: "card stack tight" },
    h("h2", null, title),
    h("ul", { class: "list own-games" }, games.map((one) => h(Game, { key: one.game.id, one, again }))));
}

/** @param {{ one: OwnGame, again: () => void }} props */
function Game({ one, again }) {
  const { game, side, to_act: isTurn, draw_offered: isDrawOffered, deadline } = one;
  const isQueue = game.terms.time.kind === "correspondence" && game.phase === "playing" && !isTurn;
  const state = game.phase === "deploying" ? say(isTurn ? "games-deploy" : "games-deployed") : say(isTurn ? "your-turn-note" : "games-theirs");
  return h("li", null,
    h("div", { class: "own-game" },
      h("div", null,
        h("strong", null, say("games-against", { name: playerName(game.players[opponentOf(side)]), side })),
        h("div", { class: "small" },
          h("b", { class: isTurn ? "turn-note" : "muted" }, state),
          h(Deadline, { at: deadline, isTurn }),
          isDrawOffered ? h("span", null, ` · ${say("games-draw")}`) : null),
        h("div", { class: "muted small" }, termsText(game.terms), " · ", say("game-ply", { ply: game.ply, phase: game.phase })),
        changesText(game.terms.ruleset).map((change) => h("div", { key: change, class: "small" }, change))),
      h("a", { class: `button compact${isTurn ? " main" : ""}`, href: `/game/${game.id}` }, say("continue"))),
    isQueue ? h(Queue, { id: game.id, ply: game.ply, again }) : null);
}

/** @param {{ at: number | null | undefined, isTurn: boolean }} props */
function Deadline({ at, isTurn }) {
  const left = () => (at ? Math.max(0, at - serverTime.at(Date.now())) : 0);
  useTicks(() => (at && left() > 0 ? nextChange(left()) : Infinity), at);
  if (!at) return null;
  return h("span", { class: `numbers${isTurn && left() < 3_600_000 ? " score-lost" : ""}` }, ` · ${say("deploy-left", { time: sayClock(left()) })}`);
}

/**
 * Moves that the server makes when their turn comes.
 * @param {{ id: string, ply: number, again: () => void }} props
 */
function Queue({ id, ply, again }) {
  const [isOpen, setOpen] = useState(false);
  const asked = /** @type {Asked<MoveQueue>} */ (useAnswer(isOpen ? `/api/games/${id}/queue` : undefined));
  const [typed, setTyped] = useState(/** @type {string | undefined} */ (undefined));
  const [trouble, setTrouble] = useState("");
  const [isBusy, setBusy] = useState(false);
  const queued = asked.value?.moves ?? [];
  /** @param {Promise<{ value: unknown } | { trouble: string }>} request @param {string} told */
  const finish = async (request, told) => {
    setBusy(true);
    const done = await request;
    setBusy(false);
    setTrouble("");
    asked.again();
    // If it is not their turn to wait any more, the queue goes with what is written in it.
    show("trouble" in done ? done.trouble : told);
    if ("trouble" in done) again();
    else setTyped(undefined);
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const read = readQueue(typed ?? writeQueue(queued));
    if ("wrong" in read) return setTrouble(say("queue-wrong", { typed: read.wrong }));
    if (read.moves.length === 0 || read.moves.length > MOST) return setTrouble(say("queue-length", { max: MOST }));
    void finish(change("PUT", `/api/games/${id}/queue`, { ply, moves: read.moves }), say("queue-set", { count: read.moves.length }));
  };
  const field = `queue-${id}`;
  return h("details", { class: "queue", onToggle: (/** @type {any} */ event) => setOpen(event.target.open) },
    h("summary", null, say("queue-title")),
    h("div", { class: "stack tight" },
      h("p", { class: "muted small" }, say("queue-text")),
      shown(asked, () => (queued.length === 0 ? h("p", null, say("queue-empty")) : h("ol", { class: "queued numbers" },
        queued.map((one, index) => h("li", { key: index }, say("queue-move", { move: actText(one.command), if: one.if ?? "none" }))))), "line-skeleton"),
      h("form", { class: "stack tight", onSubmit: submit },
        h("label", { class: "field" }, h("span", null, say("queue-label")),
          h("input", {
            value: typed ?? writeQueue(queued), autocomplete: "off", spellcheck: false, autocapitalize: "off", placeholder: "a4a5 if b7b6, a5a6",
            "aria-describedby": field, onInput: (/** @type {any} */ event) => setTyped(event.target.value),
          })),
        h("p", { id: field, class: "trouble small", role: "alert" }, trouble),
        h("div", { class: "row-of" },
          h("button", { class: "button compact main", disabled: isBusy, "aria-busy": isBusy }, say("queue-save")),
          queued.length > 0 ? h("button", {
            class: "button compact", type: "button", disabled: isBusy, "aria-busy": isBusy,
            onClick: () => void finish(change("DELETE", `/api/games/${id}/queue`), say("queue-cleared")),
          }, say("queue-clear")) : null))));
}
