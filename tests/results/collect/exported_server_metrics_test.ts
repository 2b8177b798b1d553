import assert from "node:assert/strict";
import { serverMetricsJson } from "../../../src/report/export/server_metrics/server_metrics_json.ts";
import {
  exportedServerMetrics,
  exportedServers,
  exportedTimeline,
} from "../../../src/results/collect/exported_server_metrics.ts";
import { withFolder } from "../../support/artifacts.ts";
import { endpointOf, reportOf, scrapedEndpoint } from "../../support/metrics_pages.ts";

function page(running: number, waiting: number): string {
  return "# TYPE vllm:num_requests_running gauge\n" +
    `vllm:num_requests_running{engine="0"} ${running}\n` +
    `vllm:num_requests_running{engine="1"} ${9 - running}\n` +
    `# TYPE vllm:kv_cache_usage_perc gauge\n` +
    `vllm:kv_cache_usage_perc{engine="0"} 0.${running}\nvllm:kv_cache_usage_perc{engine="1"} 0\n` +
    `# TYPE vllm:num_requests_waiting gauge\nvllm:num_requests_waiting ${waiting}\n`;
}

/** The exported file of a run in which two ranks take turns. */
function exportedFile(): Record<string, unknown> {
  const endpoint = scrapedEndpoint(endpointOf([[1, page(8, 1)], [2, page(2, 5)]]));
  return JSON.parse([...serverMetricsJson(reportOf([endpoint], { start: 0.5, end: 3 }))].join(""));
}

Deno.test("exportedServers take the numbers of roles from the file", () => {
  const servers = exportedServers(exportedFile());
  const running = servers.role("running", []);
  assert.deepEqual([running?.stats["max"], running?.stats["avg"]], [9, 9]);
  assert.deepEqual([running?.unit, running?.instances], ["requests", 2]);
  assert.equal(servers.role("ttft", []), undefined);
  const chosen = servers.role("running", [["engine", "0"]]);
  assert.deepEqual([chosen?.stats["max"], chosen?.stats["avg"]], [8, 5]);
});

Deno.test("exportedServers know of files without roles what follows from their series", () => {
  const { roles: _roles, ...file } = exportedFile();
  const servers = exportedServers(file);
  // When each rank was busiest is not in the file.
  assert.deepEqual(servers.role("running", [])?.stats, { "avg": 9 });
  assert.equal(servers.role("waiting", [])?.stats["max"], 5);
  assert.deepEqual(servers.role("kv_usage", [])?.stats, { "avg": 0.25, "min": 0, "max": 0.8 });
});

Deno.test("exportedServerMetrics have the engines of a file", () => {
  const { roles } = exportedServerMetrics(exportedFile());
  assert.deepEqual(roles.engines.map(({ engine }) => engine.name), ["vLLM"]);
});

Deno.test("exportedTimeline puts the series of a line together as the table says", () =>
  withFolder(async (folder) => {
    const line = (second: number, running: readonly number[], tokens: number) =>
      JSON.stringify({
        "endpoint_url": "http://a/metrics",
        "timestamp_ns": second * 1e9,
        "metrics": {
          "sglang:num_running_reqs": running.flatMap((value, rank) =>
            ["0", "1"].map((tensor) => ({
              "labels": { "dp_rank": String(rank), "tp_rank": tensor },
              "value": value,
            }))
          ),
          "sglang:generation_tokens": [{ "value": tokens }],
          "unknown_metric": [{ "value": 1 }],
        },
      });
    const path = `${folder}/lines.jsonl`;
    await Deno.writeTextFile(path, `${line(1, [2, 3], 100)}\n\n${line(2, [0, 4], 150)}\n`);
    const timeline = await exportedTimeline(path, 0n);
    assert.deepEqual(timeline.map(({ role, timesNs, values }) => [role, timesNs, values]), [
      ["running", [1e9, 2e9], [5, 4]],
      ["generatedTokens", [1e9, 2e9], [0, 50]],
    ]);
  }));
