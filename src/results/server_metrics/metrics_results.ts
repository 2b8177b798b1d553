/** Server metrics on the results worker: taking in, computing, writing. */

import { serverMetricsName } from "../../report/export/artifact_names.ts";
import { type FileSink, FolderSink } from "../../report/export/file_sink.ts";
import { HeapTrimmer } from "../../core/thread/heap_trimmer.ts";
import type { PageTaken, ScrapeMessage } from "../../telemetry/scrape/messages.ts";
import type { ScrapedEndpoint } from "../../report/model/scraped_endpoint.ts";
import type { ServerMetricsReport } from "../../report/model/server_metrics_report.ts";
import type { ServerTimeline } from "../../report/model/server_timeline.ts";
import { pageRedactor, redactor } from "../../core/secrets/redactor.ts";
import {
  finishMetrics,
  type MetricsFacts,
  metricsReport,
  type MetricsSpan,
} from "./finish_metrics.ts";
import { MetricsStore } from "./metrics_store.ts";
import { MetricsStream } from "./metrics_stream.ts";

/** Inputs of {@linkcode MetricsResults}. */
export interface MetricsResultsOptions extends MetricsFacts {
  readonly sink: FileSink;
  /** Port of the scrape worker's messages. */
  readonly scrapes: MessagePort;
  /** Texts that must not appear in any file. */
  readonly secrets: readonly string[];
  /** Called with everything that scraping found, as it comes. */
  onScrape?(message: ScrapeMessage): void;
  /** Called when a file cannot be written; the others go on. */
  onFailure(message: string): void;
}

/** End of the run. */
export interface MetricsSummary extends MetricsSpan {
  /** Whether everything that was scraped is on its way here. */
  readonly isComplete: boolean;
}

/** Report and files. */
export interface FinishedMetrics {
  readonly report: ServerMetricsReport;
  readonly timeline: ServerTimeline;
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
    const redactPage = pageRedactor(secrets);
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
      scratch: sink,
    });
    options.scrapes.onmessage = (event: MessageEvent<ScrapeMessage>) => {
      options.onScrape?.(event.data);
      this.#store.take(event.data);
      if (event.data.type === "page") {
        const taken: PageTaken = { endpoint: event.data.endpoint };
        options.scrapes.postMessage(taken);
        this.#heap.check();
      }
      if (this.#store.ended) this.#onEnded();
    };
  }

  /** Scrapes from `startNs` on belong to this phase of the run. */
  beginPhase(kind: "warmup" | "profiling", startNs: number): void {
    this.#stream.beginPhase(kind, startNs);
  }

  /** The phase under way ended. */
  endPhase(endNs: number): void {
    this.#stream.endPhase(endNs);
  }

  /** Waits for what is on its way, computes, and writes the files. */
  async finish(summary: MetricsSummary): Promise<FinishedMetrics> {
    if (summary.isComplete && !this.#store.ended) {
      await new Promise<void>((resolve) => this.#onEnded = resolve);
    }
    this.#options.scrapes.close();
    const { baseEpochNs, sink } = this.#options;
    const { window, wasCancelled } = summary;
    const lineFailure = this.#stream.close({
      startNs: baseEpochNs + BigInt(window.startNs),
      endNs: baseEpochNs + BigInt(window.endNs),
      wasCancelled,
    });
    const finished = await finishMetrics(
      this.#store,
      this.#options,
      summary,
      sink,
      () => this.#heap.check(),
    );
    return {
      ...finished,
      files: [...finished.files, ...this.#stream.names],
      failure: lineFailure ?? finished.failure,
    };
  }

  /** What was scraped so far. */
  get endpoints(): readonly ScrapedEndpoint[] {
    return this.#store.endpoints;
  }

  /** The statistics of a window so far. */
  report(span: MetricsSpan): ServerMetricsReport {
    return metricsReport(this.#store, this.#options, span);
  }
}

function splitPath(path: string | undefined): [folder: string, name: string | undefined] {
  if (path === undefined) return ["", undefined];
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return [path.slice(0, at) || "/", path.slice(at + 1)];
}
