import assert from "node:assert/strict";
import type { MetricContext } from "../../src/measurement/metrics/metric.ts";
import { RECORD_METRICS } from "../../src/measurement/metrics/record_metrics.ts";
import { RecordTable } from "../../src/measurement/metrics/record_table.ts";
import type { RequestRecord } from "../../src/measurement/metrics/request_record.ts";

/**
 * An empty table of a run that streams text, with nothing else asked for.
 * @param context what is otherwise
 * @param objectives thresholds by the tags of metrics
 */
export function recordTable(
  context: Partial<MetricContext> = {},
  objectives: Readonly<Record<string, number>> = {},
): RecordTable {
  return new RecordTable({
    context: {
      ...{ streaming: true, producesTokens: true, tokenizesInput: true, images: false },
      ...{ goodput: false, httpTrace: false, usageDiff: false, arrivalProcess: false },
      ...context,
    },
    objectives: Object.entries(objectives).map(([tag, threshold]) => {
      const metric = RECORD_METRICS.find((metric) => metric.tag === tag);
      assert.ok(metric !== undefined, tag);
      return { metric, threshold };
    }),
    thresholds: { usageDiffPct: 10, oslMismatchPct: 5, oslMismatchMaxTokens: 50 },
  });
}

/** Adds records to a table. */
export function addRecords(table: RecordTable, records: Iterable<RequestRecord>): RecordTable {
  const values = new Float64Array(table.metrics.length);
  for (const record of records) table.add(record, values);
  return table;
}
