import assert from "node:assert/strict";
import fc from "fast-check";
import {
  ScrapeLogReader,
  ScrapeLogWriter,
} from "../../../src/results/server_metrics/scrape_log.ts";
import type { SampleSeries } from "../../../src/telemetry/prometheus/exposition.ts";
import type { ScrapeMessage } from "../../../src/telemetry/scrape/messages.ts";
import { byteSource } from "../../support/byte_source.ts";
import { headWithoutChecksums } from "../../support/head_without_checksums.ts";

const value = fc.oneof(
  fc.integer({ min: -3, max: 1000 }),
  fc.double(),
  fc.constant(-0),
  fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
);
const endpoint = fc.integer({ min: 0, max: 2 });
const time = fc.integer({ min: 0, max: 2 ** 50 });

const page: fc.Arbitrary<ScrapeMessage> = fc.record({
  endpoint,
  times: fc.tuple(time, time, time),
  duplicate: fc.boolean(),
  isWhole: fc.boolean(),
  samples: fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), value), { maxLength: 5 }),
  sameIds: fc.boolean(),
  label: fc.string(),
  hasMetadata: fc.boolean(),
}).map(({ endpoint, times, duplicate, isWhole, samples, sameIds, label, hasMetadata }) => ({
  type: "page",
  endpoint,
  page: {
    sentNs: times[0],
    firstByteNs: times[1],
    latencyNs: times[2],
    duplicate,
    isWhole,
    newSeries: label === "" ? [] : [{ id: 1, name: "a", labels: [["l", label]] as const }],
    metadata: hasMetadata
      ? [{ name: label, type: "counter" as const, help: "", unit: null }]
      : undefined,
    ids: Int32Array.from(duplicate ? [] : samples, ([id], at) => sameIds ? at : id),
    values: Float64Array.from(duplicate ? [] : samples, ([, value]) => value),
    problemCount: samples.length,
  },
  text: undefined,
  contentType: "",
  droppedSeries: samples.length,
}));

const other: fc.Arbitrary<ScrapeMessage> = fc.oneof(
  fc.record({
    type: fc.constant("failure" as const),
    endpoint,
    reason: fc.string(),
    atNs: time,
  }),
  fc.record({ type: fc.constant("disabled" as const), endpoint, reason: fc.string() }),
  fc.record({
    type: fc.constant("end" as const),
    endpoint,
    skippedScrapes: fc.nat(),
    latenessMs: fc.array(fc.integer()).map((values) => Float64Array.from(values)),
  }),
).map((message) => ({ ...message }));

function logOf(
  messages: readonly ScrapeMessage[],
  redact: (text: string) => string = (text) => text,
): Uint8Array<ArrayBuffer> {
  const writer = new ScrapeLogWriter(redact);
  const blocks = messages.flatMap((message) => writer.block(message).map((piece) => piece.slice()));
  return new Uint8Array([ScrapeLogWriter.head(), ...blocks].flatMap((piece) => [...piece]));
}

Deno.test("ScrapeLogReader reads what ScrapeLogWriter wrote, bit for bit", () => {
  fc.assert(fc.property(fc.array(fc.oneof(page, page, other)), (messages) => {
    const read = [...new ScrapeLogReader(byteSource(logOf(messages))).messages()];
    assert.deepEqual(read, messages);
  }));
});

Deno.test("ScrapeLogReader reads all whole messages of a log that was cut", () => {
  fc.assert(fc.property(
    fc.array(fc.oneof(page, other), { minLength: 1 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (messages, share) => {
      const log = logOf(messages);
      const headLength = ScrapeLogWriter.head().length;
      const end = headLength + Math.floor((log.length - headLength) * share);
      const read = [...new ScrapeLogReader(byteSource(log.slice(0, end))).messages()];
      assert.deepEqual(read, messages.slice(0, read.length));
    },
  ));
});

Deno.test("ScrapeLogReader reads no further than a message that was damaged", () => {
  const messages = fc.sample(pageOf([]), { numRuns: 5, seed: 1 });
  const ends = messages.map((_, at) => logOf(messages.slice(0, at + 1)).length);
  for (const [damaged, end] of ends.entries()) {
    const log = logOf(messages);
    log[end - 5] = (log[end - 5] as number) ^ 1;
    const reader = new ScrapeLogReader(byteSource(log));
    assert.deepEqual([...reader.messages()], messages.slice(0, damaged));
    assert.ok(reader.lacksMessages);
  }
});

Deno.test("ScrapeLogReader refuses series whose names or labels were damaged", () => {
  const series = { id: 1, name: "abcdef", labels: [["key", "value"]] as const };
  const [message] = fc.sample(pageOf([series]), 1) as [ScrapeMessage];
  const head = ScrapeLogWriter.head();
  // A checksum would tell before.
  const block = logOf([message]).slice(head.length, -4);
  for (const damaged of ['"name"', '"labels"']) {
    const bytes = Uint8Array.from([...headWithoutChecksums(head), ...block]);
    const at = new TextDecoder("latin1").decode(bytes).indexOf(damaged);
    bytes[at + 2] = "_".charCodeAt(0);
    assert.throws(
      () => [...new ScrapeLogReader(byteSource(bytes)).messages()],
      new RangeError("A page has a series without its name or labels"),
    );
  }
});

Deno.test("ScrapeLogWriter keeps secrets of pages and reasons out of the log", () => {
  const message: ScrapeMessage = { type: "failure", endpoint: 0, reason: "key sesame", atNs: 1 };
  const redact = (text: string) => text.replaceAll("sesame", "<redacted>");
  const [page] = fc.sample(pageOf([{ id: 1, name: "a", labels: [["l", "sesame"]] }]), 1) as [
    ScrapeMessage,
  ];
  const text = new TextDecoder().decode(logOf([message, page], redact));
  assert.ok(!text.includes("sesame"));
  assert.ok(text.includes("<redacted>"));
});

function pageOf(newSeries: readonly SampleSeries[]): fc.Arbitrary<ScrapeMessage> {
  return page.map((message) =>
    message.type !== "page" ? message : { ...message, page: { ...message.page, newSeries } }
  );
}
