/** Taking in what was scraped, the files that grow with it, and files that cannot be written. */

import assert from "node:assert/strict";
import { ExportError } from "../../../src/report/export/export_error.ts";
import type { FileSink } from "../../../src/report/export/file_sink.ts";
import { resolveMetricsOutput } from "../../../src/config/plan/servers/resolve_server_metrics.ts";
import { PageReader } from "../../../src/telemetry/scrape/page_reader.ts";
import { allAtOnce } from "../../../src/telemetry/prometheus/steps.ts";
import type { ScrapeMessage } from "../../../src/telemetry/scrape/messages.ts";
import { sendPieces } from "../../../src/telemetry/scrape/page_pieces.ts";
import { MetricsStore } from "../../../src/results/server_metrics/metrics_store.ts";
import {
  MetricsStream,
  type MetricsStreamOptions,
} from "../../../src/results/server_metrics/metrics_stream.ts";
import { writeMetrics } from "../../../src/results/server_metrics/write_metrics.ts";
import {
  BASE_EPOCH_NS,
  endpointOf,
  reportOf,
  scrapedEndpoint,
  type TimedPage,
} from "../../support/metrics_pages.ts";
import { memorySink, replayedFiles } from "../../support/replayed_files.ts";

const URL = "http://a/metrics";
const encoder = new TextEncoder();

/** Messages about the pages of an endpoint. */
function* pages(endpoint: number, texts: readonly string[]): Generator<ScrapeMessage> {
  const reader = new PageReader();
  for (const [row, text] of texts.entries()) {
    const firstByteNs = row * 1e9;
    const page = reader.read(encoder.encode(text), "text/plain", {
      sentNs: firstByteNs,
      firstByteNs,
      latencyNs: 1,
    });
    yield { type: "page", endpoint, page, text, contentType: "text/plain", droppedSeries: 0 };
  }
}

function failure(reason: string): ScrapeMessage {
  return { type: "failure", endpoint: 0, reason, atNs: 0 };
}

Deno.test("MetricsStore counts failures by what went wrong, further kinds of them together", () => {
  const store = new MetricsStore([URL]);
  for (let kind = 0; kind < 30; kind++) {
    store.take(failure(`reason ${kind}`));
    store.take(failure(`reason ${kind}`));
  }
  const failures = store.endpoints[0]?.failures ?? new Map();
  assert.equal(failures.size, 21);
  assert.equal(failures.get("reason 0"), 2);
  assert.equal(failures.get("other reasons"), 20);
});

Deno.test("MetricsStore puts pages together whose series and help texts came ahead", () => {
  const lines = Array.from(
    { length: 1300 },
    (_, id) => `# HELP m${id} Number ${id}\n# TYPE m${id} gauge\nm${id} ${id}\n`,
  );
  const store = new MetricsStore([URL, "http://b/metrics"]);
  for (const message of pages(0, [lines.join(""), `${lines.join("")}late 1\n`])) {
    assert.ok(message.type === "page");
    const sending = sendPieces(
      message.page,
      (piece) => store.take({ type: "piece", endpoint: 0, piece }),
    );
    store.take({ ...message, page: allAtOnce(sending) });
    for (const other of pages(1, ["x 1\n"])) store.take(other);
  }
  const [large, small] = store.endpoints.map(({ series }) => [...series.series]);
  assert.equal(large?.length, 1301);
  assert.equal(small?.length, 1);
  large?.slice(0, 1300).forEach(({ identity }, id) => {
    assert.deepEqual([identity.name, identity.description], [`m${id}`, `Number ${id}`]);
  });
});

Deno.test("MetricsStore takes secrets out of what went wrong, and out of pages", () => {
  const redact = (text: string) => text.replaceAll("s3cret", "<redacted>");
  const store = new MetricsStore([URL, "http://b/metrics"], { redact, redactPage: redact });
  store.take(failure("HTTP 302 to /s3cret"));
  store.take({ type: "disabled", endpoint: 1, reason: "s3cret" });
  for (const message of pages(0, ['a{k="s3cret"} 1\n'])) store.take(message);
  const [endpoint] = store.endpoints;
  assert.deepEqual([...endpoint?.failures.keys() ?? []], ["HTTP 302 to /<redacted>"]);
  assert.deepEqual(store.notes, ["No server metrics from http://b/metrics: <redacted>"]);
  const labels = [...endpoint?.series.series ?? []].map(({ identity }) => identity.labels);
  assert.deepEqual(labels, [[["k", "<redacted>"]]]);
});

Deno.test("MetricsStore follows an endpoint to where it was found, and knows when all is said", () => {
  const store = new MetricsStore([URL, "http://b/metrics"]);
  store.take({ type: "located", endpoint: 0, redactedUrl: "http://a/prometheus/metrics" });
  assert.deepEqual(store.urls, ["http://a/prometheus/metrics", "http://b/metrics"]);
  const end = { type: "end", skippedScrapes: 2, latenessMs: Float64Array.of(1) } as const;
  store.take({ ...end, endpoint: 0 });
  assert.equal(store.ended, false);
  store.take({ ...end, endpoint: 1 });
  assert.equal(store.ended, true);
  assert.equal(store.endpoints[1]?.skippedScrapes, 2);
  // A message about an endpoint that there is not is no reason to fall over.
  store.take({ ...end, endpoint: 7 });
});

