import { distributionOf } from "../../measurement/metrics/metric_results.ts";
import { type BoundedResults, computeBounded } from "../../measurement/metrics/compute_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import type { RecordTable } from "../../measurement/metrics/record_table.ts";
import {
  COST_METRICS,
  RATE_METRICS,
  SHARE_METRICS,
} from "../../measurement/metrics/run_metrics.ts";
import {
  BOUNDED_STATISTICS,
  type BoundedStatistic,
} from "../../measurement/own_error/bounded_statistics.ts";
import type { ErrorCircumstances } from "../../measurement/own_error/error_reasons.ts";
import { explainedError } from "../../measurement/own_error/explained_error.ts";
import { windowSampling } from "../../measurement/sampling/window_sampling.ts";
import type { SteadyWindow } from "../../measurement/steady/steady_window.ts";
import type { SteadyState } from "../../report/model/steady_state.ts";
import { HUGE_RUN } from "./large_run.ts";

/** What the results of a steady state are made of, besides its requests. */
export interface SteadyFacts {
  readonly baseEpochNs: bigint;
  readonly hasCanaries: boolean;
  /** Circumstances of the whole run. */
  readonly circumstances: Omit<ErrorCircumstances, "verdict">;
  /** undefined if it is not known. */
  readonly networkRttMs: number | undefined;
  /** Metrics that objectives name. */
  readonly also: ReadonlySet<string>;
}

/** Metrics of one value that describe a part of a run by itself; all others count requests. */
const VALUES: ReadonlySet<MetricTag> = new Set([
  ...Object.values(RATE_METRICS).map(({ tag }) => tag),
  ...Object.values(COST_METRICS).map(({ tag }) => tag).filter((tag) => tag !== "total_cost"),
  SHARE_METRICS.promptCacheReadPct.tag,
]);

/** Results of a steady state, or why there is none. */
export function steadyStateOf(
  table: RecordTable,
  window: SteadyWindow,
  { also, baseEpochNs, circumstances, hasCanaries, networkRttMs }: SteadyFacts,
): SteadyState {
  if ("none" in window) return window;
  const { endNs, rule, startNs } = window;
  const starts = table.allStartNs.values;
  const rows: number[] = [];
  starts.forEach((start, row) => {
    if (start >= startNs && start < endNs) rows.push(row);
  });
  const censored = table.censored.within(startNs, endNs);
  const span = { startNs, endNs };
  const bounded = computeBounded(table, baseEpochNs, {
    ...{ rows, networkRttMs, inside: span, censored },
    withoutGaps: table.length >= HUGE_RUN,
  });
  const { results: all } = bounded;
  const results = new Map(
    [...all].filter(([tag, result]) => !("value" in result) || VALUES.has(tag)),
  );
  return {
    ...{ startNs, endNs, rule, results },
    startEpochNs: baseEpochNs + BigInt(Math.round(startNs)),
    endEpochNs: baseEpochNs + BigInt(Math.round(endNs)),
    seconds: (endNs - startNs) / 1e9,
    measurementError: explainedError(
      {
        table,
        delays: circumstances.delays,
        results: all,
        rows,
        hasFixedWindow: true,
        hasCanaries,
      },
      { ...circumstances, window: span },
    ),
    sampling: windowSampling({ table, results: all, rows, also, ...span }),
    censoredRequests: censored.length,
    lowerBounds: lowerBoundsOf(bounded),
  };
}

/** Statistics that would be larger if the requests that were ended had gone on. */
function lowerBoundsOf(
  { leastBounds, results }: BoundedResults,
): Map<MetricTag, BoundedStatistic[]> {
  return new Map([...leastBounds].map(([tag, least]) => {
    const summary = distributionOf(results, tag);
    const isBound = (name: BoundedStatistic): boolean =>
      name === "avg" || (summary !== undefined && summary[name] >= least);
    return [tag, BOUNDED_STATISTICS.filter(isBound)];
  }));
}
