/** Slots of a table that is empty. */
const FIRST_SLOTS = 1024;
/** Share of the slots that may be taken. */
const MAX_LOAD = 0.7;

/**
 * How often each block was used: a table of numbers, because a trace may have tens of millions of
 * different blocks, more than the runtime's own maps hold.
 */
export class UseCounts {
  /** Ids by slot; -1 where there is none. */
  #ids = new Float64Array(FIRST_SLOTS).fill(-1);
  #counts = new Uint32Array(FIRST_SLOTS);
  #size = 0;

  /** Different blocks. */
  get size(): number {
    return this.#size;
  }

  /** Whether a block was used. */
  has(id: number): boolean {
    return this.#ids[this.#slotOf(id)] === id;
  }

  /** Counts a use. */
  add(id: number): void {
    if (this.#size >= this.#ids.length * MAX_LOAD) this.#grow();
    const slot = this.#slotOf(id);
    if (this.#ids[slot] !== id) {
      this.#ids[slot] = id;
      this.#size++;
    }
    this.#counts[slot] = (this.#counts[slot] as number) + 1;
  }

  /** Uses of each block, in no order. */
  *counts(): Generator<number> {
    for (const count of this.#counts) if (count > 0) yield count;
  }

  /** The slot of an id, or the free one that it would take. */
  #slotOf(id: number): number {
    const mask = this.#ids.length - 1;
    let hash = Math.imul(id | 0, 0x9e3779b1) ^ Math.imul((id / 2 ** 32) | 0, 0x85ebca6b);
    hash ^= hash >>> 15;
    for (let slot = hash & mask;; slot = (slot + 1) & mask) {
      const known = this.#ids[slot];
      if (known === id || known === -1) return slot;
    }
  }

  #grow(): void {
    const ids = this.#ids;
    const counts = this.#counts;
    this.#ids = new Float64Array(ids.length * 2).fill(-1);
    this.#counts = new Uint32Array(ids.length * 2);
    ids.forEach((id, old) => {
      if (id === -1) return;
      const slot = this.#slotOf(id);
      this.#ids[slot] = id;
      this.#counts[slot] = counts[old] as number;
    });
  }
}