/** A stream into memory. */
function streamInto(
  files: Map<string, Uint8Array<ArrayBuffer>>,
  changes: Partial<MetricsStreamOptions> = {},
): MetricsStream {
  return new MetricsStream({
    linesName: "lines",
    lines: memorySink(files),
    recordingName: "record",
    recording: memorySink(files),
    batchLines: 2,
    baseEpochNs: BASE_EPOCH_NS,
    benchmarkId: "id",
    endpointsConfigured: [URL],
    redact: (text) => text,
    onFailure: () => {},
    ...changes,
  });
}

function linesOf(files: ReadonlyMap<string, Uint8Array>, name: string): string[] {
  return new TextDecoder().decode(files.get(name)).split("\n").filter((line) => line !== "");
}

const WINDOW = { startNs: BASE_EPOCH_NS, endNs: BASE_EPOCH_NS + 1n, wasCancelled: false };

Deno.test("MetricsStream keeps every page, and a line for each that differs", () => {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const stream = streamInto(files);
  const store = new MetricsStore([URL], { stream });
  for (const message of pages(0, ["a 1\n", "a 1\n", "a 2\n", "# nothing\n", "a 3\n"])) {
    store.take(message);
  }
  assert.equal(stream.close(WINDOW), undefined);
  assert.deepEqual(stream.names, ["lines"]);
  assert.equal(linesOf(files, "lines").length, 3);
  const record = linesOf(files, "record").map((line) => JSON.parse(line));
  assert.deepEqual(record.map(({ text }) => text), [
    ...[undefined, "a 1\n", "a 1\n", "a 2\n", "# nothing\n", "a 3\n", undefined],
  ]);
});

Deno.test("MetricsStream says which phase of a run a scrape belongs to", () => {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const stream = streamInto(files);
  const store = new MetricsStore([URL], { stream });
  // A scrape each second; what happened before the message about it.
  const before: Readonly<Record<number, () => void>> = {
    1: () => stream.beginPhase("warmup", 0.5e9),
    2: () => stream.endPhase(1.5e9),
    3: () => stream.beginPhase("profiling", 3e9),
    4: () => stream.endPhase(3e9),
  };
  let second = 0;
  for (const message of pages(0, ["a 0\n", "a 1\n", "a 2\n", "a 3\n", "a 4\n"])) {
    before[second++]?.();
    store.take(message);
  }
  stream.close(WINDOW);
  const lines = linesOf(files, "lines").map((line) => JSON.parse(line));
  assert.deepEqual(lines.map(({ metrics }) => metrics.a[0].value), [0, 1, 2, 3, 4]);
  assert.deepEqual(
    lines.map((line) => [line.benchmark_phase, line.phase_index, line.profiling_index]),
    [
      ...[[undefined, undefined, undefined], ["warmup", 0, undefined]],
      ...[[undefined, undefined, undefined], ["profiling", 1, 0]],
      ...[[undefined, undefined, undefined]],
    ],
  );
});

Deno.test("MetricsStream makes no file of lines where there is no line", () => {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const stream = streamInto(files);
  stream.close(WINDOW);
  assert.deepEqual([...files.keys()], ["record"]);
  assert.deepEqual(stream.names, []);
});

Deno.test("MetricsStream tells once of a file that cannot be written, and writes the other", () => {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const failures: string[] = [];
  const broken: FileSink = {
    ...memorySink(files),
    openLines: () => ({
      append() {
        throw new ExportError("lines", new Error("disk full"));
      },
      close() {},
    }),
  };
  const stream = streamInto(files, { lines: broken, onFailure: (text) => failures.push(text) });
  const store = new MetricsStore([URL], { stream });
  const texts = Array.from({ length: 20 }, (_, index) => `a ${index}\n`);
  for (const message of pages(0, texts)) store.take(message);
  assert.match(stream.close(WINDOW) ?? "", /disk full/);
  assert.equal(failures.length, 1);
  assert.equal(linesOf(files, "record").length, 22);
});

Deno.test("writeMetrics writes the other files when one cannot be written, and tells", async () => {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const good = memorySink(files);
  const sink: FileSink = {
    ...good,
    write: (name, pieces) =>
      name.endsWith(".csv")
        ? Promise.reject(new ExportError(name, new Error("disk full")))
        : good.write(name, pieces),
  };
  const series = endpointOf([[0, "a 1\n"], [1, "a 2\n"]]);
  const endpoints = [scrapedEndpoint(series)];
  const { files: written, failure } = await writeMetrics(
    reportOf(endpoints, { start: 0, end: 1 }),
    endpoints,
    sink,
    {
      output: resolveMetricsOutput({}),
      prefix: "mine",
      window: { startNs: 0, endNs: 1e9 },
      baseEpochNs: BASE_EPOCH_NS,
      hostname: "host",
    },
  );
  assert.deepEqual(written, ["mine_server_metrics.json", "mine_server_metrics.parquet"]);
  assert.match(failure ?? "", /disk full/);
});

Deno.test("replay has endpoints in the order of the run, not in that of their answers", async () => {
  const page = (from: number): TimedPage[] =>
    [0, 1].map((second) => [second + from, `x ${second}\n`]);
  const { json } = await replayedFiles({
    "http://c/prometheus/metrics": page(0),
    "http://unknown/metrics": page(0.1),
    "http://b/metrics": page(0.2),
    "http://a/metrics": page(0.3),
  }, {
    start: 0,
    end: 2,
    endpointsConfigured: ["a", "b", "c"].map((host) => `http://${host}/metrics`),
  });
  assert.deepEqual(json.summary.endpoints_successful, [
    ...["http://a/metrics", "http://b/metrics", "http://c/prometheus/metrics"],
    "http://unknown/metrics",
  ]);
});
