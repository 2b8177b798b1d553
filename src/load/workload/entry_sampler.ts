import { randomStream } from "../../core/statistics/random_stream.ts";
import type { WorkloadSource } from "./workload.ts";

/**
 * Selects the entry of the payload table that each request of a phase sends. The choice depends
 * only on the request's number and the seed, so every thread gets the same result.
 *
 * Warm-up has entries of its own if there are any, so that no prompt which is measured later is in
 * the server's caches.
 */
export class EntrySampler {
  readonly #strategy: WorkloadSource["samplingStrategy"];
  readonly #seed: number;
  readonly #first: number;
  readonly #count: number;
  readonly #name: string;
  #pass = -1;
  #order = new Uint32Array(0);

  constructor(
    source: Pick<
      WorkloadSource,
      "seed" | "samplingStrategy" | "profilingEntries" | "warmupEntries"
    >,
    phase: "warmup" | "profiling",
  ) {
    const own = phase === "warmup" && source.warmupEntries > 0;
    this.#strategy = source.samplingStrategy;
    this.#seed = source.seed;
    this.#name = `sampler.${phase}`;
    this.#first = own ? source.profilingEntries : 0;
    this.#count = own ? source.warmupEntries : source.profilingEntries;
  }

  /** Entry of a request. */
  entryOf(index: number): number {
    switch (this.#strategy) {
      case "sequential":
        return this.#first + index % this.#count;
      case "random":
        return this.#first +
          Math.floor(randomStream(this.#seed, this.#name, index)() * this.#count);
      case "shuffle":
        return this.#first + this.#shuffled(index);
    }
  }

  #shuffled(index: number): number {
    const pass = Math.floor(index / this.#count);
    if (pass !== this.#pass) {
      const random = randomStream(this.#seed, this.#name, pass);
      const order = Uint32Array.from({ length: this.#count }, (_, entry) => entry);
      for (let i = order.length - 1; i > 0; i--) {
        const other = Math.floor(random() * (i + 1));
        const entry = order[i] as number;
        order[i] = order[other] as number;
        order[other] = entry;
      }
      this.#pass = pass;
      this.#order = order;
    }
    return this.#order[index % this.#count] as number;
  }
}
