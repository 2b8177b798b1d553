import assert from "node:assert/strict";
import { chat } from "../../src/client/endpoint/openai/chat.ts";
import type { EndpointType } from "../../src/client/endpoint/protocol/endpoint_type.ts";
import { ENDPOINT_TYPES } from "../../src/client/endpoint/endpoint_types.ts";
import { type RecordLine, withFolder } from "../support/artifacts.ts";
import { chunk, FAULTS, type FaultServer, startFaultServer } from "../support/fault_server.ts";
import { runProfile } from "../support/profile_run.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { scriptedServer } from "../support/scripted_server.ts";

/** What six requests to each fault that ends must come to: the kinds of their errors; none is good. */
const ENDING: Readonly<Record<string, readonly string[]>> = {
  "good": [],
  "status_400": ["http_status"],
  "status_401_echo": ["http_status"],
  "status_404": ["http_status"],
  "status_429": ["http_status"],
  "status_500": ["http_status"],
  "status_503": ["http_status"],
  "html_502": ["http_status"],
  "flaky": ["http_status"],
  "fin_at_once": ["connection_closed"],
  "fin_in_chunk": ["truncated"],
  "fin_close_delimited": ["truncated"],
  "good_close_delimited": [],
  "http_1_0": [],
  "bad_chunk_size": ["protocol"],
  "length_too_long": ["truncated"],
  "garbage": ["protocol"],
  "huge_header": ["protocol"],
  "byte_by_byte": [],
  "infinite_line": ["protocol"],
  "infinite_error_body": ["http_status"],
  "error_in_stream": ["stream_error"],
  "gzip": [],
  "gzip_bomb": ["protocol"],
  "invalid_utf8": [],
  "split_utf8": [],
  "redirect_elsewhere": ["http_status"],
  "redirect_loop": ["http_status"],
  "redirect_file": ["http_status"],
  "empty_200": ["truncated", "no_content"],
  "json_for_stream": [],
  "no_content": ["no_content"],
  "malformed_event": ["malformed_chunk"],
  "no_finish": ["truncated"],
};
/**
 * What may fail of the faults that close an idle connection: requests that others have left to it. On a
 * busy machine the close comes later than a race allows.
 */
const CLOSING: Readonly<Record<string, readonly string[]>> = {
  "closes_idle": ["connection_closed"],
};
/** The same of the faults that never end by themselves. */
const ENDLESS: Readonly<Record<string, readonly string[]>> = {
  "stall_before_head": ["timeout"],
  "stall_before_token": ["timeout"],
  "stall_in_stream": ["timeout"],
  "pings_for_ever": ["timeout"],
  "infinite_stream": ["timeout", "protocol"],
};
/**
 * What differs of other streams. The end of its body is all that ends one of KServe's; an image that
 * is done ends its stream.
 */
const IMAGES = { "fin_close_delimited": [], "no_finish": [], "no_content": ["truncated"] };
const OWN: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "kserve": { "fin_close_delimited": [], "no_finish": [] },
  "image-generation": IMAGES,
  "image-edit": IMAGES,
};
const SMALL_IMAGES = ["--image-width-mean", "16", "--image-height-mean", "9"];
/** Types whose streams the rules of others are not known to cover. */
const FORMATS = [...ENDPOINT_TYPES.values()].filter(({ name, writer, setup }) =>
  name !== "chat" && writer.stream !== undefined && setup === undefined
);
const API_KEY = "secret-key-123";

Deno.test("profile survives every fault of an inference server and names it", async (t) => {
  assert.deepEqual(
    [ENDING, CLOSING, ENDLESS].flatMap((faults) => Object.keys(faults)).sort(),
    FAULTS.toSorted(),
  );
  await survivesAll(t, chat, 6);
});

for (const type of FORMATS) {
  Deno.test(`profile survives every fault in streams of ${type.name}`, (t) =>
    survivesAll(t, type, 2));
}

Deno.test("profile ends a reply that has failed or said its end, though its body goes on", async () => {
  const token = '{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}';
  const ends = ['{"error":{"message":"out of memory"}}', "[DONE]"];
  let requests = 0;
  using server = scriptedServer(async ({ reply }) => {
    const end = ends[requests++ % 2];
    await reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (const event of [token, end]) await reply(chunk(`data: ${event}\n\n`));
  });
  await withFolder(async (folder) => {
    const { artifacts: { records } } = await runProfile(folder, [
      ...["--url", server.host, "--model", "m", "--streaming", "--request-count", "4"],
    ]);
    const kinds = records.map(({ error }) => error?.["type"] ?? "none");
    assert.deepEqual(kinds.sort(), ["none", "none", "stream_error", "stream_error"]);
  });
});

