/**
 * State that the connections of one thread share in an event-loop iteration: the timestamp of their
 * reads, and the time spent on processing what was read.
 *
 * One iteration returns the reads of many connections at once. They get one timestamp, taken before
 * anything else is done. Processing takes a short slice of time only; the rest waits for the next
 * iterations. With 400 streams that begin and end together, the work on some would otherwise make
 * the reads of the others 10 ms and more late.
 *
 * The runtime serves at most 128 reads per iteration and serves the postponed ones last. If during
 * an iteration that many become ready, some wait for a quarter of a second, and the state persists.
 * An iteration with many reads therefore processes almost nothing: the iteration is short, and the
 * next ones catch up. Replies have buffers for dozens of reads.
 *
 * The bytes that an iteration reads had not arrived when the runtime requested the reads of the
 * iteration before. They were written after the end of the iteration before that, even on a busy
 * machine. The rule requires a read that was pending by then, on a connection with nothing left to
 * read. It also requires so few connections that the runtime postpones no read, and no saturation,
 * which the canary delays show. Almost all paced chunks follow the rule (docs/accuracy.md has the
 * counts).
 *
 * For only the iteration before, a fifth of the chunks do not. With more reads than one iteration
 * serves, 5 to 20 % were earlier, as were chunks of 16 and 100 streams without pauses.
 */

/** Time slice per iteration for processing what was read, in nanoseconds. */
const SLICE_NS = 0.5e6;
/**
 * Time slice in nanoseconds after a period without reads: a hundred replies have ended at once, and
 * their users wait. Users then began their next requests within 48 ms instead of 69 ms, with no
 * first token read later.
 */
const SILENT_SLICE_NS = 2e6;
/** With more reads than this a turn looks at one reply. */
const MAX_CALM_READS = 64;
/** With fewer connections than this the runtime puts no read off. */
const MAX_OPEN = 120;
/** Number of processed entries at which their memory is released. */
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
  /** Timestamp of the reads of this iteration in nanoseconds; NaN before the first. */
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
  /** Timer that runs while reads are left to process. */
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

  /** Registers a connection that is opened and will have a pending read. */
  open(): void {
    this.#open++;
  }

  /** Removes a closed connection. */
  close(): void {
    this.#open--;
  }

  /** Number of the turn, for {@linkcode ReadTurn.sinceNs}. */
  get number(): number {
    return this.#number;
  }

  /**
   * Returns the time after which the bytes of this iteration's read were written, in nanoseconds;
   * NaN if unknown.
   * @param begun iteration in which the read began, if bytes may have been waiting by then
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
   * Schedules processing of the rest in case no read comes soon. A message to the same thread would
   * arrive sooner, but while one is pending the runtime does not poll the operating system for
   * reads, for up to a second. One timer covers many iterations: a timer for each would cost as
   * much as a read.
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
