/** What the client says of each request, held against what the server did. */

import assert from "node:assert/strict";
import { type RecordLine, withFolder } from "../support/artifacts.ts";
import { type MockProcess, type ServedRequest, startMock } from "../support/mock_process.ts";
import { runProfile } from "../support/profile_run.ts";
import { chunkTimesMs, validRecords, valueOf } from "../support/recomputed.ts";

/** Times since 1970 in milliseconds are doubles. */
const ROUNDING_MS = 0.01;
/** Two processes of one machine read the same clock, but each finds its own start of it. */
const MAX_CLOCK_DIFFERENCE_MS = 10_000;

/** Runs against a mock and pairs each valid record with what the server says of it. */
async function pairs(
  folder: string,
  mock: MockProcess,
  args: readonly string[],
): Promise<[RecordLine, ServedRequest][]> {
  const { code, stderr, artifacts } = await runProfile(folder, ["--url", mock.url, ...args], {
    alone: true,
  });
  assert.equal(code, 0, stderr);
  const { served } = await mock.stats();
  const byId = new Map(served.map((request) => [request.request_id, request]));
  assert.equal(byId.size, served.length, "every request has an id of its own");
  const records = validRecords(artifacts.records);
  assert.equal(records.length, served.length);
  return records.map((record) => {
    const request = byId.get(record.metadata.x_request_id);
    assert.ok(request !== undefined, "the server has not seen this request");
    return [record, request];
  });
}

/** Checks that nothing is reported before it happened. */
function assertNotEarly(what: string, clientMs: readonly number[], serverMs: readonly number[]) {
  assert.equal(clientMs.length, serverMs.length, what);
  const earlyMs = Math.max(...clientMs.map((at, index) => (serverMs[index] as number) - at));
  assert.ok(earlyMs <= ROUNDING_MS, `${what}: reported ${earlyMs} ms before it happened`);
}

/**
 * Checks that each chunk was seen after it was sent, and each request sent before it came. How much
 * the server's clock and that of a thread differ nobody knows, but with one difference all of that
 * holds.
 */
function assertChunksNotEarly(paired: readonly [RecordLine, ServedRequest][]): void {
  const ofThreads = Map.groupBy(paired, ([{ metadata }]) => metadata["worker_id"]);
  for (const ofThread of ofThreads.values()) {
    let [least, most] = [-Infinity, Infinity];
    for (const [record, { received_epoch_ms: received, sent_after_ms: sent }] of ofThread) {
      const seen = chunkTimesMs(record);
      assert.equal(seen.length, sent.length, "each chunk is seen");
      least = Math.max(least, Number(record.metadata.request_start_ns) / 1e6 - received);
      seen.forEach((at, chunk) => {
        most = Math.min(most, at - received - (sent[chunk] as number));
      });
    }
    assert.ok(least <= most + ROUNDING_MS, `reported ${least - most} ms before it happened`);
    assert.ok(least < MAX_CLOCK_DIFFERENCE_MS && most > -MAX_CLOCK_DIFFERENCE_MS);
  }
}

Deno.test("profile agrees with the server on every chunk of a stream", () =>
  withFolder(async (folder) => {
    await using mock = await startMock(["--ttft", "lognormal:20:0.4", "--itl", "uniform:1:5"]);
    const paired = await pairs(folder, mock, [
      ...["--streaming", "--concurrency", "8", "--request-count", "80"],
      ...["--isl", "60", "--isl-stddev", "20", "--osl", "12", "--osl-stddev", "4"],
    ]);
    assertChunksNotEarly(paired);
    for (const [record, served] of paired) {
      assert.equal(valueOf(record, "output_sequence_length"), served.output_tokens);
      assert.equal(valueOf(record, "usage_completion_tokens"), served.output_tokens);
      assert.equal(valueOf(record, "input_sequence_length"), served.prompt_tokens);
      assert.equal(valueOf(record, "usage_prompt_tokens"), served.prompt_tokens);
    }
    // Both ends of these intervals are the client's, so they hold whatever the clocks say.
    assertNotEarly(
      "time to first token",
      paired.map(([record]) => valueOf(record, "time_to_first_token")),
      paired.map(([, { sent_after_ms: sent }]) => sent[0] as number),
    );
    assertNotEarly(
      "request latency",
      paired.map(([record]) => valueOf(record, "request_latency")),
      paired.map(([, { sent_after_ms: sent }]) => sent.at(-1) as number),
    );
    const several = paired.filter(([, { sent_after_ms: sent }]) => sent.length > 1);
    assert.ok(several.length > 70, "hardly an answer has a single token");
    for (const [record] of several) assertItl(record, chunkTimesMs(record).length - 1);
  }));

