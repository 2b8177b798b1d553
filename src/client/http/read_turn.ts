/**
 * What the connections of one thread share in a turn of the event loop: the stamp of their reads, and
 * the time that is given to what was read.
 *
 * One turn brings the reads of many connections at once. They get one stamp, taken before anything
 * else is done. What they brought is looked at for a short while only; the rest waits for the next
 * turns. With 400 streams that begin and end together the work on some would else make the reads of
 * the others ten and more milliseconds late.
 *
 * The runtime serves at most 128 reads a turn, and of those that it puts off the last ones first. When
 * during a turn as many become ready as it serves, some wait for a quarter of a second, and it stays
 * like that. So a turn with many reads looks at next to nothing: they are cheap, the turn is short, and
 * the next ones catch up. Replies have room for dozens of reads meanwhile.
 *
 * What a turn reads was not there yet when the runtime asked for the reads of the turn before: it was
 * written after the end of the turn before that, however the machine fared. That holds for a read that
 * was under way by then, on a connection that had nothing left to read, as long as the runtime has so
 * few connections that it puts no read off, and is not saturated (canaries tell). Of paced chunks all
 * but a few keep to that (docs/accuracy.md has the counts); of the turn before alone a fifth do not. With
 * more reads than it serves a turn, 5 to 20 % were earlier, and so were where 16 and 100 streams came
 * without a pause.
 */

/** So long one turn looks at what was read. */
const SLICE_NS = 0.5e6;
/**
 * The same where nothing was read for a while: a hundred replies have ended at once, and their users
 * wait. They began their next requests within 48 ms instead of 69 then, with no first token read later.
 */
const SILENT_SLICE_NS = 2e6;
/** With more reads than this a turn looks at one reply. */
const MAX_CALM_READS = 64;
/** With fewer connections than this the runtime puts no read off. */
const MAX_OPEN = 120;
/** Places of what has been looked at are given back when there are so many of them. */
const MAX_LOOKED_AT = 1024;
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
  readonly #between: () => void;
  readonly #end = (): void => this.#endTurn();
  readonly #onWatch = (): void => this.#lookUnlessReading();
  /** Stamp of this turn's reads; NaN before the first. */
  #stampNs = NaN;
  #sinceNs = NaN;
  #reads = 0;
  #number = 0;
  #open = 0;
  /** Ends of the turn before and of the one before that. */
  #lastEndNs = NaN;
  #olderEndNs = NaN;
  /** In the order in which they are looked at, the first one at `#next`. */
  #waiting: ReadReply[] = [];
  #next = 0;
  /** Goes on while something is left to look at. */
  #timer: ReturnType<typeof setInterval> | undefined;
  /** The turn that was next when it was seen last. */
  #watchedFrom = 0;

  /** @param between called after the reads of a turn, and after each reply that was looked at */
  constructor(nowNs: () => number, between: () => void = () => {}) {
    this.nowNs = nowNs;
    this.#between = between;
  }

  /** When the reads of this turn returned; to be called by each of them. */
  stamp(): number {
    if (Number.isNaN(this.#stampNs)) {
      this.#stampNs = this.nowNs();
      this.#sinceNs = this.#olderEndNs;
      AFTER_READS.then(this.#end);
    }
    this.#reads++;
    return this.#stampNs;
  }

  /** A connection is opened, on which there will be a read under way. */
  open(): void {
    this.#open++;
  }

  /** It is closed. */
  close(): void {
    this.#open--;
  }

  /** Number of the turn, for {@linkcode ReadTurn.sinceNs}. */
  get number(): number {
    return this.#number;
  }

  /**
   * What a read of this turn brings was written after this time; NaN where that is not known.
   * @param begun the turn in which the read began, if there may have been something to read by then
   */
  sinceNs(begun: number): number {
    return begun <= this.#number - 2 && this.#open < MAX_OPEN ? this.#sinceNs : NaN;
  }

  /** Has a reply looked at after the reads of this turn; to be called in the turn of a read. */
  add(reply: ReadReply): void {
    this.#waiting.push(reply);
  }

  #endTurn(): void {
    const isCalm = this.#reads <= MAX_CALM_READS;
    this.#stampNs = NaN;
    this.#reads = 0;
    this.#between();
    if (this.#waiting.length > 0) this.#work(isCalm ? SLICE_NS : 0);
    this.#olderEndNs = this.#lastEndNs;
    this.#lastEndNs = this.nowNs();
    this.#number++;
    this.#watch();
  }

  #work(sliceNs: number): void {
    const waiting = this.#waiting;
    const endNs = this.nowNs() + sliceNs;
    do {
      (waiting[this.#next++] as ReadReply).look();
      this.#between();
    } while (this.#next < waiting.length && this.nowNs() < endNs);
    if (this.#next === waiting.length) {
      waiting.length = 0;
      this.#next = 0;
    } else if (this.#next >= MAX_LOOKED_AT) {
      this.#waiting = waiting.slice(this.#next);
      this.#next = 0;
    }
  }

  /**
   * Looks at what is left in case that no read comes soon. A message to oneself would come sooner, but
   * as long as one is under way the runtime does not ask the operating system for reads, for up to a
   * second. One timer watches over many turns: each of its own costs as much as a read.
   */
  #watch(): void {
    if (this.#timer !== undefined || this.#waiting.length === 0) return;
    this.#watchedFrom = this.#number;
    this.#timer = setInterval(this.#onWatch, 0);
  }

  #lookUnlessReading(): void {
    if (this.#waiting.length > 0 && this.#number === this.#watchedFrom) {
      this.#work(SILENT_SLICE_NS);
    }
    this.#watchedFrom = this.#number;
    if (this.#waiting.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
