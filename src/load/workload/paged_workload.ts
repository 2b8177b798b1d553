import type { PhasePlan } from "../../config/plan/run_plan.ts";
import { playedCalls } from "../dataset/payloads/graph_columns.ts";
import type { PageWindow } from "../dataset/payloads/page_window.ts";
import { ArrivalRing } from "./arrival_ring.ts";
import { ArrivalTimes } from "./arrival_times.ts";
import { arrivals } from "./arrivals.ts";
import { ModelSelector } from "./model_selector.ts";
import type { Session, Turn, Workload, WorkloadSource } from "./workload.ts";

/**
 * The conversations of a file that is sent while it is read, in the order of the file, at a rate, at
 * their own times, or when a user is free. The n-th session is the n-th conversation, as with a table.
 */
export class PagedWorkload implements Workload {
  readonly turnLimit: number;
  readonly #source: WorkloadSource;
  readonly #models: ModelSelector;
  readonly #most: number;
  /** undefined in the thread that only paces. */
  readonly #pages: PageWindow | undefined;
  readonly #known: ArrivalRing;
  /** The times of a schedule. */
  readonly #ring: ArrivalRing | undefined;
  readonly #arrivals: ArrivalTimes | undefined;
  readonly #zeroNs: number;

  constructor(
    source: WorkloadSource,
    { kind, load, requestCount, sessionCount = Infinity }: PhasePlan,
    pages: PageWindow | undefined,
  ) {
    this.turnLimit = requestCount;
    this.#source = source;
    this.#models = new ModelSelector(source, kind);
    this.#most = Math.min(requestCount, sessionCount);
    this.#pages = pages;
    const isSchedule = load.loop === "open" && load.isSchedule === true;
    this.#known = new ArrivalRing(source.pages?.arrivals);
    if (isSchedule) this.#ring = this.#known;
    this.#arrivals = load.loop === "open" && !isSchedule
      ? new ArrivalTimes(() => arrivals(load, source.seed, kind))
      : undefined;
    this.#zeroNs = source.scheduleZeroNs ?? 0;
  }

  get sessionCount(): number {
    return Math.min(this.#most, this.#known.total);
  }

  get readyCount(): number {
    return this.#pages?.ready ?? this.#ring?.known ?? Infinity;
  }

  session(index: number): Session {
    const { columns: { turnDelayNs, timestampNs, graph }, start, end, entryOffset } = this.#place(
      index,
    );
    const target = index % this.#source.targetCount;
    const model = this.#models.modelOf(index, index);
    const turnOf = (local: number): Turn => {
      const delayNs = local === start ? 0 : turnDelayNs[local] as number;
      const turn = { entry: entryOffset + local, target, model, delayNs };
      const atNs = (timestampNs[local] as number) - this.#zeroNs;
      return local === start || this.#ring === undefined || Number.isNaN(atNs)
        ? turn
        : { ...turn, atNs };
    };
    const later = Array.from({ length: end - start - 1 }, (_, i) => turnOf(start + 1 + i));
    const turns = [turnOf(start), ...later] as const;
    return graph === undefined
      ? { index, turns }
      : { index, turns, calls: playedCalls(graph, start, end) };
  }

  arrivalNs(index: number): number {
    if (this.#ring === undefined) return this.#arrivals?.at(index) ?? 0;
    return this.#timeNs(index, this.#ring) - this.#zeroNs;
  }

  #timeNs(index: number, ring: ArrivalRing): number {
    if (this.#pages === undefined) return ring.at(index);
    const { columns, start } = this.#place(index);
    return columns.timestampNs[start] as number;
  }

  #place(index: number) {
    if (this.#pages === undefined) throw new RangeError("This thread has no pages");
    return this.#pages.conversation(index);
  }
}
