import type { PhasePlan } from "../../config/plan/run_plan.ts";
import { ArrivalTimes } from "./arrival_times.ts";
import { EntrySampler } from "./entry_sampler.ts";
import { ModelSelector } from "./model_selector.ts";
import type { Session, Workload, WorkloadSource } from "./workload.ts";

/** Sessions of one request each, which go to the targets in turn. */
export class SingleTurnWorkload implements Workload {
  readonly sessionCount: number;
  readonly turnLimit = undefined;
  readonly #sampler: EntrySampler;
  readonly #targetCount: number;
  readonly #models: ModelSelector;
  readonly #arrivals: ArrivalTimes | undefined;

  constructor(
    source: WorkloadSource,
    phase: PhasePlan,
  ) {
    const { kind, requestCount, sessionCount = Infinity } = phase;
    this.sessionCount = Math.min(requestCount, sessionCount);
    this.#sampler = new EntrySampler(source, kind);
    this.#targetCount = source.targetCount;
    this.#models = new ModelSelector(source, kind);
    this.#arrivals = ArrivalTimes.ofPhase(phase, source.seed);
  }

  session(index: number): Session {
    const entry = this.#sampler.entryOf(index);
    const turn = {
      entry,
      target: index % this.#targetCount,
      model: this.#models.modelOf(index, entry),
      delayNs: 0,
    };
    return { index, turns: [turn] };
  }

  arrivalNs(index: number): number {
    return this.#arrivals?.at(index) ?? 0;
  }
}
