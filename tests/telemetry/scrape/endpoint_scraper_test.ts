import assert from "node:assert/strict";
import { SocketTransport } from "../../../src/client/http/socket_transport.ts";
import {
  EndpointScraper,
  type ScraperContext,
} from "../../../src/telemetry/scrape/endpoint_scraper.ts";
import type { ScrapeSettings } from "../../../src/telemetry/scrape/messages.ts";
import { FakeTime } from "../../support/fake_time.ts";
import { metricsEndpoint } from "../../support/metrics_endpoints.ts";
import { type ScriptedRequest, scriptedServer } from "../../support/scripted_server.ts";
import { until } from "../../support/until.ts";

type Message = Parameters<ScraperContext["deliver"]>[0];

/** A scraper at work, and what it said. Time passes only in which it waits for its next beat. */
interface Bench {
  readonly time: FakeTime;
  readonly scraper: EndpointScraper;
  readonly messages: readonly Message[];
  readonly warnings: readonly string[];
  /** Messages of a type. */
  of<T extends Message["type"]>(type: T): Extract<Message, { type: T }>[];
  /** Request lines so far. */
  readonly requests: readonly string[];
  /** Most requests that were being answered at one time. */
  readonly mostAtOnce: number;
}

type Answer = (
  request: ScriptedRequest,
  number: number,
  time: FakeTime,
) => Promise<void> | void;

const INTERVAL_NS = 20e6;

