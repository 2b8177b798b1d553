/**
 * Changes that a user makes to a running load, in the shared memory of the run: a pause, the target
 * number of users of each worker of a closed loop, the tempo of an arrival process. Without changes
 * every thread follows the plan.
 */

import { MAX_WORKERS } from "../../config/options/max_workers.ts";

/**
 * Whether the load can be changed interactively: arrivals beyond the phase's end may then still be
 * due in it.
 */
const STEERABLE = 0;
const STEERED = 1;
const PAUSED = 2;
const TEMPI = 3;
const FIRST_USERS = 4;
const CELLS = FIRST_USERS + MAX_WORKERS;
/** Changes of tempo that a phase can have. */
const MAX_TEMPI = 1024;
/** Numbers of a tempo: since when, the planned time then, planned time that passes in a moment. */
const TEMPO_FIELDS = 3;
const CELL_BYTES = CELLS * Int32Array.BYTES_PER_ELEMENT;

/** See the module's comment. */
export class SteeringCells {
  /** Bytes of shared memory; they begin at a multiple of eight. */
  static readonly BYTES = CELL_BYTES + MAX_TEMPI * TEMPO_FIELDS * Float64Array.BYTES_PER_ELEMENT;
  readonly #cells: Int32Array;
  readonly #tempi: Float64Array;

  /** @param byteOffset where its memory begins in that of the run */
  constructor(buffer: SharedArrayBuffer, byteOffset: number) {
    this.#cells = new Int32Array(buffer, byteOffset, CELLS);
    this.#tempi = new Float64Array(buffer, byteOffset + CELL_BYTES, MAX_TEMPI * TEMPO_FIELDS);
  }

  /** Goes back to the plan. Only while no thread is at work. */
  reset(): void {
    for (let cell = 0; cell < CELLS; cell++) Atomics.store(this.#cells, cell, 0);
  }

  /** Whether there may be changes in this phase. */
  get isSteerable(): boolean {
    return Atomics.load(this.#cells, STEERABLE) !== 0;
  }

  /** Allows changes from now onwards; to be called before the phase begins. */
  allow(): void {
    Atomics.store(this.#cells, STEERABLE, 1);
  }

  /** Whether anything was changed in this phase. */
  get isSteered(): boolean {
    return Atomics.load(this.#cells, STEERED) !== 0;
  }

  /** Whether nothing new may begin. */
  get isPaused(): boolean {
    return Atomics.load(this.#cells, PAUSED) !== 0;
  }

  /** Begins or ends a pause. */
  setPaused(isPaused: boolean): void {
    Atomics.store(this.#cells, PAUSED, isPaused ? 1 : 0);
    Atomics.store(this.#cells, STEERED, 1);
  }

  /** Users that a worker is to have; undefined for as many as were planned. */
  users(worker: number): number | undefined {
    const cell = Atomics.load(this.#cells, FIRST_USERS + worker);
    return cell === 0 ? undefined : cell - 1;
  }

  /** Sets how many users a worker is to have. */
  setUsers(worker: number, users: number): void {
    Atomics.store(this.#cells, FIRST_USERS + worker, users + 1);
    Atomics.store(this.#cells, STEERED, 1);
  }

  /** Tempi that can still be set. */
  get roomForTempi(): number {
    return MAX_TEMPI - Atomics.load(this.#cells, TEMPI);
  }

  /**
   * Changes the tempo at which planned time passes; only one thread may call this.
   * @param fromNs since the phase's start; not before an earlier change, and in the future, so that
   * no arrival which is already due is moved
   * @param factor 1 as planned, 2 twice as fast, 0 not at all
   */
  setTempo(fromNs: number, factor: number): void {
    const count = Atomics.load(this.#cells, TEMPI);
    if (count >= MAX_TEMPI) throw new RangeError(`There are ${MAX_TEMPI} changes of tempo already`);
    const at = count * TEMPO_FIELDS;
    this.#tempi.set([fromNs, this.plannedNs(fromNs), factor], at);
    Atomics.store(this.#cells, TEMPI, count + 1);
    Atomics.store(this.#cells, STEERED, 1);
  }

  /**
   * Returns when an arrival is due that was planned for an offset from the phase's start; Infinity
   * while planned time is paused before it.
   */
  dueNs(plannedNs: number): number {
    const count = Atomics.load(this.#cells, TEMPI);
    let last = count - 1;
    while (last >= 0 && this.#field(last, 1) >= plannedNs) last--;
    if (last < 0) return plannedNs;
    const factor = this.#field(last, 2);
    const restNs = plannedNs - this.#field(last, 1);
    return factor > 0 ? Math.round(this.#field(last, 0) + restNs / factor) : Infinity;
  }

  /** The planned time at a time since the phase's start, after all changes of tempo so far. */
  plannedNs(atNs: number): number {
    const count = Atomics.load(this.#cells, TEMPI);
    if (count === 0) return atNs;
    const [fromNs, plannedNs, factor] = [0, 1, 2].map((field) => this.#field(count - 1, field)) as [
      number,
      number,
      number,
    ];
    return plannedNs + (atNs - fromNs) * factor;
  }

  #field(number: number, field: number): number {
    return this.#tempi[number * TEMPO_FIELDS + field] as number;
  }
}
