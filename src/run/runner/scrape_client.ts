import { ClockCells } from "../../core/thread/clock_cells.ts";
import type { MainClock } from "../../core/thread/run_clock.ts";
import { USER_AGENT } from "../../config/plan/version.ts";
import type { ScrapePlan } from "../../config/plan/server_metrics_plan.ts";
import type { PageFamily } from "../../telemetry/prometheus/page_families.ts";
import type { FromScrapeWorker, ToScrapeWorker } from "../../telemetry/scrape/messages.ts";
import { scrapeWorkerPermissions } from "../../config/sandbox/permissions.ts";
import type { TlsTrust } from "../../client/http/transport.ts";
import type { KeptThreads } from "./kept_threads.ts";
import { WorkerClient } from "./worker_client.ts";

/** Longest that a worker takes to stop once it need not wait for a server. */
const STOP_MS = 200;
/** First pages that are older than this are no reference for counters. */
const SLOW_BASELINE_MS = 1000;
/** Longest wait between phases for the snapshots of the endpoints. */
const SNAPSHOT_MS = 2000;

/** Main's end of the scrape worker. A worker that dies ends the scraping, not the run. */
export class ScrapeClient {
  readonly #plan: ScrapePlan;
  readonly #worker: WorkerClient<ToScrapeWorker, FromScrapeWorker>;
  #clockOffsetMs = 0;
  #isComplete = true;
  #isStopped = false;
  #reachable = 0;

  /**
   * Starts the thread; it may reach the endpoints' hosts alone.
   * @param onWarning called with what the report also says of an endpoint
   * @param onDeath called if the thread dies
   */
  constructor(
    plan: ScrapePlan,
    onWarning: (text: string) => void,
    onDeath: (text: string) => void,
    threads?: KeptThreads,
  ) {
    this.#plan = plan;
    const url = new URL("../../telemetry/scrape/scrape_thread.ts", import.meta.url);
    const origins = plan.endpoints.map(({ origin }) => origin);
    this.#worker = new WorkerClient("scrape", url, scrapeWorkerPermissions(origins), {
      onMessage: (message) => {
        if (message.type === "warning") onWarning(message.text);
      },
      onDeath: (reason) =>
        onDeath(
          plan.subject === undefined
            ? `The scrape thread died; server metrics are incomplete: ${reason}`
            : `The scrape thread died, ${plan.subject.name} is not complete: ${reason}`,
        ),
    }, threads);
  }

  /** Whether all that was scraped is on its way to the results worker. */
  get isComplete(): boolean {
    return this.#worker.isAlive && this.#isComplete;
  }

  /** Endpoints that are scraped. */
  get reachable(): number {
    return this.#worker.isAlive ? this.#reachable : 0;
  }

  /** Gives the worker its orders and sets its clock. */
  async init(
    clock: MainClock,
    { caCerts, systemCerts, clientCert }: TlsTrust,
    results: MessagePort,
  ): Promise<void> {
    await this.#worker.ready.catch(() => {});
    if (!this.#worker.isAlive) return;
    const { endpoints, intervalNs, timeoutNs, reachabilityTimeoutNs, limits } = this.#plan;
    const { recordingPath, subject } = this.#plan;
    const cells = new ClockCells();
    this.#worker.post({
      type: "init",
      settings: {
        endpoints,
        intervalNs,
        timeoutNs,
        reachabilityTimeoutNs,
        limits,
        trust: { caCerts, systemCerts, clientCert },
        userAgent: USER_AGENT,
        keepPages: recordingPath !== undefined,
        subject,
      },
      clock: cells.buffer,
      results,
    }, [results]);
    this.#clockOffsetMs = clock.handshake(cells);
  }

  /**
   * Has every endpoint scraped once: those that do not answer are left out of the run. An interrupt
   * ends the wait for them.
   * @param withFamilies whether to ask what they report
   * @returns that; undefined if it was not asked for, or not answered
   */
  async baseline(
    interrupt: AbortSignal,
    withFamilies = false,
  ): Promise<readonly PageFamily[] | undefined> {
    const answer = this.#next("baseline");
    const askedMs = performance.now();
    this.#worker.post({ type: "baseline", clockOffsetMs: this.#clockOffsetMs, withFamilies });
    const message = (await Promise.race([answer, aborted(interrupt)])) ?? undefined;
    if (message !== undefined) this.#reachable = message.reachable;
    // What quick endpoints counted while a slow one was waited for is none of the run's.
    if (performance.now() - askedMs > SLOW_BASELINE_MS) await this.snapshot(interrupt);
    return message?.families;
  }

  /** Has scraping on the grid begin. */
  start(): void {
    this.#worker.post({ type: "start" });
  }

  /** Has every endpoint scraped now. One that does not answer soon does not hold the run up. */
  async snapshot(interrupt: AbortSignal): Promise<void> {
    if (this.reachable === 0) return;
    const answer = this.#next("snapshot");
    this.#worker.post({ type: "snapshot" });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((resolve) => timer = setTimeout(resolve, SNAPSHOT_MS));
    await Promise.race([answer, aborted(interrupt), late]);
    clearTimeout(timer);
  }

  /**
   * Ends the scraping: every endpoint is scraped a last time, a while after the end of the load,
   * because servers lag behind with their figures. An interrupt ends it at once.
   * @param endNs the end of the load
   * @param settled ends the while early
   */
  async stop(
    clock: MainClock,
    endNs: number,
    interrupt: AbortSignal,
    settled?: Promise<void>,
  ): Promise<void> {
    if (this.reachable > 0) {
      const flushMs = (endNs + this.#plan.flushNs - clock.nowNs()) / 1e6;
      const waits = [sleep(flushMs), aborted(interrupt)];
      await Promise.race(settled === undefined ? waits : [...waits, settled]);
    }
    const answer = this.#next("stopped");
    this.#worker.post({ type: "stop", lastScrape: this.reachable > 0 && !interrupt.aborted });
    await Promise.race([answer, aborted(interrupt)]);
    this.#isStopped = !interrupt.aborted;
    if (this.#isStopped) return;
    // A last scrape that is under way is given up.
    this.#worker.post({ type: "stop", lastScrape: false });
    this.#isComplete = await Promise.race([answer.then(() => true), sleep(STOP_MS)]) === true;
  }

  /** Ends the thread, or leaves it to the next run. */
  close(): void {
    this.#worker.close(this.#isStopped);
  }

  /** The worker's next message of that type; undefined if it dies before. */
  #next<T extends FromScrapeWorker["type"]>(
    type: T,
  ): Promise<Extract<FromScrapeWorker, { type: T }> | undefined> {
    return this.#worker.next(type).catch(() => undefined);
  }
}

function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, delayMs)));
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true })
  );
}