Deno.test("profile tells reasoning from answer", () =>
  withFolder(async (folder) => {
    await using mock = await startMock(["--ttft", "5", "--itl", "4", "--reasoning-tokens", "4"]);
    const paired = await pairs(folder, mock, [
      "--streaming",
      "--request-count",
      "20",
      "--osl",
      "10",
    ]);
    for (const [record, served] of paired) {
      assert.equal(valueOf(record, "reasoning_token_count"), 4);
      assert.equal(valueOf(record, "output_token_count"), 6);
      assert.equal(valueOf(record, "output_sequence_length"), 10);
      assert.equal(valueOf(record, "usage_reasoning_tokens"), 4);
      const firstAnswerMs = valueOf(record, "time_to_first_output_token");
      assert.ok(firstAnswerMs >= (served.sent_after_ms[4] as number) - ROUNDING_MS);
      const chunks = chunkTimesMs(record);
      const fifthMs = (chunks[4] as number) - (chunks[0] as number);
      const expected = valueOf(record, "time_to_first_token") + fifthMs;
      assert.ok(Math.abs(firstAnswerMs - expected) < 1e-3, "it is the fifth chunk");
    }
  }));

Deno.test("profile leaves the first chunk's tokens out of ITL, whoever counts them", () =>
  withFolder(async (folder) => {
    await using mock = await startMock(["--ttft", "5", "--itl", "8", "--tokens-per-chunk", "4"]);
    const args = ["--streaming", "--request-count", "10", "--osl", "16"];
    const plain = await pairs(`${folder}/plain`, mock, args);
    for (const [record, served] of plain) {
      assert.equal(served.sent_after_ms.length, 4, "four tokens came in each chunk");
      assertItl(record, 12);
    }
    await using other = await startMock(["--ttft", "5", "--itl", "8", "--tokens-per-chunk", "4"]);
    const counted = await pairs(`${folder}/counted`, other, [...args, "--per-chunk-usage"]);
    for (const [record] of counted) assertItl(record, 12);
  }));

function assertItl(record: RecordLine, divisor: number): void {
  const decodeMs = valueOf(record, "request_latency") - valueOf(record, "time_to_first_token");
  const itl = valueOf(record, "inter_token_latency");
  assert.ok(Math.abs(itl - decodeMs / divisor) < 1e-9, `${decodeMs} / ${divisor} is not ${itl}`);
  const chunks = chunkTimesMs(record);
  const seenMs = (chunks.at(-1) as number) - (chunks[0] as number);
  assert.ok(Math.abs(seenMs - decodeMs) < ROUNDING_MS, `${seenMs} ms, not ${decodeMs}`);
}

for (const type of ["chat", "completions"]) {
  Deno.test(`profile agrees with the server without streaming: ${type}`, () =>
    withFolder(async (folder) => {
      await using mock = await startMock(["--ttft", "10", "--itl", "1"]);
      const paired = await pairs(folder, mock, [
        ...["--endpoint-type", type, "--request-count", "20", "--concurrency", "4", "--osl", "10"],
      ]);
      for (const [record, served] of paired) {
        assert.equal(valueOf(record, "output_sequence_length"), 10);
        assert.equal(valueOf(record, "input_sequence_length"), served.prompt_tokens);
        assert.equal(record.metrics["time_to_first_token"], undefined, "there is no stream");
        assert.equal(record.metrics["inter_token_latency"], undefined, "there is no stream");
      }
      assertNotEarly(
        "request latency",
        paired.map(([record]) => valueOf(record, "request_latency")),
        paired.map(([, { sent_after_ms: sent }]) => sent[0] as number),
      );
    }));
}

Deno.test("profile agrees with the server on streamed completions", () =>
  withFolder(async (folder) => {
    await using mock = await startMock(["--ttft", "10", "--itl", "2"]);
    const paired = await pairs(folder, mock, [
      ...["--endpoint-type", "completions", "--streaming"],
      ...["--request-count", "20", "--concurrency", "4", "--osl", "10"],
    ]);
    assertChunksNotEarly(paired);
    for (const [record, served] of paired) {
      assert.equal(valueOf(record, "output_sequence_length"), served.output_tokens);
    }
  }));
