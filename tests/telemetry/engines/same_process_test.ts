import assert from "node:assert/strict";
import { copiedEndpoints } from "../../../src/telemetry/engines/same_process.ts";
import { endpointOf, type TimedPage } from "../../support/metrics_pages.ts";

interface Sample {
  readonly start: number;
  readonly tokens: number;
  readonly running: number;
  readonly memory?: number;
}

function page({ start, tokens, running, memory = 1 }: Sample): string {
  return `process_start_time_seconds ${start}\nprocess_resident_memory_bytes ${memory}\n` +
    `# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running ${running}\n` +
    `# TYPE vllm:generation_tokens counter\nvllm:generation_tokens_total ${tokens}\n`;
}

/** Pages of an endpoint, a second apart, the first one `at` seconds into the run. */
function endpoint(at: number, ...samples: readonly Sample[]) {
  return endpointOf(samples.map((sample, index): TimedPage => [at + index, page(sample)]));
}

const START = { start: 1_795_000_000, running: 2 };

Deno.test("copiedEndpoints finds a process under two URLs while its counters grow", () => {
  const first = endpoint(0, ...[0, 100, 200].map((tokens) => ({ ...START, tokens })));
  const second = endpoint(
    0.5,
    ...[50, 150, 250].map((tokens) => ({ ...START, tokens, memory: tokens })),
  );
  const other = endpoint(0.6, ...[60, 90, 250].map((tokens) => ({ ...START, tokens })));
  assert.deepEqual(copiedEndpoints([first, second]), [undefined, 0]);
  assert.deepEqual(copiedEndpoints([first, other]), [undefined, undefined], "90 after 100");
  assert.deepEqual(copiedEndpoints([other, first, second]), [undefined, undefined, 1]);
});

Deno.test("copiedEndpoints takes processes apart by start, series, and values", () => {
  const one = endpoint(0, { ...START, tokens: 5 }, { ...START, tokens: 5 });
  const copy = endpoint(0, { ...START, tokens: 5 }, { ...START, tokens: 5 });
  const later = endpoint(
    0,
    ...[5, 5].map((tokens) => ({ ...START, start: START.start + 1, tokens })),
  );
  const busier = endpoint(0, ...[5, 5].map((tokens) => ({ ...START, running: 3, tokens })));
  const further = endpoint(0, ...[6, 6].map((tokens) => ({ ...START, tokens })));
  const more = endpointOf([[0, page({ ...START, tokens: 5 }) + "vllm:lora_requests_info 1\n"]]);
  const unknown = endpointOf([[0, "vllm:num_requests_running 2\n"]]);
  assert.deepEqual(copiedEndpoints([one, copy]), [undefined, 0]);
  for (const other of [later, busier, further, more]) {
    assert.deepEqual(copiedEndpoints([one, other]), [undefined, undefined]);
  }
  assert.deepEqual(copiedEndpoints([unknown, unknown]), [undefined, undefined]);
  // Nothing shows that two servers which have not done anything are one.
  const fresh = endpoint(0, ...[0, 0].map((tokens) => ({ ...START, running: 0, tokens })));
  assert.deepEqual(copiedEndpoints([fresh, fresh]), [undefined, undefined]);
});

Deno.test("copiedEndpoints trusts the times since when series of a process are counted", () => {
  const page = (start: number | undefined, created: number, tokens: number) =>
    `${start === undefined ? "" : `process_start_time_seconds ${start}\n`}` +
    `# TYPE vllm:generation_tokens counter\nvllm:generation_tokens_total ${tokens}\n` +
    `# TYPE vllm:generation_tokens_created gauge\nvllm:generation_tokens_created ${created}\n` +
    `# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running ${tokens % 3}\n`;
  const pages = (start: number | undefined, created: number, tokens: readonly number[]) =>
    endpointOf(tokens.map((count, second): TimedPage => [second, page(start, created, count)]));
  const one = pages(1, 5.25, [0, 100, 200]);
  const isCopy = (other: ReturnType<typeof pages>) => copiedEndpoints([one, other])[1] === 0;
  // A proxy passes the page on that it had a second ago.
  assert.ok(isCopy(pages(1, 5.25, [0, 0, 100])));
  assert.ok(!isCopy(pages(1, 5.5, [0, 100, 200])), "created later");
  assert.ok(!isCopy(pages(2, 5.25, [0, 100, 200])), "another process");
  assert.ok(!isCopy(pages(1, 5.25, [500, 600])), "counters of another server");
  // Servers simulated by one program state the same times, and no start of a process.
  const simulated = pages(undefined, 5.25, [0, 100]);
  assert.deepEqual(copiedEndpoints([simulated, simulated]), [undefined, undefined]);
});
