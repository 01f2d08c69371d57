// One game on the page: what is in hand, what is planned, and what gestures do. Parts show it;
// the line decides what is true.

import { byWay, complete, put } from "../game/hand.js";
import { SIDES, opponentOf, parseMove, parsePiece, speedOf, timeLeft } from "../game/rules.js";
import {
  afterGap, canEverMove, dueCommand, followNotes, holds, isHeldByReserveRule, keepHidden, planMove, plannedTargets, sideToMove, targets,
} from "../game/reach.js";
import { clocksSentence, endSentence, entriesOf, lossesSentence, rankName, ratingSentence, sentence, squareNames } from "../game/sentences.js";
import { underWay } from "../net/line.js";
import { playerName } from "../parts/basics.js";
import { confirm, tellKeys } from "../parts/dialog.js";
import { allWords, ask, isMuted, line, loadedRefusal, moreWords, readApi, rulesFor, say, serverTime, settings, show, speak, toast, toggleMute, warn } from "../state.js";
import { signal } from "../vendor/library.js";
import { Deploying } from "./deploying.js";

/** @typedef {import("../../types/messages").GameCommand} GameCommand */
/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../board/board.js").Board} Board */
/** @typedef {import("../game/hand.js").Hand} Hand */
/** @typedef {import("../game/hand.js").Question} Question */
/** @typedef {import("../game/reach.js").Premove} Premove */
/** @typedef {import("../game/follow.js").GameNews} GameNews */
/** @typedef {import("../game/sentences.js").Entry} Entry */
/** @typedef {import("../../types/messages").RatingPoint} RatingPoint */
/** @typedef {import("../../types/messages").Side} Side */
/** @template T @typedef {import("../vendor/library.js").Signal<T>} Signal */

/** Below this, a new turn of one's own is said at once. */
const HURRY_MS = 30_000;
/** The keys of the board, as the list of keys shows them. */
const KEYS = ["arrows", "enter", "escape", "n", "m", "i", "g", "l", "t", "o", "c", "x", "delete"];

/** Explains pieces and moves, once a player has looked at a piece. @type {Signal<typeof import("../game/explain.js") | undefined>} */
export const explain = signal(/** @type {typeof import("../game/explain.js") | undefined} */ (undefined));

async function loadExplain() {
  const [module] = await Promise.all([import("../game/explain.js"), moreWords()]);
  explain.value = module;
}

export class GameControl {
  /** @type {Board | undefined} */
  board;
  /** @type {Signal<Hand | undefined>} */
  hand = signal(/** @type {Hand | undefined} */ (undefined));
  /** @type {Signal<Question | undefined>} */
  question = signal(/** @type {Question | undefined} */ (undefined));
  /** @type {Signal<Premove | undefined>} */
  planned = signal(/** @type {Premove | undefined} */ (undefined));
  /** The moves that the server makes when their turns come, if there are any. @type {Signal<import("./queue.js").Queued | undefined>} */
  queued = signal(/** @type {import("./queue.js").Queued | undefined} */ (undefined));
  /** The way that the player looks at, while it is asked which one a piece goes. @type {Signal<import("../game/reach.js").Way | undefined>} */
  way = signal(/** @type {import("../game/reach.js").Way | undefined} */ (undefined));
  /** The piece that the player looks at: on its square, or of a tray. @type {Signal<{ square: string } | { letter: string } | undefined>} */
  about = signal(/** @type {{ square: string } | { letter: string } | undefined} */ (undefined));
  /** What has happened; what came before the game was opened here is filled in. @type {Signal<readonly Entry[]>} */
  entries = signal(/** @type {readonly Entry[]} */ ([]));
  /** The last of what was said that the player has seen. @type {Signal<import("../game/follow.js").Said | undefined>} */
  seen = signal(/** @type {import("../game/follow.js").Said | undefined} */ (undefined));
  /**
   * What the texts beside the board go by while its pictures are behind: the position on the board, and
   * how many of the last entries came after it. A text must not give away how a strike ends.
   * @type {Signal<{ view: GameView, entries: number } | undefined>}
   */
  #behind = signal(/** @type {{ view: GameView, entries: number } | undefined} */ (undefined));
  /** The events that the board has not shown: the position before each, and its number of entries. @type {{ view: GameView, entries: number }[]} */
  #unshown = [];
  /** How many of the entries came after the last whole view. */
  #fresh = 0;
  /** Up to where the entries go: the epoch, and the number of the event. */
  #listedTo = "";
  /** Tells the latest whole view from those before. */
  #views = 0;
  /** The players' ratings in games like this one. @type {Signal<Partial<Record<Side, RatingPoint>>>} */
  ratings = signal(/** @type {Partial<Record<Side, RatingPoint>>} */ ({}));
  #areRatingsAsked = false;
  /** What the game changed in the ratings, as a sentence; empty before that. */
  rated = signal("");
  /** True while squares are enlarged for fingers. */
  isEnlarged = signal(false);
  /** False once the page shows something else. */
  isOpen = false;

