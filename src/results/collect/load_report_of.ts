import { distributionOf, type MetricResults } from "../../measurement/metrics/metric_results.ts";
import type { RecordTable } from "../../measurement/metrics/record_table.ts";
import type { LoadFacts } from "../../measurement/steady/steady_window.ts";
import type { LoadReport } from "../../report/model/load_report.ts";

/** Share of the window that a silence must last for to be a stall. */
const STALL_SHARE = 0.05;
/** How many times as long as requests usually wait for their first byte it must last. */
const STALL_FACTOR = 3;

/** What the report of a load is made of, besides its requests. */
export interface LoadCircumstances {
  readonly facts: LoadFacts;
  readonly loop: LoadReport["loop"];
  /** The steady state; undefined if there is none. */
  readonly window: { readonly startNs: number; readonly endNs: number } | undefined;
  readonly starvedShare: number;
}

/** The load of a run, with its longest stall. */
export function loadReportOf(
  table: RecordTable,
  results: MetricResults,
  { facts, loop, starvedShare, window }: LoadCircumstances,
): LoadReport {
  const firstNs = firstStartNs(table);
  const span = window ?? { startNs: firstNs, endNs: table.lastEndNs() };
  const starts = table.allStartNs.values;
  // Before the first content servers load models and compile kernels.
  const fromNs = table.activity.firstNs;
  const silence = table.activity.longestSilence(
    { startNs: fromNs, endNs: span.endNs },
    starts,
    table.allEndNs.values,
  );
  const silentNs = silence.endNs - silence.startNs;
  // Without streaming, nothing arrives before the whole reply.
  const waits = distributionOf(results, "time_to_first_token") ??
    distributionOf(results, "request_latency");
  const usualNs = (waits?.p50 ?? 0) * 1e6;
  const isStall = silentNs > STALL_SHARE * (span.endNs - span.startNs) &&
    silentNs > STALL_FACTOR * usualNs;
  return {
    ...facts,
    ...{ loop, starvedShare },
    stall: isStall
      ? {
        startSeconds: (silence.startNs - firstNs) / 1e9,
        seconds: silentNs / 1e9,
        isInWindow: silence.endNs > span.startNs,
      }
      : undefined,
  };
}

/** Start of the first request of a table; 0 if there is none. */
export function firstStartNs(table: RecordTable): number {
  const first = table.allStartNs.values.reduce(
    (first, start) => start < first ? start : first,
    Infinity,
  );
  return first < Infinity ? first : 0;
}
