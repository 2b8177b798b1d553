/**
 * What the connections of one thread share in a turn of the event loop: the stamp of their reads, and
 * the time that is given to what was read.
 *
 * One turn brings the reads of many connections at once. They get one stamp, taken before anything
 * else is done. What they brought is looked at for a short while only; the rest waits for the next
 * turns. With 400 streams that begin and end together the work on some would else make the reads of
 * the others ten and more milliseconds late.
 */

/** So long one turn looks at what was read. */
const SLICE_MS = 0.5;
/** Callbacks chained to it run after every read of this turn. */
const AFTER_READS = Promise.resolve();

/** Something that has been read and is to be looked at. */
export interface ReadReply {
  look(): void;
}

/** See the module's comment. */
export class ReadTurn {
  /** The run's clock. */
  readonly nowNs: () => number;
  readonly #end = (): void => this.#endTurn();
  /** Stamp of this turn's reads; NaN before the first. */
  #stampNs = NaN;
  /** In the order in which they are looked at, the first one at `#next`. */
  #waiting: ReadReply[] = [];
  #next = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(nowNs: () => number) {
    this.nowNs = nowNs;
  }

  /** When the reads of this turn returned; to be called by each of them. */
  stamp(): number {
    if (Number.isNaN(this.#stampNs)) {
      this.#stampNs = this.nowNs();
      AFTER_READS.then(this.#end);
    }
    return this.#stampNs;
  }

  /** Has a reply looked at after the reads of this turn; to be called in the turn of a read. */
  add(reply: ReadReply): void {
    this.#waiting.push(reply);
  }

  #endTurn(): void {
    this.#stampNs = NaN;
    if (this.#waiting.length > 0) this.#work();
  }

  #work(): void {
    const waiting = this.#waiting;
    const endMs = performance.now() + SLICE_MS;
    do (waiting[this.#next++] as ReadReply).look();
    while (this.#next < waiting.length && performance.now() < endMs);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#next === waiting.length) {
      this.#waiting = [];
      this.#next = 0;
    } else {
      // In case that no read comes soon. A message to oneself would come sooner, but as long as one
      // is under way the runtime does not ask the operating system for reads, for up to a second.
      this.#timer = setTimeout(() => this.#work(), 0);
    }
  }
}
