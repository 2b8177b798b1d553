import { distributionOf, valueOf } from "../../measurement/metrics/metric_results.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { compactTable } from "./compact_table.ts";
import { knownText, wholeNumber } from "./number_text.ts";
import { printableText } from "./printable_text.ts";

/** Most models that a screen shows. */
const MAX_ROWS = 16;
const COLUMNS = ["requests", "failed", "TTFT ms", "p99", "ITL ms", "latency ms", "tokens/s", "OSL"];
const DISPENSABLE = ["OSL", "p99", "latency ms", "failed"];

/** Returns the results of each of several models: medians, rates, means of tokens. */
export function modelTable({ models = [] }: ProfileReport, width: number): string[] {
  if (models.length === 0) return [];
  const rows = models.slice(0, MAX_ROWS).map(({ model, succeeded, failed, results }) => {
    const ttft = distributionOf(results, "time_to_first_token");
    return {
      label: printableText(model),
      unit: "",
      cells: [
        wholeNumber(succeeded),
        wholeNumber(failed),
        knownText(ttft?.p50),
        knownText(ttft?.p99),
        knownText(distributionOf(results, "inter_token_latency")?.p50),
        knownText(distributionOf(results, "request_latency")?.p50),
        knownText(valueOf(results, "output_token_throughput")),
        knownText(distributionOf(results, "output_sequence_length")?.avg, 0),
      ],
    };
  });
  const left = models.length - MAX_ROWS;
  return [
    ...compactTable({ title: "model", columns: COLUMNS, rows, dispensable: DISPENSABLE }, width),
    ...(left > 0 ? [`and ${left} more ${left === 1 ? "model" : "models"}, see the JSON`] : []),
  ];
}
