import { serverMetricsName } from "../../report/export/artifact_names.ts";
import { ExportError } from "../../report/export/export_error.ts";
import type { FileSink } from "../../report/export/file_sink.ts";
import { serverMetricsCsv } from "../../report/export/server_metrics/server_metrics_csv.ts";
import { serverMetricsFlatJson } from "../../report/export/server_metrics/server_metrics_flat_json.ts";
import { serverMetricsJson } from "../../report/export/server_metrics/server_metrics_json.ts";
import { parquetMetadata } from "../../report/export/server_metrics/parquet_metadata.ts";
import { serverMetricsParquet } from "../../report/export/server_metrics/server_metrics_parquet.ts";
import type { MetricsOutputPlan } from "../../config/plan/server_metrics_plan.ts";
import type { ScrapedEndpoint } from "../../report/model/scraped_endpoint.ts";
import type { ServerMetricsReport } from "../../report/model/server_metrics_report.ts";
import type { TimeWindow } from "../../telemetry/timeseries/time_window.ts";

/** Inputs of the files. */
export interface MetricsFilesContext {
  readonly output: MetricsOutputPlan;
  readonly prefix: string | undefined;
  readonly window: TimeWindow;
  readonly baseEpochNs: bigint;
  /** Name of this machine, for the footer of Parquet. */
  readonly hostname: string;
  /** Called after each piece of a file. */
  onPiece?(): void;
}

/** Names of the files, and the first failure. */
export interface WrittenMetrics {
  readonly files: readonly string[];
  /** Why a file could not be written; undefined if all are there. */
  readonly failure: string | undefined;
}

/**
 * Writes the files of server metrics, none if there is nothing to say. One that cannot be written
 * does not keep the others from being tried; the first failure is reported.
 */
export async function writeMetrics(
  report: ServerMetricsReport,
  endpoints: readonly ScrapedEndpoint[],
  sink: FileSink,
  { output, prefix, window, baseEpochNs, hostname, onPiece }: MetricsFilesContext,
): Promise<WrittenMetrics> {
  const isFlat = output.jsonLayout === "flat";
  const hasMore = report.metrics.some(({ series }) =>
    series.some(({ type }) => type !== "summary")
  );
  if (!hasMore && !(isFlat && report.metrics.length > 0)) return { files: [], failure: undefined };
  const files: string[] = [];
  let failure: string | undefined;
  const write = async (format: string, pieces: Iterable<string | Uint8Array>): Promise<void> => {
    const name = serverMetricsName(prefix, format);
    try {
      await sink.write(name, announced(pieces, onPiece));
      files.push(name);
    } catch (error) {
      if (!(error instanceof ExportError)) throw error;
      failure ??= error.message;
    }
  };
  if (output.formats.includes("json")) {
    await write("json", isFlat ? serverMetricsFlatJson(report) : serverMetricsJson(report));
  }
  if (output.formats.includes("csv")) {
    await write("csv", serverMetricsCsv(report, { raw: output.csvRaw }));
  }
  if (output.formats.includes("parquet") && hasMore) {
    const withData = endpoints.filter(({ series }) => series.timesNs.length > 0);
    const metadata = parquetMetadata(report, hostname);
    await write("parquet", serverMetricsParquet(withData, { window, baseEpochNs, metadata }));
  }
  return { files, failure };
}

function* announced<T>(pieces: Iterable<T>, onPiece: (() => void) | undefined): Generator<T> {
  for (const piece of pieces) {
    yield piece;
    onPiece?.();
  }
}
