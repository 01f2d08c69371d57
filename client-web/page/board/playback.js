// Shows events one after the other, each when the motion of the one before has ended.

/** @typedef {import("../../types/messages").GameView} GameView */
/** @typedef {import("../../types/messages").GameEvent} GameEvent */
/** What to do, and the milliseconds until the next step. @typedef {{ ms: number, act: () => void }} Step */

/** Of more events that wait, only the latest is animated: the board must not fall behind. */
const MOST_WAITING = 3;

export class Playback {
  /** @type {{ event: GameEvent, after: Readonly<GameView> }[]} */
  #waiting = [];
  /** Stops the motion that is under way, and returns the position after it. @type {(() => Readonly<GameView>) | undefined} */
  #stop;

  /**
   * @param {(event: GameEvent, after: Readonly<GameView>) => Step[] | undefined} begin Returns the motion of an event, if it has one.
   * @param {(after: Readonly<GameView>) => void} end Shows the position after an event.
   */
  constructor(begin, end) {
    this.begin = begin;
    this.end = end;
  }

  /** True while an event is animated. */
  get isMoving() {
    return this.#stop !== undefined;
  }

  /** Shows what an event did, after the events before it. @param {GameEvent} event @param {Readonly<GameView>} after */
  play(event, after) {
    if (this.#waiting.length >= MOST_WAITING) this.finish();
    this.#waiting.push({ event, after });
    if (!this.isMoving) this.#playNext();
  }

  #playNext() {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { event, after } = next;
      const motion = this.begin(event, after);
      if (motion) return this.#move(motion, after);
      this.end(after);
    }
  }

  /** @param {Step[]} motion @param {Readonly<GameView>} after */
  #move(motion, after) {
    /** @type {ReturnType<typeof setTimeout>[]} */
    const timers = [];
    this.#stop = () => {
      timers.forEach(clearTimeout);
      this.#stop = undefined;
      return after;
    };
    let at = 0;
    for (const { ms, act } of motion) {
      timers.push(setTimeout(act, at));
      at += ms;
    }
    timers.push(setTimeout(() => {
      this.#stop = undefined;
      this.end(after);
      this.#playNext();
    }, at));
  }

  /** Shows at once all that has happened. */
  finish() {
    const after = this.#stop?.();
    const last = this.#waiting.at(-1)?.after ?? after;
    this.#waiting = [];
    if (last) this.end(last);
  }

  /** Forgets what has not been shown. */
  clear() {
    this.#stop?.();
    this.#waiting = [];
  }
}
