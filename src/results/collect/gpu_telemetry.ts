/** GPU telemetry of a run: taken in while it goes on, or again from its folder. */

import type { FileSink } from "../../report/export/file_sink.ts";
import { GPU_FIELDS } from "../../telemetry/gpu/gpu_fields.ts";
import { gpuReport, type GpuTelemetryReport } from "../../telemetry/gpu/gpu_report.ts";
import { telemetryLines } from "../../report/export/summary/gpu_telemetry_json.ts";
import type { GpuTelemetryPlan } from "../../config/plan/gpu_telemetry_plan.ts";
import { gpuTimeline } from "../../report/model/gpu_timeline.ts";
import type { ServerTimeline } from "../../report/model/server_timeline.ts";
import type { PageTaken, ScrapeMessage } from "../../telemetry/scrape/messages.ts";
import { MetricsStore } from "../server_metrics/metrics_store.ts";
import type { TimeWindow } from "../../telemetry/timeseries/time_window.ts";

/** Report, lines and pictures of a run's GPUs. */
export interface GpuTelemetry {
  readonly report: GpuTelemetryReport;
  readonly timeline: ServerTimeline;
  /** The samples as lines of the JSONL file. */
  lines(): Iterable<string>;
}

/** Settings of a {@linkcode GpuCollector}. */
export interface GpuCollectorOptions {
  readonly redact: (text: string) => string;
  readonly redactPage: (text: string) => string;
  readonly scratch: Pick<FileSink, "openScratch">;
  /** Called with everything that scraping found, as it comes. */
  onScrape(message: ScrapeMessage): void;
}

/** A store of what the exporters of a plan say. */
export function gpuStore(
  { endpoints }: GpuTelemetryPlan,
  options: ConstructorParameters<typeof MetricsStore>[1],
): MetricsStore {
  return new MetricsStore(endpoints.map(({ redactedUrl }) => redactedUrl), options);
}

/** Takes in what the thread of GPU telemetry found. */
export class GpuCollector {
  readonly #plan: GpuTelemetryPlan;
  readonly #port: MessagePort;
  readonly #store: MetricsStore;
  #onEnded: () => void = () => {};

  constructor(plan: GpuTelemetryPlan, port: MessagePort, options: GpuCollectorOptions) {
    this.#plan = plan;
    this.#port = port;
    this.#store = gpuStore(plan, options);
    port.onmessage = ({ data }: MessageEvent<ScrapeMessage>) => {
      options.onScrape(data);
      this.#store.take(data);
      if (data.type === "page") {
        port.postMessage({ endpoint: data.endpoint } satisfies PageTaken);
      }
      if (this.#store.ended) this.#onEnded();
    };
  }

  /**
   * Waits for what is on its way, and computes.
   * @param isComplete whether everything that was scraped is on its way here
   */
  async finish(
    window: TimeWindow,
    baseEpochNs: bigint,
    isComplete: boolean,
  ): Promise<GpuTelemetry | undefined> {
    if (isComplete && !this.#store.ended) {
      await new Promise<void>((resolve) => this.#onEnded = resolve);
    }
    this.#port.close();
    return gpuTelemetry(this.#plan, this.#store, window, baseEpochNs);
  }
}

/**
 * What a store's endpoints said of GPUs.
 * @returns undefined if there are none, and none was asked for
 */
export function gpuTelemetry(
  plan: GpuTelemetryPlan,
  store: MetricsStore,
  window: TimeWindow,
  baseEpochNs: bigint,
): GpuTelemetry | undefined {
  const { customFields } = plan;
  const endpoints = store.endpoints.map((endpoint, index) => ({
    ...endpoint,
    named: plan.endpoints[index]?.named === true,
  }));
  const report = gpuReport(endpoints, { window, baseEpochNs, customFields });
  return report && {
    report,
    timeline: gpuTimeline(store.endpoints),
    lines: () => telemetryLines(store.endpoints, [...GPU_FIELDS, ...customFields], baseEpochNs),
  };
}