/** @param times how often each fault happens */
async function survivesAll(t: Deno.TestContext, type: EndpointType, times: number): Promise<void> {
  const server = startFaultServer(type);
  try {
    const ending = { ...ENDING, ...OWN[type.name] };
    const images = type.requiredMedia === "image" ? SMALL_IMAGES : [];
    const args = ["--endpoint-type", type.name, ...images, "--request-count"];
    const count = (faults: object) => String(times * Object.keys(faults).length);
    // No reply that ends is to run into a timeout, however slow the machine is.
    await survives(t, server, ending, times, [...args, count(ending), "--concurrency", "16"]);
    await survives(t, server, CLOSING, times, [...args, count(CLOSING), "--concurrency", "4"]);
    const all = count(ENDLESS);
    await survives(t, server, ENDLESS, times, [
      ...[...args, all, "--concurrency", all, "--request-timeout-seconds", "1"],
    ]);
  } finally {
    server.close();
  }
}

/** A run whose requests take turns at the faults; each fault has a step. */
async function survives(
  t: Deno.TestContext,
  server: FaultServer,
  expected: Readonly<Record<string, readonly string[]>>,
  times: number,
  args: readonly string[],
): Promise<void> {
  const faults = Object.keys(expected);
  await withFolder(async (folder) => {
    const { code, stderr, artifacts: { json, records } } = await runProfile(folder, [
      ...["--url", ...faults.map((fault) => server.url(fault)), "--model", "m", "--streaming"],
      ...["--osl", "2", "--api-key", API_KEY],
      ...args,
    ]);
    assert.doesNotMatch(stderr, /\bat .*\.ts:\d+/, "a stack trace is no message for users");
    let failures = 0;
    for (const fault of faults) {
      const own = records.filter(({ metadata }) => metadata["url"] === server.url(fault));
      failures += own.filter(({ error }) => error !== undefined).length;
      await t.step(fault, () => assertOutcome(fault, own, expected[fault] ?? [], times));
    }
    assert.equal(records.length, times * faults.length, "every request has a record");
    assert.equal(json.error_request_count.avg, failures);
    assert.equal(json.request_count.avg, records.length - failures);
    assert.equal(code, failures === records.length ? 1 : 0, stderr);
    for await (const { name, isFile } of Deno.readDir(folder)) {
      if (!isFile) continue;
      const text = await Deno.readTextFile(`${folder}/${name}`);
      assert.ok(!text.includes(API_KEY), `the key stands in ${name}`);
    }
  });
}

function assertOutcome(
  fault: string,
  records: readonly RecordLine[],
  kinds: readonly string[],
  times: number,
): void {
  const failed = records.filter(({ error }) => error !== undefined);
  const expected = kinds.length === 0 ? 0 : fault === "flaky" ? times / 2 : times;
  assert.equal(records.length, times, "every request has a record");
  if (!(fault in CLOSING)) {
    assert.equal(failed.length, expected, JSON.stringify(records.map(({ error }) => error)));
  }
  for (const { error } of failed) {
    assert.ok(kinds.includes(error?.kind ?? ""), JSON.stringify(error));
  }
}

Deno.test("profile cuts finish reasons of megabytes", () =>
  withFolder(async (folder) => {
    const reason = `odd${"x".repeat(3e6)}`;
    const choice = { index: 0, message: { role: "assistant", content: "hi" } };
    const body = JSON.stringify({ choices: [{ ...choice, finish_reason: reason }] });
    await using server = startRecordingServer({
      answer: () => new Response(body, { headers: { "Content-Type": "application/json" } }),
    });
    const { artifacts: { records } } = await runProfile(folder, [
      ...["--url", server.url, "--model", "m", "--request-count", "3", "--concurrency", "1"],
    ]);
    assert.equal(records.length, 3);
    const { size } = await Deno.stat(`${folder}/run/records.bin`);
    assert.ok(size < 100_000, `${size} bytes`);
  }));
