/**
 * The few numbers that all threads of a run share, in shared memory.
 *
 * Sessions, and their later requests, are claimed by atomic increments, so no worker idles while
 * another has work queued, and the order of claims is the order of arrivals. A limit that two
 * threads could pass at once is guarded by compare-and-exchange.
 */

import { MAX_WORKERS } from "../../config/options/max_workers.ts";
import { IdleCells } from "./idle_cells.ts";
import type { Outcome } from "./request_end.ts";
import { ServerPresence } from "./server_presence.ts";
import { SharedGate } from "./shared_gate.ts";
import { SteeringCells } from "./steering_cells.ts";

const NEXT = 0;
const ARRIVED = 1;
const IN_FLIGHT = 2;
const STOP = 3;
const SUCCEEDED = 4;
const FAILED = 5;
const ARRIVALS_ENDED = 6;
const PACER_SLEEP = 7;
const CANCELLED = 8;
const NEXT_TURN = 9;
const COUNTS_TURNS = 10;
const QUEUED = 11;
const STARVED = 12;
const STARVED_AT = 13;
/** Number of the active phase. */
const PHASE = 14;
/** Priming calls of the run that succeeded, and that failed. */
const PRIMED = 15;
const PRIMING_FAILED = 16;
const FIRST_PRESENCE_CELL = 17;
const FIRST_GATE_CELL = FIRST_PRESENCE_CELL + ServerPresence.CELLS;
const CELLS = FIRST_GATE_CELL + SharedGate.CELLS;

const OUTCOME_CELLS: Readonly<Record<Outcome, number>> = {
  succeeded: SUCCEEDED,
  failed: FAILED,
  cancelled: CANCELLED,
};
/** Cells that are reset to zero at the beginning of a phase. */
const PHASE_CELLS = [
  ...[NEXT, ARRIVED, IN_FLIGHT, STOP, SUCCEEDED, FAILED, CANCELLED, ARRIVALS_ENDED],
  ...[NEXT_TURN, QUEUED, STARVED, STARVED_AT],
];

/**
 * Cells of each worker: a heartbeat, its active sessions, its content chunks, its requests in flight
 * if sessions may have several, and whether it has been notified of arrivals that it has not checked
 * yet.
 */
const WORKER_CELLS = 5;
const FIRST_WORKER_CELL = CELLS;
const ALL_CELLS = FIRST_WORKER_CELL + MAX_WORKERS * WORKER_CELLS;
/** Offset of the cells that a user can change during a run, aligned to eight bytes. */
const STEERING_BYTE = Math.ceil(ALL_CELLS / 2) * 2 * Int32Array.BYTES_PER_ELEMENT;
const IDLE_BYTE = Math.ceil((STEERING_BYTE + SteeringCells.BYTES) / 8) * 8;

/** Result of a claim that gave no index. */
export const NOTHING_DUE = -1;

/** Shared counters of the active phase. */
export class ControlBlock {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;
  /** Whether the servers are there. */
  readonly presence: ServerPresence;
  /** Changes of the load by the user. */
  readonly steering: SteeringCells;
  /** Requests that wait for their first token, and those that wait for room among them. */
  readonly prefill: SharedGate;
  /** Calls of recorded sessions in flight and pending. */
  readonly idle: IdleCells;

