import assert from "node:assert/strict";
import { LiveServers } from "../../../src/report/live/live_servers.ts";
import { ENDPOINT_URL, endpointOf, scrapedEndpoint } from "../../support/metrics_pages.ts";

/** A page of vLLM's; what it counts grows with each one. */
function page(number: number): string {
  return [
    "# TYPE vllm:num_requests_running gauge",
    `vllm:num_requests_running{engine="0"} ${number}`,
    `vllm:num_requests_running{engine="1"} 3`,
    "# TYPE vllm:kv_cache_usage_perc gauge",
    `vllm:kv_cache_usage_perc{engine="0"} 0.2`,
    `vllm:kv_cache_usage_perc{engine="1"} 0.${number}`,
    "# TYPE vllm:request_queue_time_seconds histogram",
    `vllm:request_queue_time_seconds_bucket{le="+Inf"} ${number * 10}`,
    `vllm:request_queue_time_seconds_sum ${number * 0.5}`,
    `vllm:request_queue_time_seconds_count ${number * 10}`,
    "# TYPE vllm:prefix_cache_queries counter",
    `vllm:prefix_cache_queries_total ${number * 100}`,
    "# TYPE vllm:prefix_cache_hits counter",
    `vllm:prefix_cache_hits_total ${number * 25}`,
    "# TYPE vllm:num_preemptions counter",
    `vllm:num_preemptions_total ${number > 5 ? 7 + number : 12}`,
    "",
  ].join("\n");
}

Deno.test("LiveServers tell the newest figures of a server of a known kind", () => {
  const servers = new LiveServers();
  const pages: (readonly [number, string])[] = [];
  let shown = servers.at([]);
  assert.deepEqual(shown, []);
  for (const number of [5, 6, 7]) {
    pages.push([number, page(number)]);
    shown = servers.at([scrapedEndpoint(endpointOf(pages))]);
  }
  const [server] = shown;
  assert.deepEqual([server?.url, server?.kind, server?.problem], [ENDPOINT_URL, "vLLM", undefined]);
  assert.deepEqual(server?.figures, [
    { label: "running", of: "count", value: 10 },
    { label: "KV cache", of: "share", value: 0.7 },
    { label: "queue time", of: "time", value: 50 },
    { label: "preemptions", of: "count", value: 2 },
    { label: "prefix hits", of: "share", value: 0.25 },
  ]);
});

Deno.test("LiveServers name a server that is not read, and know nothing of other kinds", () => {
  const other = scrapedEndpoint(endpointOf([[1, "# TYPE other gauge\nother 1\n"]]));
  assert.deepEqual(new LiveServers().at([{ ...other, disabled: "404" }]), [
    { url: ENDPOINT_URL, kind: "", figures: [], problem: "404" },
  ]);
});
