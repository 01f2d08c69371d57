// Sounds: which one an event has, and how each is made. No files. A sound tells no more than what
// everybody at the table knows.

/** @typedef {import("../../types/messages").GameEvent} GameEvent */
/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {"move" | "strike" | "turn" | "low" | "start" | "end" | "challenge"} Sound */

/** Tones in order: hertz, seconds until the tone begins, seconds that it lasts. @type {Record<Sound, [number, number, number][]>} */
export const TONES = {
  move: [[330, 0, 0.07]],
  strike: [[165, 0, 0.12], [110, 0.09, 0.16]],
  turn: [[523, 0, 0.09], [659, 0.1, 0.14]],
  low: [[880, 0, 0.07], [880, 0.14, 0.07], [880, 0.28, 0.07]],
  start: [[392, 0, 0.1], [523, 0.1, 0.1], [659, 0.2, 0.18]],
  end: [[523, 0, 0.16], [392, 0.16, 0.16], [262, 0.32, 0.32]],
  challenge: [[659, 0, 0.1], [523, 0.12, 0.1], [659, 0.24, 0.16]],
};

/**
 * The sound of an event: by its kind, whether there was a strike, and whose turn it is. Ranks and
 * outcomes of strikes play no part.
 * @param {GameEvent} event @param {Readonly<GameView>} before @param {Readonly<GameView>} after @returns {Sound[]}
 */
export function soundsOf(event, before, after) {
  const turn = /** @type {Sound[]} */ (isOwnTurn(after) && !isOwnTurn(before) ? ["turn"] : []);
  switch (event.kind) {
    case "started": return ["start", ...turn];
    case "moved": return [event.strike ? "strike" : "move", ...turn];
    case "struck": return ["strike", ...turn];
    case "removed": case "placed": case "colored": return ["move", ...turn];
    case "ended": return ["end"];
    default: return turn;
  }
}

/** True if a game waits for this player. @param {Readonly<GameView>} view */
export function isOwnTurn(view) {
  const side = view.audience;
  if (side === "public" || view.phase === "over") return false;
  if (view.phase === "deploying") return !view.ready[side];
  if (view.pending_strike) return view.pending_strike.owes[side];
  return (view.owed_color?.side ?? view.turn) === side;
}

/** @type {AudioContext | undefined} */
let context;

/** Plays a sound, if the browser lets the page: not before the first gesture. @param {Sound} sound */
export function play(sound) {
  if (!navigator.userActivation?.hasBeenActive || typeof AudioContext === "undefined") return;
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume();
  for (const [frequency, after, seconds] of TONES[sound]) {
    const begin = context.currentTime + after;
    const [tone, loudness] = [context.createOscillator(), context.createGain()];
    tone.type = "triangle";
    tone.frequency.value = frequency;
    // Soft edges, or each tone begins and ends with a click.
    loudness.gain.setValueAtTime(0, begin);
    loudness.gain.linearRampToValueAtTime(0.2, begin + 0.01);
    loudness.gain.linearRampToValueAtTime(0, begin + seconds);
    tone.connect(loudness).connect(context.destination);
    tone.start(begin);
    tone.stop(begin + seconds);
  }
}
