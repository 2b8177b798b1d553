import { SocketTransport } from "../../client/http/socket_transport.ts";
import { type RunClock, workerClock } from "../../core/thread/run_clock.ts";
import { EndpointScraper } from "./endpoint_scraper.ts";
import type { Timers } from "../../core/thread/timers.ts";
import type { FromScrapeWorker, PageTaken, ToScrapeWorker } from "./messages.ts";

type Init = Extract<ToScrapeWorker, { type: "init" }>;

/** Environment that a {@linkcode ScrapeWorker} needs in addition to its orders. */
export interface ScrapeWorkerContext {
  readonly timers: Timers;
  /** How main is notified. */
  toMain(message: FromScrapeWorker): void;
  /** Called when a message has been forwarded. */
  onDelivered(): void;
}

/** Scrapes the endpoints of a run and forwards the results. */
export class ScrapeWorker {
  readonly #context: ScrapeWorkerContext;
  readonly #scrapers: readonly EndpointScraper[];
  readonly #transport: SocketTransport;
  #stopped: Promise<void> | undefined;
  /** Until the offset is known, this thread's own reading. */
  #clock: RunClock = workerClock(0);

  constructor({ settings, results }: Init, context: ScrapeWorkerContext) {
    this.#context = context;
    const clock: RunClock = { nowNs: () => this.#clock.nowNs() };
    this.#transport = new SocketTransport({
      reuse: "pooled",
      trust: settings.trust,
      nowNs: () => clock.nowNs(),
    });
    this.#scrapers = settings.endpoints.map((endpoint, index) =>
      new EndpointScraper(endpoint, {
        settings,
        transport: this.#transport,
        clock,
        timers: context.timers,
        deliver: (message, transfer = []) => {
          results.postMessage({ ...message, endpoint: index }, transfer);
          context.onDelivered();
        },
        warn: (text) => context.toMain({ type: "warning", text }),
      })
    );
    results.onmessage = (event: MessageEvent<PageTaken>) =>
      this.#scrapers[event.data.endpoint]?.taken();
  }

  /** Scrapes each endpoint once and selects the reachable ones for further scrapes. */
  async baseline(
    { clockOffsetMs, withFamilies }: Extract<ToScrapeWorker, { type: "baseline" }>,
  ): Promise<void> {
    this.#clock = workerClock(clockOffsetMs);
    const answers = await Promise.all(this.#scrapers.map((scraper) => scraper.baseline()));
    const reachable = this.#scrapers.filter((_, index) => answers[index]);
    this.#context.toMain({
      type: "baseline",
      reachable: reachable.length,
      families: withFamilies ? reachable.flatMap(({ families }) => families) : undefined,
    });
  }

  /** Starts scraping on the grid. */
  start(): void {
    for (const scraper of this.#scrapers) scraper.start();
  }

  /** Scrapes each endpoint now. */
  async snapshot(): Promise<void> {
    await Promise.all(this.#scrapers.map((scraper) => scraper.snapshot()));
    this.#context.toMain({ type: "snapshot" });
  }

  /** Ends the scraping. */
  async stop(lastScrape: boolean): Promise<void> {
    const ends = this.#scrapers.map((scraper) => scraper.stop(lastScrape));
    this.#stopped ??= Promise.all(ends).then(() => {
      this.#transport.close();
      this.#context.toMain({ type: "stopped" });
    });
    await this.#stopped;
  }
}
