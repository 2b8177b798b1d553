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
  let shown = servers.at([]).servers;
  assert.deepEqual(shown, []);
  for (const number of [5, 6, 7]) {
    pages.push([number, page(number)]);
    const now = servers.at([scrapedEndpoint(endpointOf(pages))]);
    shown = now.servers;
    assert.deepEqual(now.levels, { running: number + 3, waiting: NaN, kvUsage: number / 10 });
  }
  const [server] = shown;
  assert.deepEqual([server?.url, server?.kind, server?.problem], [ENDPOINT_URL, "vLLM", undefined]);
  assert.deepEqual(server?.figures, [
    { label: "running", of: "count", value: 10 },
    { label: "KV cache", of: "share", value: 0.7 },
    { label: "prefix hits", of: "share", value: 0.25 },
    { label: "queue time", of: "time", value: 50 },
    { label: "preemptions", of: "count", value: 2 },
  ]);
});

Deno.test("LiveServers name a server that is not read, and know nothing of other kinds", () => {
  const other = scrapedEndpoint(endpointOf([[1, "# TYPE other gauge\nother 1\n"]]));
  assert.deepEqual(new LiveServers().at([{ ...other, disabled: "404" }]).servers, [
    { url: ENDPOINT_URL, kind: "", figures: [], problem: "404" },
  ]);
});

Deno.test("LiveServers add up the innermost layer, a process under two URLs once", () => {
  const pageOf = (text: string) => endpointOf([[1, text], [2, text]]);
  const engine = (start: number, running: number) =>
    `process_start_time_seconds ${start}\n` +
    "# TYPE vllm:num_requests_running gauge\n" +
    `vllm:num_requests_running ${running}\n` +
    "# TYPE vllm:generation_tokens counter\n" +
    `vllm:generation_tokens_total ${running * 100}\n`;
  const front = "# TYPE dynamo_frontend_active_requests gauge\ndynamo_frontend_active_requests 9\n";
  const texts = [front, engine(1, 4), engine(2, 3), engine(2, 3)];
  const endpoints = texts.map((text, at) =>
    scrapedEndpoint(pageOf(text), { url: `http://node${at}:8000/metrics` })
  );
  const { levels, servers } = new LiveServers().at(endpoints);
  assert.deepEqual(levels, { running: 7, waiting: NaN, kvUsage: NaN });
  assert.equal(servers.length, 4);
});
