import assert from "node:assert/strict";
import { serverTimeline } from "../../../src/report/model/server_timeline.ts";
import {
  endpointOf,
  reportOf,
  scrapedEndpoint,
  type TimedPage,
} from "../../support/metrics_pages.ts";

const WINDOW = { start: 0, end: 10 };

function metricsEndpoint(pages: readonly TimedPage[]) {
  return scrapedEndpoint(endpointOf(pages));
}

Deno.test("serverTimeline takes series with different labels together, each role as it should", () => {
  const endpoint = metricsEndpoint([
    [
      1,
      'vllm:num_requests_running{engine="0"} 3\nvllm:num_requests_running{engine="1"} 4\n' +
      'vllm:kv_cache_usage_perc{engine="0"} 0.2\nvllm:kv_cache_usage_perc{engine="1"} 0.5\n' +
      "# TYPE vllm:generation_tokens counter\nvllm:generation_tokens_total 1000\n",
    ],
    [
      2,
      'vllm:num_requests_running{engine="0"} 5\nvllm:num_requests_running{engine="1"} 4\n' +
      'vllm:kv_cache_usage_perc{engine="0"} 0.6\nvllm:kv_cache_usage_perc{engine="1"} 0.1\n' +
      "# TYPE vllm:generation_tokens counter\nvllm:generation_tokens_total 1400\n",
    ],
  ]);
  const lines = serverTimeline(reportOf([endpoint], WINDOW).roles);
  const lineOf = (role: string) => lines.find((line) => line.role === role);
  const values = (role: string) => lineOf(role)?.values;
  assert.deepEqual(values("running"), [7, 9]);
  assert.deepEqual(values("kvUsage"), [0.35, 0.35], "the mean of the instances");
  assert.deepEqual(lineOf("kvUsage")?.largest, [0.5, 0.6]);
  assert.deepEqual(values("generatedTokens"), [0, 400], "since the first page");
  assert.equal(values("waiting"), undefined);
  assert.deepEqual(lines[0]?.timesNs, [1e9, 2e9]);
  assert.equal(lines[0]?.endpointUrl, endpoint.url);
});

Deno.test("serverTimeline keeps the highest points of a long line", () => {
  const pages = Array.from(
    { length: 5000 },
    (_, i): [number, string] => [i + 1, `vllm:num_requests_waiting ${i === 3333 ? 70 : i % 3}\n`],
  );
  const [line] = serverTimeline(reportOf([metricsEndpoint(pages)], WINDOW).roles);
  assert.ok((line?.values.length ?? 0) <= 602, `${line?.values.length}`);
  assert.equal(Math.max(...line?.values ?? []), 70);
  assert.deepEqual(line?.timesNs, line?.timesNs.toSorted((a, b) => a - b));
});