/** Runs a test with a scraper of a server that answers so; requests are counted from 1. */
async function withScraper(
  answer: Answer,
  test: (bench: Bench) => Promise<void>,
  changes: Partial<ScrapeSettings> & {
    readonly path?: string;
    readonly takesPages?: boolean;
  } = {},
): Promise<void> {
  const time = new FakeTime();
  const requests: string[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  using server = scriptedServer(async (request) => {
    requests.push(request.head.split("\r\n", 1)[0] as string);
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    try {
      await answer(request, requests.length, time);
    } finally {
      atOnce--;
    }
  });
  const { path = "/metrics", takesPages = true, ...settings } = changes;
  const endpoint = metricsEndpoint(`http://127.0.0.1:${server.port}${path}`);
  const transport = new SocketTransport({
    reuse: "pooled",
    trust: { caCerts: [], systemCerts: [] },
    nowNs: () => time.nowNs(),
  });
  const messages: Message[] = [];
  const warnings: string[] = [];
  const scraper = new EndpointScraper(endpoint, {
    settings: {
      endpoints: [endpoint],
      intervalNs: INTERVAL_NS,
      timeoutNs: 5e9,
      reachabilityTimeoutNs: 5e9,
      limits: {
        bodyBytes: 1e6,
        samples: 1e4,
        labels: 16,
        labelValueBytes: 1000,
        series: 1e4,
      },
      trust: { caCerts: [], systemCerts: [] },
      userAgent: "inferometer/test",
      keepPages: false,
      ...settings,
    },
    transport,
    clock: time,
    timers: time,
    deliver: (message) => {
      messages.push(message);
      if (message.type === "page" && takesPages) queueMicrotask(() => scraper.taken());
    },
    warn: (text) => warnings.push(text),
  });
  try {
    await test({
      time,
      scraper,
      messages,
      warnings,
      of: (type) => messages.filter((message) => message.type === type) as never,
      requests,
      get mostAtOnce() {
        return mostAtOnce;
      },
    });
  } finally {
    await scraper.stop(false);
    transport.close();
  }
}

/** Has beat follow beat until a condition holds. */
function onBeats({ time }: Bench, what: string, condition: () => boolean): Promise<true> {
  return until(what, async () => {
    if (condition()) return true;
    // What is farther away is the timeout of a scrape under way.
    if (time.msToNext <= INTERVAL_NS / 1e6) await time.pass(time.msToNext);
    return condition();
  });
}

function page(text: string, contentType = "text/plain"): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: ${contentType}\r\nContent-Length: ${text.length}\r\n\r\n` +
    text;
}

function status(code: number): string {
  return `HTTP/1.1 ${code} Status\r\nContent-Length: 0\r\n\r\n`;
}

const counting: Answer = ({ reply }, number) => reply(page(`a ${number}\n`));

function forever(): Promise<void> {
  return new Promise(() => {});
}

function valuesOf({ of }: Bench): number[] {
  return of("page").map(({ page }) => page.values[0] as number);
}

Deno.test("EndpointScraper makes the baseline, then scrapes on the grid, then a last time", () =>
  withScraper(counting, async (bench) => {
    assert.equal(await bench.scraper.baseline(), true);
    assert.deepEqual(valuesOf(bench), [1]);
    bench.scraper.start();
    await onBeats(bench, "some beats", () => bench.of("page").length >= 4);
    await bench.scraper.stop(true);
    const values = valuesOf(bench);
    assert.deepEqual(values, values.map((_, index) => index + 1));
    assert.equal(values.length, bench.requests.length);
    const [end] = bench.of("end");
    // All but the first and the last.
    assert.deepEqual([...end?.latenessMs ?? []], Array(values.length - 2).fill(0));
    assert.equal(bench.messages.at(-1), end);
    const times = bench.of("page").map(({ page }) => page.firstByteNs);
    assert.deepEqual(times, times.toSorted((a, b) => a - b));
  }));

Deno.test("EndpointScraper never has two scrapes under way, and counts the beats it skips", () =>
  withScraper(async ({ reply }, number, time) => {
    if (number > 1) time.sleep(70);
    await reply(page(`a ${number}\n`));
  }, async (bench) => {
    await bench.scraper.baseline();
    bench.scraper.start();
    await onBeats(bench, "some scrapes", () => bench.of("page").length >= 4);
    await Promise.all([bench.scraper.snapshot(), bench.scraper.snapshot()]);
    await bench.scraper.stop(true);
    assert.equal(bench.mostAtOnce, 1);
    const [end] = bench.of("end");
    // Beats come every 20 ms, the three scrapes on the grid took 70.
    assert.equal(end?.skippedScrapes, 9);
  }));

Deno.test("EndpointScraper skips beats while its pages are not taken in", () =>
  withScraper(
    ({ reply }, number) => reply(page(`a ${number}\n#${"x".repeat(9e5)}\n`)),
    async (bench) => {
      await bench.scraper.baseline();
      bench.scraper.start();
      await onBeats(bench, "three pages", () => bench.of("page").length === 3);
      await bench.time.pass(100);
      assert.deepEqual([bench.of("page").length, bench.requests.length], [3, 3]);
      bench.scraper.taken();
      await onBeats(bench, "a further page", () => bench.of("page").length === 4);
      await bench.scraper.stop(true);
      assert.equal(bench.of("page").length, 5, "the last one is not waited for");
      assert.equal(bench.of("end")[0]?.skippedScrapes, 4);
    },
    { takesPages: false, keepPages: true },
  ));

Deno.test("EndpointScraper lets more small pages wait than large ones", () =>
  withScraper(counting, async (bench) => {
    await bench.scraper.baseline();
    bench.scraper.start();
    await onBeats(bench, "more than three pages", () => bench.of("page").length >= 10);
    await bench.scraper.stop(true);
  }, { takesPages: false }));

Deno.test("EndpointScraper keeps to its grid after a scrape that took long", () =>
  withScraper(async ({ reply }, number, time) => {
    if (number === 3) time.sleep(30);
    await reply(page(`a ${number}\n`));
  }, async (bench) => {
    await bench.scraper.baseline();
    bench.scraper.start();
    await onBeats(bench, "some scrapes", () => bench.of("page").length >= 5);
    await bench.scraper.stop(false);
    const sentMs = bench.of("page").map(({ page }) => page.sentNs / 1e6);
    assert.deepEqual(sentMs, [0, 0, 20, 60, 80]);
  }));

