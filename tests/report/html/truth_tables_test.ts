import assert from "node:assert/strict";
import { truthTables } from "../../../src/report/html/truth_tables.ts";
import { cacheTruth } from "../../../src/report/model/cache_truth.ts";
import { poolsTruth } from "../../../src/report/model/pools_truth.ts";
import type { serverTruth } from "../../../src/report/model/server_truth.ts";
import { endpointOf, reportOf, scrapedEndpoint } from "../../support/metrics_pages.ts";

function page(hits: number, running: number): string {
  const counter = (name: string, value: number): string =>
    `# TYPE vllm:${name} counter\nvllm:${name} ${value}\n`;
  return counter("prefix_cache_queries_total", hits * 4) +
    counter("prefix_cache_hits_total", hits) +
    `# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running ${running}\n`;
}

type TruthOf = Parameters<typeof serverTruth>[0];

Deno.test("the page has the hit rate of caches, and the metrics of each pool", () => {
  const endpoint = (place: "prefill" | "decode", hits: number, running: number) => {
    const series = endpointOf([[0, page(0, running)], [1, page(hits, running)], [
      2,
      page(hits, running),
    ]]);
    return scrapedEndpoint(series, { url: `http://${place}:1/metrics`, place });
  };
  const { roles } = reportOf([endpoint("prefill", 250, 2), endpoint("decode", 900, 7)], {
    ...{ start: 0.5, end: 2.5 },
  });
  const input = { results: new Map(), roles, plan: {} } as unknown as TruthOf;
  const markup = truthTables({
    serverTruth: { cache: cacheTruth(input), pools: poolsTruth(input) } as unknown as ReturnType<
      typeof serverTruth
    >,
  });
  assert.match(markup, /hit rate<\/th><td>25 %/);
  assert.match(markup, /prefill<\/th><th scope="col">decode/);
  assert.match(markup, /running max<\/th><td>2<\/td><td>7/);
  assert.equal(truthTables({ serverTruth: undefined }), "");
});
