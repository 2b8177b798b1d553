/** What the client says of each request, held against what the server did. */

import assert from "node:assert/strict";
import { type RecordLine, withFolder } from "../support/artifacts.ts";
import { type MockProcess, type ServedRequest, startMock } from "../support/mock_process.ts";
import { runProfile } from "../support/profile_run.ts";
import { chunkTimesMs, statisticsOf, validRecords, valueOf } from "../support/recomputed.ts";

/** Two processes of one machine read the same clock, but each found its own start of it. */
const CLOCK_TOLERANCE_MS = 2;
/** A median beyond this is not the machine's doing. */
const MAX_TYPICAL_MS = 100;

/** Runs against a mock and pairs each valid record with what the server says of it. */
async function pairs(
  folder: string,
  mock: MockProcess,
  args: readonly string[],
): Promise<[RecordLine, ServedRequest][]> {
  const { code, stderr, artifacts } = await runProfile(folder, ["--url", mock.url, ...args]);
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

/** Checks that nothing is reported before it happened, and most of it soon after. */
function assertNotEarly(what: string, clientMs: readonly number[], serverMs: readonly number[]) {
  assert.equal(clientMs.length, serverMs.length, what);
  const lateMs = clientMs.map((at, index) => at - (serverMs[index] as number));
  const { min = NaN, p50 = NaN } = statisticsOf(lateMs);
  assert.ok(min >= -CLOCK_TOLERANCE_MS, `${what}: reported ${-min} ms before it happened`);
  assert.ok(p50 < MAX_TYPICAL_MS, `${what}: reported ${p50} ms after it happened`);
}

function assertChunksNotEarly(paired: readonly [RecordLine, ServedRequest][]): void {
  for (const [record, { sent_after_ms: sent }] of paired) {
    assert.equal(chunkTimesMs(record).length, sent.length, "each chunk is seen");
  }
  assertNotEarly(
    "chunks",
    paired.flatMap(([record]) => chunkTimesMs(record)),
    paired.flatMap(([, served]) =>
      served.sent_after_ms.map((after) => served.received_epoch_ms + after)
    ),
  );
}

Deno.test("profile agrees with the server on every chunk of a stream", () =>
  withFolder(async (folder) => {
    await using mock = await startMock(["--ttft", "lognormal:20:0.4", "--itl", "uniform:1:5"]);
    const paired = await pairs(folder, mock, [
      ...["--streaming", "--concurrency", "8", "--request-count", "80"],
      ...["--isl", "60", "--isl-stddev", "20", "--osl", "12", "--osl-stddev", "4"],
    ]);
    assertChunksNotEarly(paired);
    assertNotEarly(
      "arrival of the request",
      paired.map(([, served]) => served.received_epoch_ms),
      paired.map(([record]) => Number(record.metadata.request_start_ns) / 1e6),
    );
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
    const itlErrors = paired.map(([record, { sent_after_ms: sent }]) => {
      const true_ = ((sent.at(-1) as number) - (sent[0] as number)) / (sent.length - 1);
      return Math.abs(valueOf(record, "inter_token_latency") - true_);
    }).filter((error) => !Number.isNaN(error));
    assert.ok(itlErrors.length > 70, "hardly an answer has a single token");
    assert.ok((statisticsOf(itlErrors)["p50"] as number) < 5, `ITL off by ${itlErrors}`);
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
      assert.ok(firstAnswerMs >= (served.sent_after_ms[4] as number) - CLOCK_TOLERANCE_MS);
      const chunks = chunkTimesMs(record);
      const fifthMs = (chunks[4] as number) - (chunks[0] as number);
      const expected = valueOf(record, "time_to_first_token") + fifthMs;
      assert.ok(Math.abs(firstAnswerMs - expected) < 1e-3, "it is the fifth chunk");
    }
  }));

Deno.test("profile leaves the first chunk's tokens out of ITL when the server counts each chunk", () =>
  withFolder(async (folder) => {
    await using mock = await startMock(["--ttft", "5", "--itl", "8", "--tokens-per-chunk", "4"]);
    const args = ["--streaming", "--request-count", "10", "--osl", "16"];
    const plain = await pairs(`${folder}/plain`, mock, args);
    for (const [record, served] of plain) {
      assert.equal(served.sent_after_ms.length, 4, "four tokens came in each chunk");
      assertItl(record, 15);
    }
    await using other = await startMock(["--ttft", "5", "--itl", "8", "--tokens-per-chunk", "4"]);
    const counted = await pairs(`${folder}/counted`, other, [...args, "--per-chunk-usage"]);
    for (const [record, served] of counted) {
      assertItl(record, 12);
      const true_ = ((served.sent_after_ms[3] as number) - (served.sent_after_ms[0] as number)) /
        12;
      assert.ok(Math.abs(valueOf(record, "inter_token_latency") - true_) < 5);
    }
  }));

function assertItl(record: RecordLine, divisor: number): void {
  const decodeMs = valueOf(record, "request_latency") - valueOf(record, "time_to_first_token");
  const itl = valueOf(record, "inter_token_latency");
  assert.ok(Math.abs(itl - decodeMs / divisor) < 1e-9, `${decodeMs} / ${divisor} is not ${itl}`);
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
