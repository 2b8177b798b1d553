import { MAX_WORKERS } from "../../config/options/max_workers.ts";

const INSIDE = 0;
const LAST_TICKET = 1;
const FIRST_WORKER_CELL = 2;
/**
 * Cells of each worker: the number of its holders, and the lowest ticket of its waiting requests.
 */
const WORKER_CELLS = 2;
const CELLS = FIRST_WORKER_CELL + MAX_WORKERS * WORKER_CELLS;

/**
 * State in shared memory of a limit that all threads share: the number of holders and the waiting
 * requests. The order is first come, first served across threads: each waiting request draws a
 * ticket, and each thread shows its lowest one.
 */
export class SharedGate {
  /** Number of shared cells. */
  static readonly CELLS = CELLS;
  readonly #cells: Int32Array;

  /** @param cells shared by all threads */
  constructor(cells: Int32Array) {
    this.#cells = cells;
  }

  /** Forgets everything. Only while no thread is at work. */
  reset(): void {
    this.#cells.fill(0);
  }

  /** How many are inside. */
  get inside(): number {
    return Atomics.load(this.#cells, INSIDE);
  }

  /** Enters if fewer than `limit` are inside. */
  enter(limit: number, worker: number): boolean {
    for (;;) {
      const inside = this.inside;
      if (inside >= limit) return false;
      if (Atomics.compareExchange(this.#cells, INSIDE, inside, inside + 1) === inside) {
        Atomics.add(this.#cells, insideCell(worker), 1);
        return true;
      }
    }
  }

  leave(worker: number): void {
    Atomics.sub(this.#cells, insideCell(worker), 1);
    Atomics.sub(this.#cells, INSIDE, 1);
  }

  /** Draws a ticket: a larger number than every one before. */
  draw(): number {
    return Atomics.add(this.#cells, LAST_TICKET, 1) + 1;
  }

  /** Shows the lowest ticket of a thread; 0 if it has no waiting request. */
  show(ticket: number, worker: number): void {
    Atomics.store(this.#cells, ticketCell(worker), ticket);
  }

  /** Thread whose request has waited the longest; undefined if none waits. */
  get first(): number | undefined {
    let first: number | undefined;
    let least = Infinity;
    for (let worker = 0; worker < MAX_WORKERS; worker++) {
      const ticket = Atomics.load(this.#cells, ticketCell(worker));
      if (ticket === 0 || ticket >= least) continue;
      least = ticket;
      first = worker;
    }
    return first;
  }

  /** Removes a worker that died: it has neither holders nor waiting requests. */
  lose(worker: number): void {
    this.show(0, worker);
    Atomics.sub(this.#cells, INSIDE, Atomics.exchange(this.#cells, insideCell(worker), 0));
  }
}

function insideCell(worker: number): number {
  return FIRST_WORKER_CELL + worker * WORKER_CELLS;
}

function ticketCell(worker: number): number {
  return FIRST_WORKER_CELL + worker * WORKER_CELLS + 1;
}
