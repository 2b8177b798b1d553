import { computeResults } from "../../measurement/metrics/compute_results.ts";
import type { RecordTable } from "../../measurement/metrics/record_table.ts";
import type { ErrorCircumstances } from "../../measurement/own_error/error_reasons.ts";
import { explainedError } from "../../measurement/own_error/explained_error.ts";
import { SliceLoads } from "../../measurement/steady/slice_loads.ts";
import type { OfferedLoad } from "../../measurement/steady/offered_load.ts";
import type { LoadReport } from "../../report/model/load_report.ts";
import type { TimeSlice } from "../../report/model/profile_report.ts";
import type { RunFacts, RunSummary } from "./run_manifest.ts";

/** What slices need besides the requests. */
export interface SlicedRun {
  readonly facts: RunFacts;
  readonly summary: RunSummary;
  /** Those of the whole run. */
  readonly circumstances: Omit<ErrorCircumstances, "verdict">;
  /** undefined if it is not known. */
  readonly networkRttMs: number | undefined;
  readonly offered: OfferedLoad;
  /** Load of the whole run. */
  readonly load: LoadReport | undefined;
}

/**
 * Slices of equal width from the first request's start; none where nobody asked for them. A request
 * belongs to the slice in which it started; slices in which no request is in flight are left out; the last
 * one ends with the last request, however that ended.
 */
export function timeSlices(table: RecordTable, run: SlicedRun): TimeSlice[] {
  const { facts: { plan, baseEpochNs }, summary, circumstances, networkRttMs } = run;
  const { sliceNs } = plan.output;
  const { delays } = circumstances;
  const { load } = run;
  const starts = table.allStartNs.values;
  if (sliceNs === undefined || !starts.some((start) => start >= 0)) return [];
  const firstNs = starts.reduce((first, start) => start < first ? start : first, Infinity);
  const rowsOf = rowsOfSlices(starts, firstNs, sliceNs);
  const lastNs = table.lastEndNs();
  const endOfRunNs = summary.within?.endNs ?? (lastNs > firstNs ? lastNs : summary.endNs);
  const loads = new SliceLoads(table, run.offered, { firstNs, sliceNs, endNs: endOfRunNs });
  for (let slice = 0; slice < loads.count; slice++) {
    if (!rowsOf.has(slice) && loads.hasRequests(slice)) rowsOf.set(slice, []);
  }
  return [...rowsOf].sort(([a], [b]) => a - b).map(([slice, rows]) => {
    const startNs = firstNs + slice * sliceNs;
    const endNs = Math.min(startNs + sliceNs, Math.max(endOfRunNs, startNs));
    const isComplete = endNs === startNs + sliceNs;
    const results = computeResults(table, baseEpochNs, {
      rows,
      networkRttMs,
      windowSeconds: (endNs - startNs) / 1e9,
    });
    return {
      startNs: baseEpochNs + BigInt(startNs),
      endNs: baseEpochNs + BigInt(endNs),
      isComplete,
      results,
      load: load && {
        ...loads.factsOf(slice),
        loop: load.loop,
        starvedShare: NaN,
        stall: stallWithin(load, (startNs - firstNs) / 1e9, (endNs - firstNs) / 1e9),
      },
      measurementError: rows.length === 0 ? undefined : explainedError(
        {
          ...{ table, delays, results, rows },
          hasFixedWindow: isComplete,
          hasCanaries: plan.canaries,
        },
        { ...circumstances, window: { startNs, endNs } },
      ),
    };
  });
}

/** Share of a slice that a stall must last for. */
const STALL_SHARE = 0.05;

/** The part of a run's stall that is in a slice; undefined if that is short. */
function stallWithin(
  { stall }: LoadReport,
  fromSeconds: number,
  toSeconds: number,
): LoadReport["stall"] {
  if (stall === undefined) return undefined;
  const startSeconds = Math.max(fromSeconds, stall.startSeconds);
  const seconds = Math.min(toSeconds, stall.startSeconds + stall.seconds) - startSeconds;
  return seconds > STALL_SHARE * (toSeconds - fromSeconds)
    ? { startSeconds, seconds, isInWindow: true }
    : undefined;
}

/** Rows of the requests that started in each slice, by its number. */
function rowsOfSlices(
  starts: Float64Array,
  firstNs: number,
  sliceNs: number,
): Map<number, number[]> {
  const rowsOf = new Map<number, number[]>();
  starts.forEach((start, row) => {
    // The start of a dead thread's requests is unknown.
    if (Number.isNaN(start)) return;
    const slice = Math.floor((start - firstNs) / sliceNs);
    const rows = rowsOf.get(slice);
    if (rows === undefined) rowsOf.set(slice, [row]);
    else rows.push(row);
  });
  return rowsOf;
}
