import { configuredType } from "../../client/endpoint/endpoint_types.ts";
import {
  FIELDS_OF_LEVELS,
  type FoundAside,
  gapsOf,
  levelsOf,
  METRICS_OF_LEVELS,
} from "../../measurement/metrics/found_ahead.ts";
import { RecordTable } from "../../measurement/metrics/record_table.ts";
import { RowsCursor } from "../../measurement/metrics/rows_cursor.ts";
import type { RunFolder } from "./run_folder.ts";
import { metricContext, phaseEnd } from "./run_records.ts";

/**
 * The levels of a run's profiling phase, and the gaps between its chunks, from its folder alone.
 * @throws {RangeError} if its records are damaged
 */
export function levelsOfFolder(folder: RunFolder): FoundAside {
  const { plan, hasImages } = folder.manifest.facts;
  const table = new RecordTable({
    context: { ...metricContext(plan, configuredType(plan), hasImages), itlDialects: undefined },
    objectives: [],
    thresholds: plan.thresholds,
    only: METRICS_OF_LEVELS,
  });
  const cursor = new RowsCursor();
  for (const stretch of folder.rows(FIELDS_OF_LEVELS)) {
    cursor.setRows(stretch);
    for (let start = cursor.start; start < cursor.end;) {
      const { phase, end } = phaseEnd(cursor, start);
      if (phase !== 0) table.addRows(cursor, start, end);
      start = end;
    }
  }
  // First, because their memory is given back.
  const gaps = gapsOf(table);
  return { levels: levelsOf(table), gaps };
}
