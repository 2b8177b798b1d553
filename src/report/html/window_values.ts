import { sortNumbers } from "../../core/statistics/sort_numbers.ts";
import { withoutGaps } from "../../core/statistics/without_gaps.ts";
import type { RecordMetricTag } from "../../measurement/metrics/record_metrics.ts";
import { shownWindow } from "../model/shown_window.ts";
import { steadyResults } from "../model/steady_state.ts";
import { sortedValues } from "./distribution_charts.ts";
import type { RunView } from "./run_view.ts";

const known = new WeakMap<RunView, Map<RecordMetricTag, Float64Array>>();

/** The values of a metric in the window that is shown, ascending. */
export function windowValues(view: RunView, tag: RecordMetricTag): Float64Array {
  const values = known.get(view) ?? new Map<RecordMetricTag, Float64Array>();
  known.set(view, values);
  const sorted = values.get(tag) ?? sortedInWindow(view, tag);
  values.set(tag, sorted);
  return sorted;
}

function sortedInWindow({ profiling, report }: RunView, tag: RecordMetricTag): Float64Array {
  const steady = shownWindow(report).name === "steady" ? steadyResults(report.steady) : undefined;
  const column = profiling.column(tag);
  if (steady === undefined || column === undefined) return sortedValues(profiling, tag);
  const starts = profiling.allStartNs.values;
  const inside = column.map((value, row) => {
    const start = starts[row] as number;
    return start >= steady.startNs && start <= steady.endNs ? value : NaN;
  });
  return sortNumbers(withoutGaps(inside));
}
