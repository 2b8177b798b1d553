import type { PhasePlan } from "../plan/run_plan.ts";
import { ArrivalTimes } from "./arrival_times.ts";
import { EntrySampler } from "./entry_sampler.ts";
import { modelOf } from "./model_of.ts";
import type { Session, Workload, WorkloadSource } from "./workload.ts";

/** Sessions of one request each, which go to the targets in turn, and to the models in turn. */
export class SingleTurnWorkload implements Workload {
  readonly sessionCount: number;
  readonly turnLimit = undefined;
  readonly #sampler: EntrySampler;
  readonly #targetCount: number;
  readonly #modelCount: number;
  readonly #arrivals: ArrivalTimes | undefined;

  constructor(
    source: WorkloadSource,
    phase: PhasePlan,
  ) {
    const { kind, requestCount, sessionCount = Infinity } = phase;
    this.sessionCount = Math.min(requestCount, sessionCount);
    this.#sampler = new EntrySampler(source, kind);
    this.#targetCount = source.targetCount;
    this.#modelCount = source.modelCount;
    this.#arrivals = ArrivalTimes.ofPhase(phase, source.seed);
  }

  session(index: number): Session {
    const turn = {
      entry: this.#sampler.entryOf(index),
      target: index % this.#targetCount,
      model: modelOf(index, this.#modelCount),
      delayNs: 0,
    };
    return { index, turns: [turn] };
  }

  arrivalNs(index: number): number {
    return this.#arrivals?.at(index) ?? 0;
  }
}
