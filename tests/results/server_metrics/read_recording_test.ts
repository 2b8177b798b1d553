/** Files of recorded pages: what is read of them, and how much of them is held. */

import assert from "node:assert/strict";
import { recordingHead } from "../../../src/report/export/server_metrics/recording.ts";
import {
  type OpenFile,
  readRecording,
  RecordingError,
} from "../../../src/results/server_metrics/read_recording.ts";
import { linesOf } from "../../../src/results/server_metrics/recording_lines.ts";

const URLS = { ofServer: (url: string) => url, named: (url: string) => url };
const encoder = new TextEncoder();

function fileOf(text: string): OpenFile {
  const blob = new Blob([text]);
  return () => blob.stream();
}

/** A line of a page, of which one is as large as metrics pages are. */
function pageLine(number: number, characters: number): string {
  return JSON.stringify({
    "endpoint_url": number % 2 === 0 ? "http://b" : "http://a",
    "request_sent_ns": String(1000 + number),
    "latency_ns": "1",
    "text": `a ${number}\n#${"x".repeat(characters)}\n`,
  }) + "\n";
}

Deno.test("readRecording holds no more of a record than a page", async () => {
  const pages = 300;
  const pageBytes = 100_000;
  let given = 0;
  let opened = 0;
  const open = async function* (): AsyncGenerator<Uint8Array> {
    opened++;
    yield encoder.encode(`${recordingHead("id", ["http://a", "http://b"])}\n`);
    for (given = 0; given < pages;) {
      const bytes = encoder.encode(pageLine(given++, pageBytes));
      // Pieces end anywhere.
      yield bytes.subarray(0, 70_001);
      yield bytes.subarray(70_001);
      await Promise.resolve();
    }
  };
  const record = await readRecording(open, URLS);
  assert.deepEqual([record.startNs, record.endNs], [1001n, 1000n + BigInt(pages)]);
  assert.deepEqual(record.endpointUrls, ["http://b", "http://a"]);
  for (let round = 0; round < 2; round++) {
    let read = 0;
    for await (const { text } of record.scrapes) {
      assert.ok(text.startsWith(`a ${read++}\n`));
      assert.ok(given - read <= 1, `page ${read} is read after ${given} were fetched`);
    }
    assert.equal(read, pages);
  }
  // For its first line, for all of its lines, and then for each round.
  assert.equal(opened, 4);
});

Deno.test("readRecording stops at a line that is no page, but for a last one that is cut", async () => {
  const lines = recordingHead("id", []) + "\n" + pageLine(0, 10) + pageLine(1, 10);
  const cut = await readRecording(fileOf(lines + pageLine(2, 10).slice(0, 30)), URLS);
  assert.equal((await Array.fromAsync(cut.scrapes)).length, 2);
  assert.equal(cut.wasCancelled, true);
  await assert.rejects(
    readRecording(fileOf(`${lines}{"nope":1}\n${pageLine(3, 10)}`), URLS),
    new RecordingError("Line 4 is not a recorded page"),
  );
});

Deno.test("linesOf cuts at line feeds, wherever pieces and characters are cut", async () => {
  const text = "\nab\n\nüü€🚀\r\n\u2028\nend";
  const bytes = encoder.encode(text);
  const expected = text.split("\n").map((line, index, { length }) => ({
    text: line,
    number: index + 1,
    isCut: index === length - 1,
  }));
  for (let size = 1; size <= bytes.length; size++) {
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      await Promise.resolve();
    };
    assert.deepEqual(await Array.fromAsync(linesOf(pieces())), expected);
  }
  const whole = await Array.fromAsync(linesOf(new Blob(["a\n"]).stream()));
  assert.deepEqual(whole, [{ text: "a", number: 1, isCut: false }]);
});

Deno.test("readRecording puts the pages of one document into the order of their times", async () => {
  const scrape = (firstByte: string | null, sent: string, text: string) => ({
    ...{ endpoint_url: "u", request_sent_ns: sent, first_byte_ns: firstByte, latency_ns: "5" },
    ...{ content_type: null, text },
  });
  const document = {
    ...{ profiling_start_ns: "1765000001123456790", profiling_end_ns: "1765000005123456792" },
    ...{ slice_duration: 2.5, endpoint_urls: ["a"], server_metrics_urls: ["b"] },
    scrapes: [scrape("30", "29", "second"), scrape(null, "10", "first")],
  };
  const urls = { ofServer: (url: string) => `${url}!`, named: (url: string) => `${url}?` };
  const record = await readRecording(fileOf(JSON.stringify(document, null, 2)), urls);
  const scrapes = await Array.fromAsync(record.scrapes);
  assert.deepEqual(scrapes.map(({ text, firstByteNs }) => [text, firstByteNs]), [
    ["first", 15n],
    ["second", 30n],
  ]);
  assert.deepEqual([record.startNs, record.endNs, record.sliceDuration], [
    1_765_000_001_123_456_790n,
    1_765_000_005_123_456_792n,
    2.5,
  ]);
  assert.deepEqual(record.endpointsConfigured, ["a!", "b?"]);
});
