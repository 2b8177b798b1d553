import { USER_AGENT } from "../../../config/plan/version.ts";
import { jsonText } from "../../../core/files/json_text.ts";
import type { ServerMetricsReport } from "../../model/server_metrics_report.ts";
import { SERVER_METRICS_SCHEMA_VERSION } from "./server_metrics_json.ts";

/** The settings of a run as far as the footer names them one by one. */
interface InputConfig {
  readonly models?: { readonly items?: readonly { readonly name?: string }[] };
  readonly phases?: readonly {
    readonly kind?: string;
    readonly concurrency?: number;
    readonly rate?: number;
  }[];
}

/**
 * Metadata of a run in the footer of the Parquet file. The keys are AIPerf's, so that its readers find
 * them; where they name parts of AIPerf that this program does not have, they name its own.
 */
export function parquetMetadata(
  report: ServerMetricsReport,
  hostname: string,
): Map<string, string> {
  const config = report.inputConfig as InputConfig;
  const models = (config.models?.items ?? []).map(({ name }) => name);
  const profiling = config.phases?.find(({ kind }) => kind === "profiling");
  return new Map([
    ["aiperf.schema_version", SERVER_METRICS_SCHEMA_VERSION],
    ["aiperf.version", USER_AGENT],
    ["aiperf.benchmark_id", report.benchmarkId],
    ["aiperf.exporter", "ServerMetricsParquetExporter"],
    // The run's end, not the clock: the same records make the same file.
    ["aiperf.export_timestamp_utc", new Date(Number(report.endNs / 1_000_000n)).toISOString()],
    ["aiperf.hostname", hostname],
    ["aiperf.python_version", `none (Deno ${Deno.version.deno})`],
    ["aiperf.pyarrow_version", "none (hyparquet-writer)"],
    ["aiperf.model_names", JSON.stringify(models)],
    ["aiperf.concurrency", String(profiling?.concurrency ?? "None")],
    ...(profiling?.rate === undefined
      ? []
      : [["aiperf.request_rate", String(profiling.rate)] as [string, string]]),
    ["aiperf.input_config", jsonText(report.inputConfig, 0)],
    [
      "aiperf.schema_note",
      "Label columns vary by endpoint/model. Use union_by_name=true for cross-file queries.",
    ],
    ["inferometer.was_cancelled", String(report.wasCancelled)],
    ...(report.tags?.length
      ? [["inferometer.tags", jsonText(Object.fromEntries(report.tags), 0)] as [string, string]]
      : []),
  ]);
}
