import assert from "node:assert/strict";
import { readArtifacts, withFolder } from "../support/artifacts.ts";
import { FAULTS, startFaultServer } from "../support/fault_server.ts";
import { runCli } from "../support/run_cli.ts";

/** What a run of six requests against each fault must say: the kinds of its errors; none is good. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
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
  "stall_before_head": ["timeout"],
  "stall_before_token": ["timeout"],
  "stall_in_stream": ["timeout"],
  "pings_for_ever": ["timeout"],
  "byte_by_byte": [],
  "infinite_stream": ["timeout", "protocol"],
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
const REQUESTS = 6;
const TIMEOUT_SECONDS = 1;

Deno.test("profile survives every fault of an inference server and names it", async (t) => {
  const server = startFaultServer();
  assert.deepEqual(Object.keys(EXPECTED).sort(), Object.keys(FAULTS).sort());
  try {
    for (const [fault, kinds] of Object.entries(EXPECTED)) {
      await t.step(fault, () => withFolder((folder) => survives(server.url(fault), folder, kinds)));
    }
  } finally {
    server.close();
  }
});

async function survives(url: string, folder: string, kinds: readonly string[]): Promise<void> {
  const startMs = performance.now();
  const { code, stderr } = await runCli([
    ...["profile", "--url", url, "--model", "m", "--streaming", "--concurrency", "2"],
    ...["--request-count", String(REQUESTS), "--request-timeout-seconds", String(TIMEOUT_SECONDS)],
    ...["--artifact-dir", folder, "--osl", "2", "--api-key", "secret-key-123"],
  ]);
  const seconds = (performance.now() - startMs) / 1000;
  assert.ok(seconds < TIMEOUT_SECONDS * REQUESTS + 15, `it took ${seconds} s`);
  assert.doesNotMatch(stderr, /\bat .*\.ts:\d+/, "a stack trace is no message for users");
  const { json, records } = await readArtifacts(folder);
  const failed = records.filter((record) => record.error !== undefined);
  const expectedFailures = kinds.length === 0 ? 0 : url.endsWith("flaky") ? 3 : REQUESTS;
  assert.equal(records.length, REQUESTS, "every request has a record");
  assert.equal(failed.length, expectedFailures, JSON.stringify(json.error_summary));
  for (const { error } of failed) {
    assert.ok(kinds.includes(error?.kind ?? ""), JSON.stringify(error));
  }
  assert.equal(json.error_request_count.avg, expectedFailures);
  assert.equal(json.request_count.avg, REQUESTS - expectedFailures);
  assert.equal(code, expectedFailures === REQUESTS ? 1 : 0, stderr);
  for await (const { name, isFile } of Deno.readDir(folder)) {
    if (!isFile) continue;
    const text = await Deno.readTextFile(`${folder}/${name}`);
    assert.ok(!text.includes("secret-key-123"), `the key stands in ${name}`);
  }
}
