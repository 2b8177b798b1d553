/**
 * The thread that scrapes metrics endpoints. It may reach those hosts and do nothing else; what it
 * finds goes to the results worker as columns.
 */

import { SocketTransport } from "../http/socket_transport.ts";
import { ClockCells } from "../thread/clock_cells.ts";
import { HeapTrimmer } from "../thread/heap_trimmer.ts";
import { answerHandshake, type RunClock, workerClock } from "../thread/run_clock.ts";
import { workerScope } from "../thread/worker_scope.ts";
import { EndpointScraper } from "./endpoint_scraper.ts";
import { TIMERS } from "./timers.ts";
import type { FromScrapeWorker, PageTaken, ToScrapeWorker } from "./messages.ts";

type Init = Extract<ToScrapeWorker, { type: "init" }>;

class ScrapeWorker {
  readonly #scrapers: readonly EndpointScraper[];
  readonly #transport: SocketTransport;
  #stopped: Promise<void> | undefined;
  /** Until the offset is known, this thread's own reading. */
  #clock: RunClock = workerClock(0);

  constructor({ settings, results }: Init) {
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
        timers: TIMERS,
        deliver: (message, transfer = []) => {
          results.postMessage({ ...message, endpoint: index }, transfer);
          heap.check();
        },
        warn: (text) => post({ type: "warning", text }),
      })
    );
    results.onmessage = (event: MessageEvent<PageTaken>) =>
      this.#scrapers[event.data.endpoint]?.taken();
  }

  async baseline(clockOffsetMs: number): Promise<void> {
    this.#clock = workerClock(clockOffsetMs);
    const reachable = await Promise.all(this.#scrapers.map((scraper) => scraper.baseline()));
    post({ type: "baseline", reachable: reachable.filter(Boolean).length });
  }

  start(): void {
    for (const scraper of this.#scrapers) scraper.start();
  }

  async snapshot(): Promise<void> {
    await Promise.all(this.#scrapers.map((scraper) => scraper.snapshot()));
    post({ type: "snapshot" });
  }

  async stop(lastScrape: boolean): Promise<void> {
    const ends = this.#scrapers.map((scraper) => scraper.stop(lastScrape));
    this.#stopped ??= Promise.all(ends).then(() => {
      this.#transport.close();
      post({ type: "stopped" });
    });
    await this.#stopped;
  }
}

function post(message: FromScrapeWorker): void {
  scope.postMessage(message);
}

/** More is in use only where the user raised the limits of pages. */
const MAX_TRIMMED_BYTES = 96e6;

const heap = new HeapTrimmer(MAX_TRIMMED_BYTES);
const scope = workerScope();
let worker: ScrapeWorker | undefined;
scope.onmessage = async (event: MessageEvent<ToScrapeWorker>) => {
  const message = event.data;
  switch (message.type) {
    case "init":
      answerHandshake(new ClockCells(message.clock));
      worker = new ScrapeWorker(message);
      break;
    case "baseline":
      await worker?.baseline(message.clockOffsetMs);
      break;
    case "start":
      worker?.start();
      break;
    case "snapshot":
      await worker?.snapshot();
      break;
    case "stop":
      await worker?.stop(message.lastScrape);
      break;
  }
};
post({ type: "ready" });