Deno.test("EndpointScraper leaves an endpoint alone that does not answer at first", async () => {
  const answers: readonly [Answer, RegExp][] = [
    [(_request, _number, time) => time.pass(50), /no answer within 0\.05 s/],
    [({ reply }) => reply(status(500)), /HTTP 500/],
    [({ reply }) => reply(status(401)), /HTTP 401/],
    [({ close }) => close(), /without a reply/],
    [({ reply }) => reply(page("x".repeat(2e6))), /longer than/],
  ];
  for (const [answer, reason] of answers) {
    await withScraper(answer, async (bench) => {
      assert.equal(await bench.scraper.baseline(), false);
      bench.scraper.start();
      await bench.scraper.snapshot();
      await bench.scraper.stop(true);
      assert.equal(bench.requests.length, 1);
      assert.match(bench.of("disabled")[0]?.reason ?? "", reason);
      assert.match(bench.warnings.join(), reason);
      assert.equal(bench.of("end").length, 1);
    }, { reachabilityTimeoutNs: 0.05e9 });
  }
});

Deno.test("EndpointScraper looks at the other paths where there is JSON, nothing, or a redirect", async () => {
  for (
    const missing of [
      page("[]", "application/json"),
      status(404),
      status(307),
      page("<html></html>"),
    ]
  ) {
    await withScraper(({ head, reply }, number) =>
      reply(
        head.startsWith("GET /api/v1/metrics?a=b ")
          ? page(`a ${number}\n`)
          : head.startsWith("GET /api/metrics?a=b ")
          ? missing
          : status(500),
      ), async (bench) => {
      assert.equal(await bench.scraper.baseline(), true);
      bench.scraper.start();
      await onBeats(bench, "some scrapes", () => bench.of("page").length >= 3);
      await bench.scraper.stop(true);
      assert.equal(bench.requests.filter((line) => line.startsWith("GET /api/metrics")).length, 1);
      assert.match(bench.of("located")[0]?.redactedUrl ?? "", /\/api\/v1\/metrics\?a=b$/);
      assert.deepEqual([bench.of("failure"), bench.of("disabled"), bench.warnings], [[], [], []]);
    }, { path: "/api/metrics?a=b" });
  }
});

Deno.test("EndpointScraper tries each of the other paths once, and warns once", () =>
  withScraper(({ reply }) => reply(page("[]", "application/json")), async (bench) => {
    assert.equal(await bench.scraper.baseline(), false);
    bench.scraper.start();
    await bench.scraper.stop(true);
    assert.deepEqual(bench.requests, [
      "GET /metrics HTTP/1.1",
      "GET /prometheus/metrics HTTP/1.1",
      "GET /v1/metrics HTTP/1.1",
      "GET /metrics/ HTTP/1.1",
    ]);
    const url = /http:\S+?\/metrics/.exec(bench.warnings[0] ?? "")?.[0];
    assert.deepEqual(bench.warnings, [
      `Disabling server metrics collection for ${url}: endpoint '${url}' returned ` +
      "non-Prometheus content-type 'application/json'; expected text/plain (Prometheus " +
      "exposition format). To suppress this warning, pass --no-server-metrics.",
    ]);
  }));

Deno.test("EndpointScraper has no other paths for a URL that does not end so", async () => {
  for (const path of ["/stats", "/prometheus/metrics", "/metrics/x", "/"]) {
    await withScraper(({ reply }) => reply(page("[]", "application/json")), async (bench) => {
      assert.equal(await bench.scraper.baseline(), false);
      assert.equal(bench.requests.length, 1, path);
    }, { path });
  }
});

Deno.test("EndpointScraper counts failures after a good page and goes on", () => {
  const bad = [
    status(500),
    status(404),
    page("{}", "application/json"),
    page("<html></html>"),
    page(`a{b="${"x".repeat(2000)}"} 1\n`),
  ];
  return withScraper(({ reply }, number) => {
    const failing = bad[number - 3];
    return reply(failing ?? page(`a ${number}\n`));
  }, async (bench) => {
    await bench.scraper.baseline();
    bench.scraper.start();
    await onBeats(bench, "it got over that", () => bench.of("page").length >= 5);
    await bench.scraper.stop(true);
    assert.deepEqual(valuesOf(bench).slice(0, 5), [1, 2, 8, 9, 10]);
    assert.deepEqual(bench.of("failure").map(({ reason }) => reason.replace(/'http\S+' /, "")), [
      "HTTP 500",
      "HTTP 404",
      "endpoint returned non-Prometheus content-type 'application/json'; expected text/plain " +
      "(Prometheus exposition format)",
      'endpoint returned no metrics (line 1: Expected a metric name, found "<"); expected ' +
      "text/plain (Prometheus exposition format)",
      'Label "b" of "a" has a value longer than 1000 bytes',
    ]);
    assert.equal(new Set(bench.requests).size, 1, "no other path was tried");
    assert.deepEqual([bench.of("disabled"), bench.warnings], [[], []]);
  });
});