  /** The player's guesses. @type {Signal<import("../game/reach.js").Notes>} */
  notes = signal(/** @type {import("../game/reach.js").Notes} */ ({}));
  /** What the notes were last held against. */
  #notedAt = "";

  /** @param {string} id */
  constructor(id) {
    this.id = id;
    const kept = JSON.parse(localStorage.getItem(`notes-${id}`) ?? "{}");
    this.notes.value = kept.notes ?? {};
    this.#notedAt = kept.at ?? "";
    this.deploying = new Deploying(this);
  }

  /** What only the player knows of the squares. */
  get own() {
    const planned = this.planned.value;
    return { notes: this.notes.value, moves: planned ? [planned.move] : this.queued.value?.squares ?? [] };
  }

  get loaded() {
    return line.value.games[this.id]?.loaded;
  }

  /** @returns {GameView | undefined} */
  get view() {
    return this.loaded?.view;
  }

  /** The position that the board shows. */
  get shown() {
    return this.#behind.value?.view ?? this.view;
  }

  /** The entries up to the position that the board shows. */
  get shownEntries() {
    const hidden = this.#behind.value?.entries ?? 0;
    return hidden > 0 ? this.entries.value.slice(0, -hidden) : this.entries.value;
  }

  /** Called when the board shows more of what has happened. */
  catchUp() {
    const count = this.board?.unshown ?? 0;
    this.#unshown = count > 0 ? this.#unshown.slice(-count) : [];
    const [first] = this.#unshown;
    if (!first && !this.#behind.value) return;
    this.#behind.value = first && { view: first.view, entries: this.#unshown.reduce((sum, { entries }) => sum + entries, 0) };
  }

  get rules() {
    const ruleset = this.loaded?.game.terms.ruleset;
    return ruleset ? rulesFor(ruleset) : undefined;
  }

  /** The player's side; undefined for spectators. */
  get side() {
    const audience = this.view?.audience;
    return audience === "public" ? undefined : audience;
  }

  /** The other player; undefined for spectators. */
  get opponent() {
    const { loaded, side } = this;
    return loaded && side ? loaded.game.players[opponentOf(side)] : undefined;
  }

  /** True if the player may act: this tab drives the game and nothing is under way. */
  get isFree() {
    const game = line.value.games[this.id];
    return Boolean(game?.loaded) && !game?.isSuperseded && underWay(line.value, this.id).length === 0;
  }

  get isTurn() {
    const view = this.view;
    return Boolean(view && view.phase === "playing" && sideToMove(view) && !view.owed_color && !view.pending_strike);
  }

  /**
   * Sends a command, and tells why if it is refused. Asks before what ends the game.
   * @param {GameCommand} command @param {boolean} [isDecided] True if the player need not confirm a move.
   */
  async act(command, isDecided = false) {
    const { kind } = command;
    if ((kind === "resign" || kind === "abort") && !await confirm({ title: say(`${kind}-ask`), text: kind === "resign" ? say("resign-text") : "", yes: say(kind), isDanger: true })) return;
    const { loaded } = this;
    if (!loaded) return;
    this.letGo();
    this.board?.shrink();
    const { epoch, view } = loaded;
    if (!isDecided && kind === "move" && this.#isConfirmed(command.move) && !await confirm({ title: say("confirm-move", { move: command.move }), yes: say("confirm-move-yes") })) return;
    const answer = await ask({ type: "command", game: this.id, ply: view.ply, epoch, command });
    if (answer.type !== "refused") return;
    const isStale = answer.code === "stale_ply" || answer.code === "stale_epoch";
    show(isStale && kind === "move" ? say("move-not-made", { move: command.move }) : await loadedRefusal(answer));
  }

  /** True if the player wants to be asked before this move. @param {string} move */
  #isConfirmed(move) {
    const { loaded, view, side } = this;
    const wanted = settings.value.confirm;
    if (wanted === "system") return loaded?.game.terms.time.kind === "correspondence";
    const { to } = parseMove(move);
    const isStrike = view?.pieces.map(parsePiece).some((piece) => piece.square === to && piece.side !== side) ?? false;
    return wanted === "always" || (wanted === "strikes" && isStrike);
  }

  /** What the game changed in the ratings. @param {import("../../types/messages").RatingChange} change */
  hearRated(change) {
    this.rated.value = ratingSentence(change, this.side, allWords());
    this.ratings.value = change.after;
    speak(this.rated.value);
  }

  letGo() {
    this.hand.value = undefined;
    this.question.value = undefined;
  }

  /** @param {string} square */
  press(square) {
    const { planning: view, rules, hand } = this;
    if (!view || !rules) return;
    if (view.phase === "deploying") return this.deploying.press(square);
    this.question.value = undefined;
    if (hand.value && this.#goTo(square)) return;
    const isOwn = view.pieces.some((text) => this.#isMovable(text, square));
    const isInHand = hand.value?.kind === "board" && hand.value.square === square;
    if (!isInHand && isOwn && this.isFree && view.phase === "playing") {
      this.hand.value = { kind: "board", square };
      const isRefused = isHeldByReserveRule(view, square) || (view.refused_moves ?? []).some((move) => parseMove(move).from === square);
      if (this.isTurn && !isRefused && targets(view, rules, square).length === 0) show(say("no-way-now"));
      // What was wrong with the choice before does not stay.
      else toast.value = undefined;
      return;
    }
    if (hand.value && !isInHand) return void this.#cannotGo(hand.value, square);
    this.hand.value = undefined;
    if (!isInHand) this.tellOf(square);
  }

  /**
   * Tells why what is in hand cannot go to a square. It stays in hand. Where an illegal move is accepted
   * and loses, the player may make it all the same.
   * @param {Hand} hand @param {string} square
   */
  async #cannotGo(hand, square) {
    const { planning: view, rules, mayChoose } = this;
    if (!this.isFree || !view || !rules || !mayChoose) return show(say(this.isFree ? "refusal-not-your-turn" : "typed-wait"));
    await loadExplain().catch(() => undefined);
    const why = explain.value?.whyNot(view, hand, square, allWords()) ?? say("no-answer");
    if (!rules.illegal_act_loses || hand.kind !== "board" || !this.isTurn || !this.isFree) return show(why);
    const move = hand.square + square;
    const yes = { title: say("illegal-ask", { move }), text: why, yes: say("illegal-yes"), isDanger: true };
    if (await confirm(yes)) await this.act({ kind: "move", move }, true);
  }

  /** The piece in hand goes to a square, now or when the turn comes. @param {string} square */
  #goTo(square) {
    const { planning, rules } = this;
    const hand = this.hand.value;
    if (!planning || !rules || !hand || !this.isFree || !this.mayChoose) return false;
    if (hand.kind === "reserve" && !this.isTurn && !this.mayQueue) return false;
    const outcome = put(hand, square, planning, rules, this.reach);
    this.proceed(outcome);
    return outcome !== undefined;
  }

  /** True if the server keeps moves for the player's next turns. */
  get mayQueue() {
    const { loaded, side, view } = this;
    return Boolean(side && view?.phase === "playing" && view.turn !== side && loaded?.game.terms.time.kind === "correspondence");
  }

  /** True if the player may choose a move: for now, or for later. Plans are for games on a clock. */
  get mayChoose() {
    return this.isTurn || this.mayPlan || this.mayQueue;
  }

  get mayPlan() {
    const kind = this.loaded?.game.terms.time.kind;
    return Boolean(this.side && this.view?.phase === "playing" && settings.value.premove === "on" && (kind === "fischer" || kind === "delay"));
  }

  /** Finds the targets of a piece: now, or when the turn comes. */
  get reach() {
    return this.isTurn ? targets : plannedTargets;
  }

  /** The position that a move is chosen in: after the queued moves. */
  get planning() {
    return (this.isTurn ? undefined : this.queued.value?.view) ?? this.view;
  }

  /** @param {import("../game/hand.js").Outcome} outcome */
  proceed(outcome) {
    if (!outcome) return;
    this.way.value = undefined;
    if ("question" in outcome) this.question.value = outcome.question;
    else this.carryOut(outcome.command);
  }

  /** Makes a turn, or keeps it for later. @param {GameCommand} command */
  carryOut(command) {
    const isBoard = command.kind === "move" || command.kind === "place" || command.kind === "remove";
    if (this.isTurn || !isBoard) return void this.act(command);
    this.letGo();
    if (this.mayQueue) return void import("./queue.js").then((queue) => queue.offer(this, command)).catch(() => show(say("no-answer")));
    if (!this.view || !this.mayPlan || command.kind !== "move") return show(say("refusal-not-your-turn"));
    const { path, color } = command;
    this.planned.value = planMove(this.view, command.move, { ...(path ? { path } : {}), ...(color ? { color } : {}) });
  }

  /** Answers the question that is open. @param {{ way?: import("../game/reach.js").Way, color?: import("../game/rules.js").ChipColor }} answer */
  answer({ way, color }) {
    const open = this.question.value;
    if (!open || !this.rules) return;
    this.question.value = undefined;
    this.proceed(complete(way ? byWay(open.draft, way) : open.draft, this.rules, color));
  }

  /** @param {string} text @param {string} square */
  #isMovable(text, square) {
    const piece = parsePiece(text);
    return piece.square === square && piece.side === this.side && (this.rules?.reserve || canEverMove(piece.identity));
  }

