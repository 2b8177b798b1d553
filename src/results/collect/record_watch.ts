import type { RunEnd } from "../../core/run_end/end_reason.ts";
import { SloWatch } from "../../config/gate/slo_watch.ts";
import type { RecordMetricTag } from "../../measurement/metrics/record_metrics.ts";
import { isGood } from "../../measurement/metrics/objectives.ts";
import type { RecordTable } from "../../measurement/metrics/record_table.ts";
import {
  isCancelled,
  isValid,
  type RequestRecord,
} from "../../measurement/metrics/request_record.ts";
import { phaseOfShard } from "../../config/plan/phase_of_shard.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";

/** Looks at the records of the profiling phase as they come, for `--abort-on-slo`. */
export class RecordWatch {
  readonly #watch: SloWatch;
  readonly #startNs: number;
  readonly #table: RecordTable;
  readonly #places: ReadonlyMap<RecordMetricTag, number>;

  /** @param table of the profiling phase, whose metrics the values are of */
  constructor({ phases, shard, slos = [] }: RunPlan, startNs: number, table: RecordTable) {
    const whole = phases.find(({ kind }) => kind === "profiling");
    const profiling = whole && phaseOfShard(whole, shard);
    this.#watch = new SloWatch(slos, {
      requestCount: profiling?.requestCount ?? Infinity,
      durationSeconds: (profiling?.durationNs ?? Infinity) / 1e9,
    });
    this.#startNs = startNs;
    this.#table = table;
    this.#places = new Map(table.metrics.map(({ tag }, place) => [tag, place]));
  }

  /** @param values of the run's metrics for this record */
  add(record: RequestRecord, values: Float64Array): void {
    if (record.phase !== 1 || isCancelled(record)) return;
    const { metrics, options: { objectives } } = this.#table;
    const valid = isValid(record);
    this.#watch.add({
      isValid: valid,
      isGood: valid && isGood(record, objectives, metrics),
      startSeconds: (record.startNs - this.#startNs) / 1e9,
      endSeconds: (record.endNs - this.#startNs) / 1e9,
      value: (tag) => values[this.#places.get(tag) ?? -1] ?? NaN,
    });
  }

  /** Why the run should end: an objective can no longer be met; undefined while it may be. */
  hopeless(): RunEnd | undefined {
    const text = this.#watch.hopeless();
    return text === undefined ? undefined : { reason: "slo_unreachable", text };
  }
}
