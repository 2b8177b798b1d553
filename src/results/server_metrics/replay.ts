import { serverMetricsName } from "../../report/export/artifact_names.ts";
import type { FileSink } from "../../report/export/file_sink.ts";
import type { MetricsOutputPlan } from "../../config/plan/server_metrics_plan.ts";
import { alternativeUrls } from "../../telemetry/scrape/metrics_endpoint.ts";
import { ScrapeError } from "../../telemetry/scrape/fetch_page.ts";
import { NotPrometheusError, PageReader } from "../../telemetry/scrape/page_reader.ts";
import type { ScrapeMessage } from "../../telemetry/scrape/messages.ts";
import { buildServerMetricsReport } from "../../report/model/build_server_metrics_report.ts";
import type { ServerMetricsReport } from "../../report/model/server_metrics_report.ts";
import type { HistogramEstimator } from "../../core/statistics/histogram/histogram_estimator.ts";
import { HISTOGRAM_ESTIMATORS } from "../../core/statistics/histogram/histogram_estimators.ts";
import { MetricsStore } from "./metrics_store.ts";
import { MetricsStream } from "./metrics_stream.ts";
import type { RecordedScrape, Recording } from "./read_recording.ts";
import { writeMetrics, type WrittenMetrics } from "./write_metrics.ts";

const encoder = new TextEncoder();

/** Result of a replay. */
export interface ReplayOutcome {
  readonly report: ServerMetricsReport;
  readonly written: WrittenMetrics;
}

/** Makes the server metrics' files of a run again from its recording. */
export async function replay(
  recording: Recording,
  output: MetricsOutputPlan,
  prefix: string | undefined,
  sink: FileSink,
  hostname: string,
): Promise<ReplayOutcome> {
  // Times that count from within the run are small enough for exact doubles.
  const baseEpochNs = recording.startNs;
  const urls = inOrderOf(recording.endpointsConfigured, recording.endpointUrls);
  const endpointsConfigured = [...new Set([...recording.endpointsConfigured, ...urls])];
  const stream = new MetricsStream({
    linesName: output.formats.includes("jsonl") ? serverMetricsName(prefix, "jsonl") : undefined,
    lines: sink,
    recordingName: undefined,
    recording: sink,
    batchLines: output.batchLines,
    baseEpochNs,
    benchmarkId: recording.benchmarkId,
    endpointsConfigured,
    redact: (text) => text,
    onFailure: () => {},
  });
  const store = new MetricsStore(urls, { stream, scratch: sink });
  const endpoints = urls.map(() => new EndpointReplay());
  for await (const scrape of recording.scrapes) {
    const index = urls.indexOf(scrape.endpointUrl);
    const endpoint = endpoints[index] as EndpointReplay;
    store.take({ ...endpoint.read(scrape, baseEpochNs), endpoint: index });
  }
  const window = { startNs: 0, endNs: Number(recording.endNs - baseEpochNs) };
  const report = buildServerMetricsReport(store.endpoints, {
    benchmarkId: recording.benchmarkId,
    endpointsConfigured,
    window,
    sliceNs: output.sliceNs,
    estimator: HISTOGRAM_ESTIMATORS.get(output.estimator) as HistogramEstimator,
    baseEpochNs,
    inputConfig: {},
    wasCancelled: recording.wasCancelled,
    notes: store.notes,
  });
  const lineFailure = stream.close(undefined);
  const context = { output, prefix, window, baseEpochNs, hostname };
  const written = await writeMetrics(report, store.endpoints, sink, context);
  return {
    report,
    written: {
      files: [...written.files, ...stream.names],
      failure: lineFailure ?? written.failure,
    },
  };
}

/** Endpoints in the order in which they were asked, which is not that of their first answers. */
function inOrderOf(configured: readonly string[], urls: readonly string[]): string[] {
  const places = new Map<string, number>();
  configured.forEach((url, place) => {
    for (const one of [url, ...alternativeUrls(url)]) {
      if (!places.has(one)) places.set(one, place);
    }
  });
  const placeOf = (url: string): number => places.get(url) ?? configured.length;
  return [...urls].sort((a, b) => placeOf(a) - placeOf(b));
}

/** The scrape worker's messages for the pages of an endpoint. */
class EndpointReplay {
  readonly #reader = new PageReader();
  #disabled: string | undefined;

  read(scrape: RecordedScrape, baseEpochNs: bigint): WithoutEndpoint<ScrapeMessage> {
    if (this.#disabled !== undefined) return { type: "disabled", reason: this.#disabled };
    const { text, contentType } = scrape;
    const sentNs = Number(scrape.sentNs - baseEpochNs);
    const firstByteNs = Number(scrape.firstByteNs - baseEpochNs);
    try {
      const times = { sentNs, firstByteNs, latencyNs: Number(scrape.latencyNs) };
      const page = this.#reader.read(encoder.encode(text), contentType, times);
      const { droppedSeries } = this.#reader;
      return { type: "page", page, text: undefined, contentType, droppedSeries };
    } catch (error) {
      if (error instanceof NotPrometheusError && !this.#reader.wasValid) {
        this.#disabled = error.message;
        return { type: "disabled", reason: error.message };
      }
      if (error instanceof NotPrometheusError || error instanceof ScrapeError) {
        return { type: "failure", reason: error.message, atNs: sentNs };
      }
      throw error;
    }
  }
}

type WithoutEndpoint<T> = T extends unknown ? Omit<T, "endpoint"> : never;
