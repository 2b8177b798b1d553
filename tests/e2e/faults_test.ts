import assert from "node:assert/strict";
import { type RecordLine, withFolder } from "../support/artifacts.ts";
import { FAULTS, type FaultServer, startFaultServer } from "../support/fault_server.ts";
import { runProfile } from "../support/profile_run.ts";

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
  "fin_at_once": ["truncated"],
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
  "closes_idle": [],
  "empty_200": ["truncated", "no_content"],
  "json_for_stream": [],
  "no_content": ["no_content"],
  "malformed_event": ["malformed_chunk"],
  "no_finish": ["truncated"],
};
/** The same of the faults that never end by themselves. */
const ENDLESS: Readonly<Record<string, readonly string[]>> = {
  "stall_before_head": ["timeout"],
  "stall_before_token": ["timeout"],
  "stall_in_stream": ["timeout"],
  "pings_for_ever": ["timeout"],
  "infinite_stream": ["timeout", "protocol"],
};
const REQUESTS = 6;
const API_KEY = "secret-key-123";

Deno.test("profile survives every fault of an inference server and names it", async (t) => {
  const server = startFaultServer();
  try {
    assert.deepEqual(
      [...Object.keys(ENDING), ...Object.keys(ENDLESS)].sort(),
      Object.keys(FAULTS).sort(),
    );
    // No reply that ends is to run into a timeout, however slow the machine is.
    await survives(t, server, ENDING, ["--concurrency", "16"]);
    const all = String(REQUESTS * Object.keys(ENDLESS).length);
    await survives(t, server, ENDLESS, ["--concurrency", all, "--request-timeout-seconds", "1"]);
  } finally {
    server.close();
  }
});

/** A run whose requests take turns at the faults; each fault has a step. */
async function survives(
  t: Deno.TestContext,
  server: FaultServer,
  expected: Readonly<Record<string, readonly string[]>>,
  args: readonly string[],
): Promise<void> {
  const faults = Object.keys(expected);
  await withFolder(async (folder) => {
    const { code, stderr, artifacts: { json, records } } = await runProfile(folder, [
      ...["--url", ...faults.map((fault) => server.url(fault)), "--model", "m", "--streaming"],
      ...["--request-count", String(REQUESTS * faults.length), "--osl", "2", "--api-key", API_KEY],
      ...args,
    ]);
    assert.doesNotMatch(stderr, /\bat .*\.ts:\d+/, "a stack trace is no message for users");
    let failures = 0;
    for (const fault of faults) {
      const own = records.filter(({ metadata }) => metadata["url"] === server.url(fault));
      failures += own.filter(({ error }) => error !== undefined).length;
      await t.step(fault, () => assertOutcome(fault, own, expected[fault] ?? []));
    }
    assert.equal(records.length, REQUESTS * faults.length, "every request has a record");
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
): void {
  const failed = records.filter(({ error }) => error !== undefined);
  const expected = kinds.length === 0 ? 0 : fault === "flaky" ? REQUESTS / 2 : REQUESTS;
  assert.equal(records.length, REQUESTS, "every request has a record");
  assert.equal(failed.length, expected, JSON.stringify(records.map(({ error }) => error)));
  for (const { error } of failed) {
    assert.ok(kinds.includes(error?.kind ?? ""), JSON.stringify(error));
  }
}