Deno.test("EndpointScraper goes on after scrapes that ran into their timeout", () =>
  withScraper(
    ({ reply }, number, time) => number === 2 ? time.pass(50) : reply(page(`a ${number}\n`)),
    async (bench) => {
      await bench.scraper.baseline();
      bench.scraper.start();
      await onBeats(bench, "it got over that", () => bench.of("page").length >= 3);
      await bench.scraper.stop(true);
      assert.deepEqual(bench.of("failure").map(({ reason }) => reason), [
        "no answer within 0.05 s",
      ]);
    },
    { timeoutNs: 0.05e9 },
  ));

Deno.test("EndpointScraper does not wait a second time for an endpoint that hangs at the end", () =>
  withScraper(
    ({ reply }, number) => number >= 3 ? forever() : reply(page(`a ${number}\n`)),
    async (bench) => {
      await bench.scraper.baseline();
      bench.scraper.start();
      await onBeats(bench, "it hangs", () => bench.requests.length === 3);
      const stopped = bench.scraper.stop(true);
      await bench.time.pass(100);
      await stopped;
      assert.equal(bench.requests.length, 3);
      assert.equal(bench.of("failure").length, 1);
    },
    { timeoutNs: 0.1e9 },
  ));

Deno.test("EndpointScraper scrapes a last time though a scrape failed before", () =>
  withScraper(
    ({ reply }, number) => reply(number === 2 ? status(500) : page(`a ${number}\n`)),
    async (bench) => {
      await bench.scraper.baseline();
      bench.scraper.start();
      await onBeats(bench, "it failed", () => bench.of("failure").length === 1);
      await bench.scraper.stop(true);
      assert.deepEqual(valuesOf(bench), [1, 3]);
    },
  ));

Deno.test("EndpointScraper stops at once when it is not to scrape a last time", () =>
  withScraper(
    ({ reply }, number) => number >= 2 ? forever() : reply(page(`a ${number}\n`)),
    async (bench) => {
      await bench.scraper.baseline();
      bench.scraper.start();
      await onBeats(bench, "it hangs", () => bench.requests.length === 2);
      await bench.scraper.stop(false);
      assert.equal(bench.of("end").length, 1);
      assert.deepEqual(bench.of("failure"), [], "it did not fail, it was given up");
    },
    { timeoutNs: 3600e9 },
  ));

Deno.test("EndpointScraper makes a snapshot besides the grid", () =>
  withScraper(counting, async (bench) => {
    await bench.scraper.baseline();
    await bench.scraper.snapshot();
    await bench.scraper.snapshot();
    assert.deepEqual(valuesOf(bench), [1, 2, 3]);
  }));

Deno.test("EndpointScraper hands on texts only if they are kept", async () => {
  for (const keepPages of [true, false]) {
    await withScraper(counting, async (bench) => {
      await bench.scraper.baseline();
      assert.equal(bench.of("page")[0]?.text, keepPages ? "a 1\n" : undefined);
    }, { keepPages });
  }
});

Deno.test("EndpointScraper reads an OpenMetrics page by its content type", () =>
  withScraper(
    ({ reply }) =>
      reply(page("# TYPE a counter\na_total 1\n# EOF\n", "application/openmetrics-text")),
    async (bench) => {
      await bench.scraper.baseline();
      const [first] = bench.of("page");
      assert.equal(first?.page.problemCount, 0);
      assert.deepEqual(first?.page.newSeries.map(({ name }) => name), ["a_total"]);
    },
  ));