  /** @param {string} square */
  mayLift(square) {
    const { view } = this;
    if (!view || !this.isFree) return false;
    if (view.phase === "deploying") return this.deploying.mayLift(square);
    if (view.phase !== "playing" || !this.mayChoose) return false;
    const isThere = (/** @type {GameView} */ { pieces }) => pieces.some((text) => this.#isMovable(text, square));
    // A queued move may take it elsewhere.
    return isThere(view) && (!this.queued.value || isThere(this.queued.value.view)) && !isHeldByReserveRule(view, square);
  }

  /** @param {string} from @param {string | undefined} to */
  drop(from, to) {
    const { view, rules } = this;
    if (!view || !rules) return;
    if (view.phase === "deploying") return this.deploying.drop(from, to);
    if (!to) {
      if (rules.reserve && (this.isTurn || this.mayQueue)) this.carryOut({ kind: "remove", square: from });
      return;
    }
    const hand = /** @type {const} */ ({ kind: "board", square: from });
    this.hand.value = hand;
    if (!this.#goTo(to)) void this.#cannotGo(hand, to);
  }

  /** The squares of the player's pieces that can move. */
  movable() {
    const { planning: view, rules, side, reach } = this;
    if (!view || !rules || !side || !(view.phase === "deploying" || this.mayChoose)) return [];
    if (view.phase === "deploying") return Object.keys(this.deploying.setup.value);
    const own = view.pieces.map(parsePiece).filter((piece) => piece.side === side);
    return own.map(({ square }) => square).filter((square) => reach(view, rules, square).length > 0);
  }

  /** Keys of the focused board, by their position. @param {KeyboardEvent} event @param {string} square */
  key(event, square) {
    const { view } = this;
    if (!view) return false;
    if (view.phase === "deploying" && this.deploying.key(event, square)) return true;
    switch (event.code) {
      case "KeyI":
        loadExplain().then(() => this.tellOf(square, true), () => this.tellOf(square));
        return true;
      case "KeyL": speak(this.entries.value.at(-1)?.text ?? say("no-move-yet")); return true;
      case "KeyM": {
        const field = /** @type {HTMLElement | null} */ (document.querySelector("#typed"));
        // On a phone it stands under "More", which is drawn first.
        if (field && !field.offsetParent) /** @type {HTMLElement | null} */ (document.querySelector(".more"))?.click();
        void Promise.resolve().then(() => field?.focus());
        return field !== null;
      }
      case "Delete": case "Backspace":
        if (!this.rules?.reserve || !(this.isTurn || this.mayQueue)) return false;
        this.carryOut({ kind: "remove", square });
        return true;
      case "KeyG": void this.ask(square); return true;
      case "KeyT": speak(clocksSentence(view, serverTime.at(Date.now()), allWords())); return true;
      case "KeyO": speak(this.#opponentText()); return true;
      case "KeyC": speak(lossesSentence(view, allWords())); return true;
      case "KeyX":
        if (this.opponent) toggleMute(this.opponent);
        return this.opponent !== undefined;
      default:
        if (event.key !== "?") return false;
        void tellKeys(KEYS);
        return true;
    }
  }

  #opponentText() {
    const { loaded, side } = this;
    if (!loaded) return "";
    return (/** @type {const} */ (["red", "blue"])).filter((one) => one !== side).map((one) => say("opponent-said", {
      side: one, name: playerName(loaded.game.players[one]), presence: say(`presence-${loaded.presence[one]}`),
    })).join(" ");
  }

  /** A piece of the reserve is dragged to a square. @param {Hand} piece @param {string | undefined} to */
  dropFromReserve(piece, to) {
    this.hand.value = piece;
    if (to && this.#goTo(to)) return;
    this.letGo();
    if (to) show(say("typed-no-place"));
  }

  /** The square of the piece in hand, if it can be taken into the reserve. */
  get reservable() {
    const { planning: view, rules, side, isFree, isTurn } = this;
    const hand = this.hand.value;
    if (!view || !rules?.reserve || !side || !isFree || !(isTurn || this.mayQueue) || hand?.kind !== "board") return undefined;
    const piece = view.pieces.map(parsePiece).find(({ square }) => square === hand.square);
    return piece && piece.identity !== "F" ? hand.square : undefined;
  }

  /** @param {{ square: string } | { letter: string }} what */
  look(what) {
    this.about.value = what;
    if (!explain.value) loadExplain().catch(() => show(say("no-answer")));
  }

  /** What the piece is that the player looks at, and what it can do. Nothing that its view does not show. */
  aboutText() {
    const { view, rules } = this;
    const about = this.about.value;
    if (!about || !view || !rules || !explain.value) return undefined;
    if ("letter" in about) {
      return `${rankName(allWords(), about.letter)}. ${explain.value.explainPiece({ identity: about.letter, moved: false }, rules, settings.value.numbering, allWords())}`;
    }
    const text = this.#explained(about.square);
    return text ? `${this.#nameOf(about.square)}. ${text}` : undefined;
  }

  /** What the piece on a square can do, once that is loaded. @param {string} square */
  #explained(square) {
    const { view, rules } = this;
    const piece = view && this.shownView(view).pieces.map(parsePiece).find((piece) => piece.square === square);
    return piece && rules && explain.value ? explain.value.explainPiece(piece, rules, settings.value.numbering, allWords()) : "";
  }

  /** @param {string} square */
  #nameOf(square) {
    return this.view ? squareNames(this.shownView(this.view), allWords(), undefined, this.own)(square) : "";
  }

  /** A right click or a long press: a note on a hidden enemy piece, or what is known. @param {string} square */
  async ask(square) {
    const { view, side } = this;
    const piece = view?.pieces.map(parsePiece).find((piece) => piece.square === square);
    const isHidden = piece && side && piece.side !== side && (piece.identity === "?" || piece.identity.startsWith("["));
    if (isHidden && view?.phase === "playing") return import("./notes.js").then((notes) => notes.askNote(this, square)).catch(() => show(say("no-answer")));
    this.look({ square });
    this.tellOf(square);
  }

  /** Keeps notes on this device, with what they were held against. @param {import("../game/reach.js").Notes} notes */
  setNotes(notes) {
    this.notes.value = notes;
    const { loaded } = this;
    this.#notedAt = loaded ? `${loaded.epoch}.${loaded.seq}` : "";
    if (Object.keys(notes).length === 0 || loaded?.view.phase === "over") localStorage.removeItem(`notes-${this.id}`);
    else localStorage.setItem(`notes-${this.id}`, JSON.stringify({ at: this.#notedAt, notes }));
  }

  /** Says what is known of a square. @param {string} square @param {boolean} [isWhole] True if it is said what its piece can do, too. */
  tellOf(square, isWhole = false) {
    const { view } = this;
    if (!view) return;
    const held = isHeldByReserveRule(view, square) ? ` ${say("held-by-reserve-rule")}` : "";
    const explained = isWhole ? this.#explained(square) : "";
    const text = this.#nameOf(square) + held + (explained && `. ${explained}`);
    // What the page explains already is said only to those who hear it.
    const { about } = this;
    const isExplained = !isWhole && about.value && "square" in about.value && about.value.square === square && this.#explained(square);
    if (isExplained) speak(text);
    else show(text);
  }

  /** The view as the board shows it: with the deployment that is being made. @param {GameView} view @returns {GameView} */
  shownView(view) {
    return view.phase === "deploying" && this.side ? { ...view, pieces: [...view.pieces, ...this.deploying.pieces()] } : view;
  }

  /** A typed command; comes back with what is wrong. @param {string} text */
  async typed(text) {
    const { readTyped } = await import("../game/typed.js");
    const { planning: view, rules } = this;
    if (!view || !rules || !this.isFree) return "typed-wait";
    const outcome = readTyped(text, view, rules, this.mayChoose ? this.reach : targets);
    if (outcome && "wrong" in outcome) return outcome.wrong;
    this.proceed(outcome);
    return undefined;
  }

  /** @param {GameNews} news */
  hear(news) {
    if (news.game !== this.id) return;
    if (news.kind === "view") {
      void this.#fillIn();
      void this.#askRatings();
      void this.#readQueue();
      this.letGo();
      this.#checkPlan();
      const view = /** @type {GameView} */ (this.view);
      const isRated = view.phase === "over" && this.loaded?.game.terms.rated && !this.rated.value;
      if (isRated) void readApi(`/api/games/${this.id}/ratings`).then((answer) => "body" in answer && this.hearRated(answer.body));
      const isSame = this.loaded && this.#notedAt === `${this.loaded.epoch}.${this.loaded.seq}`;
      this.setNotes(isSame ? keepHidden(this.notes.value, view) : afterGap(this.notes.value, view, this.rules?.reserve ?? true));
      this.board?.show(this.shownView(view));
    }
    if (news.kind === "event") {
      const { event, before, after } = news;
      // The events take the place of the explanation of a piece.
      if (after.phase !== "deploying") this.about.value = undefined;
      if (event.kind === "started") this.deploying.clear();
      const isEnd = event.kind === "ended";
      const text = isEnd ? endSentence(event.outcome, this.loaded?.abort, allWords()) : sentence(event, allWords());
      this.#unshown.push({ view: before, entries: text ? 1 : 0 });
      this.board?.play(event, this.shownView(after));
      this.catchUp();
      if (after.turn !== before.turn || event.kind === "ended") void this.#readQueue();
      if (this.#isGone(this.planning ?? after)) this.letGo();
      this.setNotes(followNotes(this.notes.value, event, after));
      if (text) {
        this.entries.value = [...this.entries.value, { text, ply: after.ply }];
        this.#fresh++;
        if (!isEnd) speak(text);
      }
      this.#listedTo = this.#place();
      if (isEnd) warn(text);
      else if (this.isTurn && this.#isHurried(after)) warn(say("your-turn-low"));
      this.#checkPlan();
    }
    if (news.kind === "said" && news.side !== this.side && !(this.opponent && isMuted(this.opponent.id))) speak(say("said-aloud"));
  }

  /** Asks for the queued moves. On the player's own turn, the position is what counts. */
  async #readQueue() {
    this.queued.value = undefined;
    if (!this.mayQueue) return;
    const ply = this.view?.ply;
    const answer = await readApi(`/api/games/${this.id}/queue`);
    if (!("body" in answer) || answer.body.moves.length === 0 || ply !== this.view?.ply) return;
    await import("./queue.js").then(({ take }) => take(this, answer.body)).catch(() => undefined);
  }

  #place() {
    return `${this.loaded?.epoch}.${this.loaded?.seq}`;
  }

  /**
   * Lists what happened before the view that has just come, as the player was shown it. If the
   * record cannot be read, the list stays as it is.
   */
  async #fillIn() {
    const { loaded } = this;
    if (!loaded || this.#listedTo === this.#place()) return;
    this.#listedTo = this.#place();
    this.#fresh = 0;
    const view = ++this.#views;
    if (loaded.view.ply === 0 && loaded.view.phase !== "over") return;
    const answer = await readApi(`/api/games/${this.id}/record?as=${loaded.view.audience}`);
    if (!("body" in answer) || view !== this.#views || !this.isOpen) return;
    const before = entriesOf(answer.body, loaded.seq, allWords());
    if (before) this.entries.value = [...before, ...this.entries.value.slice(this.entries.value.length - this.#fresh)];
  }

  /** Asks once what the players' ratings are, if there can be any. */
  async #askRatings() {
    const { loaded } = this;
    if (!loaded || this.#areRatingsAsked) return;
    this.#areRatingsAsked = true;
    const { terms: { ruleset, time }, players } = loaded.game;
    const speed = speedOf(time);
    const rated = SIDES.filter((side) => players[side].kind === "account" || players[side].kind === "bot");
    if (!speed || ruleset.includes(",")) return;
    await Promise.all(rated.map(async (side) => {
      const answer = await readApi(`/api/players/${players[side].name}`);
      const ratings = /** @type {import("../../types/api").RatingInfo[]} */ ("body" in answer ? answer.body.ratings ?? [] : []);
      const now = ratings.find((one) => one.ruleset === ruleset && one.speed === speed)?.now;
      if (now && !this.rated.value) this.ratings.value = { ...this.ratings.value, [side]: now };
    }));
  }

  /** @param {GameView} view */
  #isHurried(view) {
    return Boolean(this.side && view.clock && timeLeft(view.clock, this.side, serverTime.at(Date.now())).ms < HURRY_MS);
  }

  /** True if what is in hand is not there any more. @param {GameView} view */
  #isGone(view) {
    const hand = this.hand.value;
    if (hand?.kind !== "board") return view.phase === "over";
    return !view.pieces.some((text) => this.#isMovable(text, hand.square));
  }

  /** Sends the planned move when its turn has come, or drops it. */
  #checkPlan() {
    const { view, rules, planned: { value: plan } } = this;
    if (!plan || !view || !rules) return;
    if (line.value.games[this.id]?.isSuperseded) return void (this.planned.value = undefined);
    const { command, isIllegal } = holds(plan, view) ? dueCommand(plan, view, rules) : { command: undefined, isIllegal: true };
    if (!command && !isIllegal) return;
    this.planned.value = undefined;
    if (command) void this.act(command, true);
    else show(say("plan-dropped", { squares: plan.move }));
  }
}
