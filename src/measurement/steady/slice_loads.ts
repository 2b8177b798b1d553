import { lowerBound } from "../../core/statistics/search_sorted.ts";
import type { RecordTable } from "../metrics/record_table.ts";
import { backlogSlope } from "./backlog.ts";
import type { OfferedLoad } from "./offered_load.ts";
import type { LoadFacts } from "./steady_window.ts";

/** Slices of equal width, in ns of the run's clock. */
export interface Slicing {
  readonly firstNs: number;
  readonly sliceNs: number;
  /** End of the last slice. */
  readonly endNs: number;
}

/** The load of slices of a run, however many: requests are looked at once, not for each slice. */
export class SliceLoads {
  readonly #load: OfferedLoad;
  readonly #starts: Float64Array;
  readonly #arrivals: Float64Array;
  readonly #ends: Float64Array;
  readonly #served: Float64Array;
  /** Time in which requests were in flight in each slice, in ns times requests. */
  readonly #inFlightNs: Float64Array;
  readonly #slicing: Slicing;

  constructor(table: RecordTable, load: OfferedLoad, slicing: Slicing) {
    const { endNs, firstNs, sliceNs } = slicing;
    this.#load = load;
    this.#slicing = slicing;
    const sorted = (times: Float64Array): Float64Array =>
      times.filter((time) => !Number.isNaN(time)).sort();
    this.#starts = sorted(table.allStartNs.values);
    this.#arrivals = load.loop === "closed" ? this.#starts : sorted(table.intendedNs.values);
    this.#ends = sorted(table.allEndNs.values);
    this.#served = sorted(table.contentEndNs.values);
    this.#inFlightNs = new Float64Array(Math.max(1, Math.ceil((endNs - firstNs) / sliceNs)));
    const ends = table.allEndNs.values;
    table.allStartNs.values.forEach((start, row) => this.#addFlight(start, ends[row] as number));
  }

  /** Number of slices up to the end of the last one. */
  get count(): number {
    return this.#inFlightNs.length;
  }

  /** Whether any request was in flight in a slice. */
  hasRequests(slice: number): boolean {
    return (this.#inFlightNs[slice] ?? 0) > 0;
  }

  /** Load of a slice. */
  factsOf(slice: number): LoadFacts {
    const { endNs: lastNs, firstNs, sliceNs } = this.#slicing;
    const startNs = firstNs + slice * sliceNs;
    const endNs = Math.min(startNs + sliceNs, Math.max(startNs, lastNs));
    const seconds = (endNs - startNs) / 1e9;
    const load = this.#load;
    const within = (times: Float64Array): Float64Array =>
      times.subarray(lowerBound(times, startNs), lowerBound(times, endNs));
    const arrivals = within(this.#arrivals);
    const before = lowerBound(this.#starts, endNs);
    const lastStartNs = Math.max(startNs, this.#starts[before - 1] ?? startNs);
    return {
      offeredPerSecond: arrivals.length / seconds,
      servedPerSecond: within(this.#served).length / seconds,
      meanInFlight: (this.#inFlightNs[slice] ?? 0) / (endNs - startNs),
      targetInFlight: load.loop === "closed" ? load.slots : undefined,
      backlog: load.loop === "open"
        ? backlogSlope({ startNs, endNs }, arrivals, within(this.#ends))
        : undefined,
      afterLastStartShare: before < this.#starts.length ? 0 : (endNs - lastStartNs) /
        (endNs - startNs),
    };
  }

  #addFlight(start: number, end: number): void {
    const { firstNs, sliceNs } = this.#slicing;
    if (!(end > start)) return;
    const last = Math.min(this.count - 1, Math.floor((end - firstNs) / sliceNs));
    for (let slice = Math.floor((start - firstNs) / sliceNs); slice <= last; slice++) {
      const startNs = firstNs + slice * sliceNs;
      const ns = Math.min(end, startNs + sliceNs) - Math.max(start, startNs);
      this.#inFlightNs[slice] = (this.#inFlightNs[slice] ?? 0) + ns;
    }
  }
}
