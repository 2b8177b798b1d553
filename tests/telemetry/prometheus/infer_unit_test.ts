import fc from "fast-check";
import assert from "node:assert/strict";
import { inferUnit } from "../../../src/telemetry/prometheus/infer_unit.ts";
import { readFixture } from "../../support/fixtures.ts";

interface UnitCase {
  readonly name: string;
  readonly description: string;
  readonly unit: string | null;
}

/** What AIPerf has no unit for, and users of Triton and Dynamo miss. */
const BEYOND_AIPERF: ReadonlyMap<string, string> = new Map([["x_us", "microseconds"]]);

for (
  const { name, description, unit: theirs } of readFixture<UnitCase[]>(
    "server_metrics/functions/units.json",
  )
) {
  const unit = BEYOND_AIPERF.get(name) ?? theirs;
  Deno.test(`inferUnit of ${name} ${JSON.stringify(description)} is ${unit}`, () => {
    assert.equal(inferUnit(name, description), unit);
  });
}

const MORE: readonly (readonly [string, string, string | null, string])[] = [
  ["a_percent", "from 0.0 to 1.0", "ratio", "scale before name"],
  ["a", "fraction, 1.0 == 100%", "ratio", "one means all"],
  ["a_ratio", "(0.0 - 100.0)", "percent", "scale before name"],
  ["a", "0 – 100 %", "percent", "dash of print"],
  ["a_seconds", "Latency (in ms)", "milliseconds", "help text before name"],
  ["a", "Energy (in MJ)", "megajoule", "case of the tag"],
  ["a", "Load (in mj) in seconds", "seconds", "unknown tag, then words"],
  ["a", "requests/second (request/second)", "requests/s", "rate"],
  ["a", "within seconds", null, "no word of its own"],
  ["a_info", "", null, "no unit of its own"],
  ["x_error_count", "", "errors", "longer ending before shorter"],
  ["x_block_count", "", "blocks", "longer ending before shorter"],
  ["x_total", "", "count", "plain total"],
  ["num_requests_running", "", "requests", "inside the name"],
  ["a_usage_perc", "Usage as a fraction of all blocks.", "ratio", "fraction before name"],
  ["a", "Waiting as a fraction of a second", null, "no share"],
  ["a_total_us", "Cumulative time (microseconds)", "microseconds", "words"],
  ["a_duration_us", "", "microseconds", "micro"],
  ["a_duration_us_total", "", "microseconds", "micro, of no counter"],
  ["a", "Delay (us)", "microseconds", "micro in brackets"],
  ["a", "Nodes in US regions", null, "a country"],
  ["tcp_bytes_sent", "Total bytes sent by the client", "bytes", "what was done to them"],
  ["tcp_bytes_received_total", "", "bytes", "what was done to them"],
  ["estimated_read_bytes_per_gpu", "Estimated bytes read", "bytes", "for each"],
  ["llamacpp:tokens_predicted", "", "tokens", "what was done to them"],
  ["llamacpp:tokens_predicted_seconds", "Time spent generating", "seconds", "time, not tokens"],
  ["llamacpp:prompt_tokens_cached", "", "tokens", "what was done to them"],
  ["vllm:prompt_tokens_cached_by_source", "Hits by tier", "tokens", "by source"],
  ["vllm:prefix_cache_hits", "h", "tokens", "what is looked up"],
  ["vllm:external_prefix_cache_queries_total", "q", "tokens", "what is looked up"],
  ["llamacpp:requests_processing", "", "requests", "what is done to them"],
  ["llamacpp:requests_deferred", "", "requests", "what is done to them"],
  ["detokenize_token_count", "Total tokens", "tokens", "longer ending before shorter"],
  ["a", "Number of prompt tokens reused", "tokens", "noun"],
  ["a", "Current number of requests being handled", "requests", "noun"],
  ["a_total", "Number of cached prompt tokens", "tokens", "noun before count"],
  ["a", "Number of tokens per second", "tokens/s", "rate"],
  ["a", "Number of requests/s", "requests/s", "rate"],
  ["a", "Number of image parts per request", null, "another noun"],
  ["a", "Number of bytes received in requests", null, "another noun"],
  ["a", "Number of workers that hold tokens", null, "another noun"],
  ["a_seconds", "Time per number of tokens", "seconds", "name before noun"],
  ["a_errors", "Number of requests that failed", "errors", "name before noun"],
];

for (const [name, description, unit, why] of MORE) {
  Deno.test(`inferUnit of ${name} ${JSON.stringify(description)} is ${unit}: ${why}`, () => {
    assert.equal(inferUnit(name, description), unit);
  });
}

Deno.test("inferUnit reads a long help text no further than its start", () => {
  assert.equal(inferUnit("a", `${"x ".repeat(2040)} in seconds`), "seconds");
  assert.equal(inferUnit("a", `${"x ".repeat(3000)} in seconds`), null);
});

Deno.test("inferUnit always gives a unit or null", () => {
  fc.assert(fc.property(fc.string(), fc.string({ unit: "binary" }), (name, description) => {
    const unit = inferUnit(name, description);
    assert.ok(unit === null || /^[a-z/]+$/.test(unit));
  }));
});
