/** Server metrics under existing traffic: the pipeline of a benchmark without the requests. */

import { scrapeInputConfig } from "../../report/export/summary/input_config.ts";
import { MainClock } from "../../core/thread/run_clock.ts";
import { pauseUnless } from "../../core/thread/timers.ts";
import type { ScrapeRunPlan } from "../../config/plan/scrape_run_plan.ts";
import type { FromMetricsWorker } from "../../results/server_metrics/messages.ts";
import { redactor } from "../../core/secrets/redactor.ts";
import { hostName } from "./host_name.ts";
import { MetricsClient } from "./metrics_client.ts";
import { inOutputFolder, type OutputFolder } from "./prepare_output.ts";
import { prepareRecording } from "./prepare_recording.ts";
import { ScrapeClient } from "./scrape_client.ts";
import { ServerUnavailableError } from "./server_probe.ts";

/** Longest that the last scrape of each endpoint is waited for. */
const LAST_SCRAPE_MS = 2000;
/** Interval at which the latest figures are shown. */
const LIVE_MS = 1000;
/** Scrapes that these figures are of, at least. */
const LIVE_SCRAPES = 4;
/** Longest that a timer sleeps in one go: it overflows beyond 24 days. */
const MAX_SLEEP_MS = 2 ** 31 - 1;

type Live = Extract<FromMetricsWorker, { type: "live" }>;
type Done = Extract<FromMetricsWorker, { type: "done" }>;

/** Callbacks of a scrape under way. */
export interface ScrapeHooks {
  /** Ends it before its time. */
  readonly interrupt: AbortSignal;
  readonly screen: { readonly width: number; readonly color: boolean };
  onWarning(text: string): void;
  /** Called when all threads have what they need: this thread may give up its permissions. */
  onThreadsStarted(): Promise<void>;
  /** Called about once a second with the figures of the last scrapes; undefined for no live display. */
  readonly onLive: ((live: Live, elapsedSeconds: number) => void) | undefined;
}

/**
 * Scrapes until the duration is over or the interrupt comes, and writes the files.
 * @throws {ServerUnavailableError} if no endpoint gives metrics
 * @throws {ExportError} if the artifact folder cannot be made
 */
export async function runScrape(plan: ScrapeRunPlan, hooks: ScrapeHooks): Promise<Done> {
  await prepareRecording(plan.metrics.recordingPath);
  return await inOutputFolder(plan.output, (folder) => scrapeInto(folder, plan, hooks));
}

async function scrapeInto(
  { path: directory, begin }: OutputFolder,
  plan: ScrapeRunPlan,
  hooks: ScrapeHooks,
): Promise<Done> {
  const clock = new MainClock();
  const { metrics } = plan;
  const redact = redactor(plan.secrets);
  const warn = (text: string): void => hooks.onWarning(redact(text));
  const scraper = new ScrapeClient(metrics, warn, warn);
  const results = new MetricsClient(directory, metrics.recordingPath, hooks);
  const over = new AbortController();
  try {
    await begin();
    const { port1, port2 } = new MessageChannel();
    await results.init({
      plan: metrics,
      benchmarkId: plan.benchmarkId,
      prefix: plan.output.prefix,
      scrapes: port2,
      baseEpochNs: clock.baseEpochNs,
      hostname: hostName(),
      inputConfig: scrapeInputConfig(plan),
      directory,
      secrets: plan.secrets,
    });
    await scraper.init(clock, plan.trust, port1);
    await hooks.onThreadsStarted();
    await scraper.baseline(hooks.interrupt);
    if (scraper.reachable === 0 && !hooks.interrupt.aborted) {
      await results.abandon();
      throw new ServerUnavailableError("No endpoint gave Prometheus metrics");
    }
    const startNs = clock.nowNs();
    scraper.start();
    const endLive = beginLive(results, clock, startNs, metrics.intervalNs);
    await pauseUnless(hooks.interrupt, Math.min(plan.durationNs / 1e6, MAX_SLEEP_MS));
    endLive();
    const endNs = clock.nowNs();
    const lastScrape = setTimeout(() => over.abort(), LAST_SCRAPE_MS);
    await scraper.stop(clock, endNs, over.signal);
    clearTimeout(lastScrape);
    // Its memory is free for what the results need now.
    scraper.close();
    return await results.finish({
      window: { startNs, endNs },
      wasCancelled: hooks.interrupt.aborted && plan.durationNs < Infinity,
      isComplete: scraper.isComplete,
    });
  } finally {
    scraper.close();
    results.close();
  }
}

/** Asks for the latest figures again and again; returns what ends it. */
function beginLive(
  results: MetricsClient,
  clock: MainClock,
  startNs: number,
  intervalNs: number,
): () => void {
  // Whole intervals: the window then has as many scrapes wherever it lies between two of them.
  const scrapes = Math.max(LIVE_SCRAPES, Math.ceil(LIVE_MS * 1e6 / intervalNs));
  const spanNs = scrapes * intervalNs;
  const timer = setInterval(() => {
    const endNs = clock.nowNs();
    results.askLive(
      { startNs: Math.max(startNs, endNs - spanNs), endNs },
      (endNs - startNs) / 1e9,
    );
  }, LIVE_MS);
  return () => clearInterval(timer);
}