  constructor(
    buffer: SharedArrayBuffer = new SharedArrayBuffer(IDLE_BYTE + IdleCells.BYTES),
  ) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer, 0, ALL_CELLS);
    this.presence = new ServerPresence(this.#cells.subarray(FIRST_PRESENCE_CELL, FIRST_GATE_CELL));
    this.prefill = new SharedGate(this.#cells.subarray(FIRST_GATE_CELL, CELLS));
    this.steering = new SteeringCells(buffer, STEERING_BYTE);
    this.idle = new IdleCells(buffer, IDLE_BYTE);
  }

  /**
   * Prepares for a phase. Only while no thread is at work.
   * @param countsTurns whether sessions may have several requests, with numbers of their own
   */
  beginPhase(countsTurns = false): void {
    // First of all: who is still at the phase before must not take this one for it.
    Atomics.add(this.#cells, PHASE, 1);
    for (const cell of PHASE_CELLS) Atomics.store(this.#cells, cell, 0);
    Atomics.store(this.#cells, COUNTS_TURNS, countsTurns ? 1 : 0);
    this.presence.reset();
    this.prefill.reset();
    this.steering.reset();
    this.idle.reset();
    for (let worker = 0; worker < MAX_WORKERS; worker++) {
      this.setChunks(worker, 0);
      Atomics.store(this.#cells, requestCell(worker), 0);
      Atomics.store(this.#cells, toldCell(worker), 0);
    }
  }

  /** Number of the active phase, from 1. */
  get phase(): number {
    return Atomics.load(this.#cells, PHASE);
  }

  /** Sessions claimed. */
  get claimed(): number {
    return Atomics.load(this.#cells, NEXT);
  }

  /** Requests claimed: the sessions, unless they may have several each. */
  get requested(): number {
    return this.countsTurns ? Atomics.load(this.#cells, NEXT_TURN) : this.claimed;
  }

  /** Whether sessions may have several requests. */
  get countsTurns(): boolean {
    return Atomics.load(this.#cells, COUNTS_TURNS) !== 0;
  }

  /** Sessions that the arrival process has asked for. */
  get arrived(): number {
    return Atomics.load(this.#cells, ARRIVED);
  }

  /** Number of active sessions, including sessions between two requests. */
  get inFlight(): number {
    return Atomics.load(this.#cells, IN_FLIGHT);
  }

  /** Number of requests in flight; sessions may have several, or none between two requests. */
  get requestsInFlight(): number {
    if (!this.countsTurns) return this.inFlight;
    let sum = 0;
    for (let worker = 0; worker < MAX_WORKERS; worker++) sum += this.requestsInFlightOf(worker);
    return sum;
  }

  get succeeded(): number {
    return Atomics.load(this.#cells, SUCCEEDED);
  }

  get failed(): number {
    return Atomics.load(this.#cells, FAILED);
  }

  get cancelled(): number {
    return Atomics.load(this.#cells, CANCELLED);
  }

  /** Counts a priming call; those of all phases count together. */
  countPriming(outcome: Outcome): void {
    Atomics.add(this.#cells, outcome === "succeeded" ? PRIMED : PRIMING_FAILED, 1);
  }

  /** Priming calls that succeeded. */
  get primed(): number {
    return Atomics.load(this.#cells, PRIMED);
  }

  /** Priming calls that failed, or were ended by the client. */
  get primingFailed(): number {
    return Atomics.load(this.#cells, PRIMING_FAILED);
  }

  /** Sessions that were free to begin before their conversation was read. */
  get starved(): number {
    return Atomics.load(this.#cells, STARVED);
  }

  /** A user is free to begin a session whose conversation is not read. */
  starve(): void {
    Atomics.add(this.#cells, STARVED, 1);
  }

  /** Counts a session as starved that has arrived; several threads may detect it. */
  starveAt(index: number): void {
    if (Atomics.exchange(this.#cells, STARVED_AT, index + 1) !== index + 1) this.starve();
  }

  get stopped(): boolean {
    return Atomics.load(this.#cells, STOP) !== 0;
  }

  /** Has every thread send nothing more, and wakes the pacer to notice. */
  stop(): void {
    Atomics.store(this.#cells, STOP, 1);
    this.wakePacer();
  }

  /** Ends the pacer's sleep: what it waits for may be due at another time now. */
  wakePacer(): void {
    Atomics.add(this.#cells, PACER_SLEEP, 1);
    Atomics.notify(this.#cells, PACER_SLEEP);
  }

  /** Claims the next session of a closed loop below `limit` and counts it as active. */
  claim(limit: number, worker: number): number {
    if (this.stopped) return NOTHING_DUE;
    for (;;) {
      const next = Atomics.load(this.#cells, NEXT);
      if (next >= limit) return NOTHING_DUE;
      if (Atomics.compareExchange(this.#cells, NEXT, next, next + 1) === next) {
        Atomics.add(this.#cells, IN_FLIGHT, 1);
        Atomics.add(this.#cells, inFlightCell(worker), 1);
        return next;
      }
    }
  }

  /**
   * Claims the oldest unclaimed session that has arrived and counts it as active, if fewer than
   * `cap` sessions are active.
   * @param limit claims only sessions with a smaller number
   */
  claimArrived(cap: number, worker: number, limit = Infinity): number {
    while (!this.stopped && this.claimed < Math.min(limit, this.arrived)) {
      if (!this.#enter(cap)) {
        this.noteQueued();
        return NOTHING_DUE;
      }
      for (;;) {
        const next = this.claimed;
        if (next >= Math.min(limit, this.arrived)) break;
        if (Atomics.compareExchange(this.#cells, NEXT, next, next + 1) === next) {
          Atomics.add(this.#cells, inFlightCell(worker), 1);
          return next;
        }
      }
      // Another thread took it. While this thread held a slot for nothing, another may have been
      // turned away, so look again after giving it back.
      Atomics.sub(this.#cells, IN_FLIGHT, 1);
    }
    return NOTHING_DUE;
  }

  /** Counts the sessions that have arrived by now and are unclaimed as queued for a slot. */
  noteQueued(): void {
    Atomics.store(this.#cells, QUEUED, this.arrived);
  }

  /** Whether an arrival had to wait for room. */
  wasQueued(index: number): boolean {
    return index < Atomics.load(this.#cells, QUEUED);
  }

  #enter(cap: number): boolean {
    for (;;) {
      const inFlight = this.inFlight;
      if (inFlight >= cap) return false;
      if (Atomics.compareExchange(this.#cells, IN_FLIGHT, inFlight, inFlight + 1) === inFlight) {
        return true;
      }
    }
  }

  /** Counts a session of a worker as ended with a request in flight. */
  release(outcome: Outcome, worker: number): void {
    this.count(outcome, worker);
    this.leave(worker);
  }

  /** Counts a request as ended; its session may continue, and keeps its slot until it leaves. */
  count(outcome: Outcome, worker: number): void {
    Atomics.add(this.#cells, OUTCOME_CELLS[outcome], 1);
    if (this.countsTurns) Atomics.sub(this.#cells, requestCell(worker), 1);
  }

  /** Counts a session as ended that had no request in flight. */
  leave(worker: number): void {
    Atomics.sub(this.#cells, inFlightCell(worker), 1);
    Atomics.sub(this.#cells, IN_FLIGHT, 1);
  }

  /** Claims the number of a worker's next request below `limit`, where sessions may have several. */
  claimTurn(limit: number, worker: number): number {
    for (;;) {
      const next = Atomics.load(this.#cells, NEXT_TURN);
      if (next >= limit) return NOTHING_DUE;
      if (Atomics.compareExchange(this.#cells, NEXT_TURN, next, next + 1) === next) {
        Atomics.add(this.#cells, requestCell(worker), 1);
        return next;
      }
    }
  }

  /** A worker died: its requests in flight have failed. */
  loseWorker(worker: number): void {
    const requests = this.requestsInFlightOf(worker);
    const lost = Atomics.exchange(this.#cells, inFlightCell(worker), 0);
    Atomics.store(this.#cells, requestCell(worker), 0);
    Atomics.add(this.#cells, FAILED, requests);
    Atomics.sub(this.#cells, IN_FLIGHT, lost);
    this.prefill.lose(worker);
    this.idle.lose(worker);
  }

  /** Number of content chunks a worker has read in the phase. */
  setChunks(worker: number, count: number): void {
    Atomics.store(this.#cells, chunkCell(worker), count);
  }

  /** Content chunks that all workers have read in the phase, as far as they have said. */
  get chunks(): number {
    let sum = 0;
    for (let worker = 0; worker < MAX_WORKERS; worker++) {
      sum += Atomics.load(this.#cells, chunkCell(worker));
    }
    return sum;
  }

  /** Returns the number of requests of a worker that are in flight. */
  requestsInFlightOf(worker: number): number {
    const cell = this.countsTurns ? requestCell(worker) : inFlightCell(worker);
    return Atomics.load(this.#cells, cell);
  }

  /** Content chunks that a worker has read in the phase, as far as it has said. */
  chunksOf(worker: number): number {
    return Atomics.load(this.#cells, chunkCell(worker));
  }

  /** A worker is alive. */
  beat(worker: number): void {
    Atomics.add(this.#cells, FIRST_WORKER_CELL + worker * WORKER_CELLS, 1);
  }

  /** How often a worker has said that it is alive. */
  beats(worker: number): number {
    return Atomics.load(this.#cells, FIRST_WORKER_CELL + worker * WORKER_CELLS);
  }

  /** Records that the arrival process has requested at least `count` requests in total. */
  setArrived(count: number): void {
    for (;;) {
      const { arrived } = this;
      if (arrived >= count) return;
      if (Atomics.compareExchange(this.#cells, ARRIVED, arrived, count) === arrived) return;
    }
  }

  /**
   * Returns whether a worker must be notified of an arrival: it has checked since its last
   * notification.
   */
  tell(worker: number): boolean {
    return Atomics.exchange(this.#cells, toldCell(worker), 1) === 0;
  }

  /** Records that a worker has been notified and checks now. */
  hear(worker: number): void {
    Atomics.store(this.#cells, toldCell(worker), 0);
  }

  /** Whether the arrival process is over. */
  get arrivalsEnded(): boolean {
    return Atomics.load(this.#cells, ARRIVALS_ENDED) !== 0;
  }

  /** The arrival process asks for nothing more. */
  endArrivals(): void {
    Atomics.store(this.#cells, ARRIVALS_ENDED, 1);
  }

  /** Blocks this thread for this time, or until the phase is stopped. Not on a thread with I/O. */
  sleep(milliseconds: number): void {
    const seen = Atomics.load(this.#cells, PACER_SLEEP);
    if (!this.stopped) Atomics.wait(this.#cells, PACER_SLEEP, seen, milliseconds);
  }
}

function chunkCell(worker: number): number {
  return FIRST_WORKER_CELL + worker * WORKER_CELLS + 2;
}

function requestCell(worker: number): number {
  return FIRST_WORKER_CELL + worker * WORKER_CELLS + 3;
}

function toldCell(worker: number): number {
  return FIRST_WORKER_CELL + worker * WORKER_CELLS + 4;
}

function inFlightCell(worker: number): number {
  return FIRST_WORKER_CELL + worker * WORKER_CELLS + 1;
}
