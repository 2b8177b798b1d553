/** Endpoints that share the scrape thread, in a time that only work and waiting make pass. */

import assert from "node:assert/strict";
import type { Exchange, Transport } from "../../../src/client/http/transport.ts";
import {
  EndpointScraper,
  type ScraperContext,
} from "../../../src/telemetry/scrape/endpoint_scraper.ts";
import type { Timers } from "../../../src/core/thread/timers.ts";
import { joinPieces, type PagePiece } from "../../../src/telemetry/scrape/page_pieces.ts";
import { metricsEndpoint } from "../../support/metrics_endpoints.ts";

type Message = Parameters<ScraperContext["deliver"]>[0];

const INTERVAL_NS = 100e6;
/** What looking at the clock costs: work that goes on looks at it after each of its steps. */
const LOOK_NS = 1e6;
const SERIES = 200_000;
const encoder = new TextEncoder();

/** Time that passes by being looked at, and in waiting when there is nothing else to do. */
class WorkedTime implements Pick<Timers, "once"> {
  #nowNs = 0;
  #waiting: { readonly dueNs: number; readonly call: () => void }[] = [];

  nowNs(): number {
    return this.#nowNs += LOOK_NS;
  }

  once(delayMs: number, call: () => void): () => void {
    const timer = { dueNs: this.#nowNs + delayMs * 1e6, call };
    this.#waiting.push(timer);
    return () => this.#waiting = this.#waiting.filter((other) => other !== timer);
  }

  /** Calls timers in the order in which they are due, until a condition holds. */
  async passUntil(condition: () => boolean): Promise<void> {
    while (!condition()) {
      // What was called comes to its next wait.
      await new Promise((resolve) => setTimeout(resolve, 0));
      const [next] = this.#waiting.sort((a, b) => a.dueNs - b.dueNs);
      if (next === undefined) continue;
      this.#waiting.shift();
      this.#nowNs = Math.max(this.#nowNs, next.dueNs);
      next.call();
    }
  }
}

/** Answers each request at once, with what the path stands for. */
function answering(pages: Readonly<Record<string, () => Uint8Array>>): Transport {
  return {
    prepare: () => Promise.resolve(),
    send({ request, trace, sink }: Exchange) {
      trace.startNs = 0;
      sink.onSent();
      sink.onHead({ status: 200, headers: [["content-type", "text/plain"]] } as never, 0);
      const body = pages[request.path]?.() ?? new Uint8Array(0);
      sink.onBody(body, 0, body.length, 0);
      sink.onEnd(0);
    },
    abort() {},
    close() {},
  };
}

/** Scrapers of one thread, and all that they said, in its order. */
function scrapersOf(
  time: WorkedTime,
  pages: Readonly<Record<string, () => Uint8Array>>,
): {
  readonly scrapers: readonly EndpointScraper[];
  readonly said: readonly (readonly [path: string, message: Message])[];
} {
  const said: (readonly [string, Message])[] = [];
  const transport = answering(pages);
  const scrapers = Object.keys(pages).map((path) => {
    const endpoint = metricsEndpoint(`http://127.0.0.1:1${path}`);
    const scraper: EndpointScraper = new EndpointScraper(endpoint, {
      settings: {
        endpoints: [endpoint],
        intervalNs: INTERVAL_NS,
        timeoutNs: 3600e9,
        reachabilityTimeoutNs: 3600e9,
        // A tenth of the series is left to known names.
        limits: {
          ...{ bodyBytes: 1e8, samples: SERIES, labels: 9, labelValueBytes: 99 },
          series: 2 * SERIES,
        },
        trust: { caCerts: [], systemCerts: [] },
        userAgent: "inferometer/test",
        keepPages: false,
      },
      transport,
      clock: { nowNs: () => time.nowNs() },
      timers: time,
      deliver: (message) => {
        said.push([path, message]);
        if (message.type === "page") queueMicrotask(() => scraper.taken());
      },
      warn: (text) => assert.fail(text),
    });
    return scraper;
  });
  return { scrapers, said };
}

function largePage(): Uint8Array {
  const lines = Array.from({ length: SERIES }, (_, id) => `many{id="${id}"} ${id % 7}\n`);
  return encoder.encode(lines.join(""));
}

Deno.test("a page of 200,000 series takes no scrape away from another endpoint", async () => {
  const time = new WorkedTime();
  let number = 0;
  const large = largePage();
  const { scrapers, said } = scrapersOf(time, {
    "/large/metrics": () => large,
    "/small/metrics": () => encoder.encode(`a ${++number}\n`),
  });
  for (const scraper of scrapers) scraper.start();
  const pagesOf = (wanted: string) =>
    said.flatMap(([path, message]) =>
      path === wanted && message.type === "page" ? [message.page] : []
    );
  await time.passUntil(() => pagesOf("/large/metrics").length === 1);
  let stopped = 0;
  for (const scraper of scrapers) scraper.stop(true).then(() => stopped++);
  await time.passUntil(() => stopped === 2);

  const endOf = (wanted: string) =>
    said.flatMap(([path, message]) =>
      path === wanted && message.type === "end" ? [message] : []
    )[0];
  // The large page is read for many beats, in each of which the small one is scraped.
  const first = said.findIndex(([path, { type }]) => path.startsWith("/large") && type === "page");
  const meanwhile = said.slice(0, first).filter(([path, { type }]) =>
    path.startsWith("/small") && type === "page"
  );
  assert.ok(meanwhile.length >= 5, `${meanwhile.length} scrapes`);
  const [small, own] = [endOf("/small/metrics"), endOf("/large/metrics")];
  assert.equal(small?.skippedScrapes, 0);
  assert.equal(pagesOf("/small/metrics").length, small.latenessMs.length + 1, "and the last one");
  assert.ok(own !== undefined && own.skippedScrapes >= 5, "its own beats are missed, and counted");

  // It arrives whole, in messages that none takes long to copy.
  const pieces: PagePiece[] = said.flatMap(([, message]) =>
    message.type === "piece" ? [message.piece] : []
  );
  assert.ok(pieces.every(({ newSeries }) => newSeries.length <= 1000));
  const [page] = pagesOf("/large/metrics");
  assert.ok(page !== undefined && page.newSeries.length <= 1000);
  const { newSeries } = joinPieces(pieces, page);
  assert.deepEqual(newSeries.map(({ id }) => id), Array.from({ length: SERIES }, (_, id) => id));
});

/** A scraper on the grid in the middle of reading its first page, and what it said. */
async function readingLargePage(time: WorkedTime, beats: number) {
  const large = largePage();
  const { scrapers: [scraper], said } = scrapersOf(time, { "/large/metrics": () => large });
  assert.ok(scraper !== undefined);
  const startNs = time.nowNs();
  scraper.start();
  await time.passUntil(() => time.nowNs() > startNs + beats * INTERVAL_NS);
  const pagesSaid = () => said.filter(([, { type }]) => type === "page").length;
  assert.equal(pagesSaid(), 0);
  return { scraper, said, pagesSaid };
}

Deno.test("beats that a scrape holds up until the stop are counted, those after it are not", async () => {
  const time = new WorkedTime();
  const { scraper, said, pagesSaid } = await readingLargePage(time, 3.5);
  let isStopped = false;
  scraper.stop(true).then(() => isStopped = true);
  await time.passUntil(() => isStopped);
  const [, end] = said.at(-1) ?? [];
  assert.ok(end?.type === "end");
  assert.equal(pagesSaid(), 2, "and the last one");
  assert.equal(end.skippedScrapes, 3);
});

Deno.test("stopping once more gives up the page that is being read", async () => {
  const time = new WorkedTime();
  const { scraper, said } = await readingLargePage(time, 0.5);
  let isStopped = false;
  scraper.stop(true).then(() => isStopped = true);
  scraper.stop(false);
  await time.passUntil(() => isStopped);
  assert.deepEqual(said.map(([, { type }]) => type), ["end"]);
});
