/** Server metrics on the results worker: taking in, computing, writing. */

import { serverMetricsName } from "../export/artifact_names.ts";
import { type FileSink, FolderSink } from "../export/file_sink.ts";
import { HeapTrimmer } from "../thread/heap_trimmer.ts";
import type { ServerMetricsPlan } from "../plan/server_metrics_plan.ts";
import type { PageTaken, ScrapeMessage } from "../scrape/messages.ts";
import { buildServerMetricsReport } from "../report/build_server_metrics_report.ts";
import type { ServerMetricsReport } from "../report/server_metrics_report.ts";
import type { HistogramEstimator } from "../statistics/histogram/histogram_estimator.ts";
import { HISTOGRAM_ESTIMATORS } from "../statistics/histogram/histogram_estimators.ts";
import { redactor } from "../secrets/redactor.ts";
import type { TimeWindow } from "../timeseries/time_window.ts";
import { MetricsStore } from "./metrics_store.ts";
import { MetricsStream } from "./metrics_stream.ts";

/** What is needed to take in metrics. */
export interface MetricsResultsOptions {
  readonly plan: ServerMetricsPlan;
  readonly benchmarkId: string;
  /** The user's own beginning of file names. */
  readonly prefix: string | undefined;
  readonly sink: FileSink;
  /** Where the scrape worker's messages come from. */
  readonly scrapes: MessagePort;
  readonly baseEpochNs: bigint;
  readonly hostname: string;
  /** What must not stand in any file. */
  readonly secrets: readonly string[];
  readonly inputConfig: Readonly<Record<string, unknown>>;
  /** Called when a file cannot be written; the others go on. */
  onFailure(message: string): void;
}

/**
 * Shorter secrets are not looked for in metrics pages: a key such as `token`, which stands in for
 * none where a server does not ask, is a word that metrics are called by.
 */
const MIN_PAGE_SECRET_LENGTH = 8;

/** How the run ended. */
export interface MetricsSummary {
  /** The profiling phase on the run's clock. */
  readonly window: TimeWindow;
  readonly wasCancelled: boolean;
  /** Whether everything that was scraped is on its way here. */
  readonly isComplete: boolean;
}

/** What came of it. */
export interface FinishedMetrics {
  readonly report: ServerMetricsReport;
  readonly files: readonly string[];
  readonly failure: string | undefined;
}

/** See the module's comment. */
export class MetricsResults {
  readonly #options: MetricsResultsOptions;
  readonly #stream: MetricsStream;
  readonly #store: MetricsStore;
  readonly #heap = new HeapTrimmer();
  #onEnded: () => void = () => {};

  constructor(options: MetricsResultsOptions) {
    this.#options = options;
    const { plan, prefix, sink, secrets } = options;
    const redactPage = redactor(secrets.filter(({ length }) => length >= MIN_PAGE_SECRET_LENGTH));
    const endpointsConfigured = plan.endpoints.map(({ redactedUrl }) => redactedUrl);
    const [recordingFolder, recordingName] = splitPath(plan.recordingPath);
    this.#stream = new MetricsStream({
      linesName: plan.output.formats.includes("jsonl")
        ? serverMetricsName(prefix, "jsonl")
        : undefined,
      lines: sink,
      recordingName,
      recording: new FolderSink(recordingFolder),
      batchLines: plan.output.batchLines,
      baseEpochNs: options.baseEpochNs,
      benchmarkId: options.benchmarkId,
      endpointsConfigured,
      redact: redactPage,
      onFailure: (message) => options.onFailure(message),
    });
    this.#store = new MetricsStore(endpointsConfigured, {
      redact: redactor(secrets),
      redactPage,
      stream: this.#stream,
    });
    options.scrapes.onmessage = (event: MessageEvent<ScrapeMessage>) => {
      this.#store.take(event.data);
      if (event.data.type === "page") {
        const taken: PageTaken = { endpoint: event.data.endpoint };
        options.scrapes.postMessage(taken);
        this.#heap.check();
      }
      if (this.#store.ended) this.#onEnded();
    };
  }

  /** The endpoints so far. */
  get store(): MetricsStore {
    return this.#store;
  }

  /** Waits for what is on its way, computes, and writes the files. */
  async finish(summary: MetricsSummary): Promise<FinishedMetrics> {
    if (summary.isComplete && !this.#store.ended) {
      await new Promise<void>((resolve) => this.#onEnded = resolve);
    }
    this.#options.scrapes.close();
    const { plan, baseEpochNs, prefix, sink, hostname } = this.#options;
    const { window, wasCancelled } = summary;
    const report = this.report(summary);
    const lineFailure = this.#stream.close({
      startNs: baseEpochNs + BigInt(window.startNs),
      endNs: baseEpochNs + BigInt(window.endNs),
      wasCancelled,
    });
    // Loaded only now: Parquet is not needed before.
    const { writeMetrics } = await import("./write_metrics.ts");
    const { endpoints } = this.#store;
    const context = {
      ...{ output: plan.output, prefix, window, baseEpochNs, hostname },
      onPiece: () => this.#heap.check(),
    };
    const { files, failure } = await writeMetrics(report, endpoints, sink, context);
    return {
      report,
      files: [...files, ...this.#stream.names],
      failure: lineFailure ?? failure,
    };
  }

  /** The statistics of a window so far. */
  report({ window, wasCancelled }: Omit<MetricsSummary, "isComplete">): ServerMetricsReport {
    const { plan, baseEpochNs, benchmarkId, inputConfig } = this.#options;
    return buildServerMetricsReport(this.#store.endpoints, {
      benchmarkId,
      endpointsConfigured: plan.endpoints.map(({ redactedUrl }) => redactedUrl),
      window,
      sliceNs: plan.output.sliceNs,
      estimator: HISTOGRAM_ESTIMATORS.get(plan.output.estimator) as HistogramEstimator,
      baseEpochNs,
      inputConfig,
      wasCancelled,
      notes: this.#store.notes,
    });
  }
}

function splitPath(path: string | undefined): [folder: string, name: string | undefined] {
  if (path === undefined) return ["", undefined];
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return [path.slice(0, at) || "/", path.slice(at + 1)];
}
