/** What is said of servers whose pages were captured, where the folder of captures is present. */

import assert from "node:assert/strict";
import { cacheTruth } from "../../../src/report/model/cache_truth.ts";
import { clientFacing } from "../../../src/report/model/client_facing.ts";
import { reconcile } from "../../../src/report/model/reconciliation.ts";
import type { ServerMetricsReport } from "../../../src/report/model/server_metrics_report.ts";
import type { MetricResults } from "../../../src/measurement/metrics/metric_results.ts";
import { endpointOf, reportOf, scrapedEndpoint } from "../../support/metrics_pages.ts";
import { NO_REQUESTS, summaryOf } from "../../support/reports.ts";

const FOLDER = new URL("../../../../shared/cases/servers/captures2/", import.meta.url);

/** Pages before and after a load, by their names up to the state. */
function captured(folder: string, names: readonly string[], after = "after_load") {
  const read = (name: string): string =>
    Deno.readTextFileSync(new URL(`${folder}/${name}.txt`, FOLDER));
  const endpoints = names.map((name) => {
    const [idle, last] = [read(`${name}_idle`), read(`${name}_${after}`)];
    const series = endpointOf([[0, idle], [1, last], [2.5, last]]);
    return scrapedEndpoint(series, { url: `http://${name}:8000/metrics` });
  });
  return reportOf(endpoints, { start: 0.5, end: 3 });
}

/** A client of as many requests, whose replies report these tokens. */
function clientOf(requests: number, prompt: number, cached: number): MetricResults {
  const each = (value: number) => Array.from({ length: requests }, () => value / requests);
  return new Map([
    ["usage_prompt_tokens", { summary: summaryOf(...each(prompt)) }],
    ["usage_prompt_cache_read_tokens", { summary: summaryOf(...each(cached)) }],
  ]) as unknown as MetricResults;
}

function doubtsOf(report: ServerMetricsReport, results: MetricResults, sent: number): string[] {
  const requests = { ...NO_REQUESTS, sent, succeeded: sent };
  return reconcile(results, requests, report, new Set()).flatMap(({ doubt }) => doubt ?? []);
}

const isPresent = await Deno.stat(FOLDER).then(() => true, () => false);

Deno.test({
  name: "a captured prefill/decode pair of vLLM is found by its counts",
  ignore: !isPresent,
  fn() {
    const report = captured("vllm-pd-example-connector", ["prefill", "decode"]);
    const { roles } = report;
    assert.deepEqual(roles.places.map(({ pool }) => pool), ["prefill", "decode"]);
    const total = (role: "requests" | "prompt_tokens" | "generation_tokens") =>
      clientFacing(roles, role, new Set())?.stats["total"];
    assert.deepEqual(
      [total("requests"), total("prompt_tokens"), total("generation_tokens")],
      [21, 8761, 328],
    );
    // Replies report what the decode instance did not compute.
    const results = clientOf(21, 8761, 7680);
    const { values } = cacheTruth({ results, roles });
    assert.deepEqual([values.hits, values.queries, values.source], [3840, 8761, "engines"]);
    assert.deepEqual(doubtsOf(report, results, 21), []);
  },
});

Deno.test({
  name: "captured pages of Dynamo give the hit rate of its router, and one count of requests",
  ignore: !isPresent,
  fn() {
    const pair = captured("dynamo-disagg", ["frontend", "prefill", "decode"]);
    assert.deepEqual(pair.roles.pools, ["prefill", "decode"]);
    const results = clientOf(26, 7844, 0);
    const { values } = cacheTruth({ results, roles: pair.roles });
    assert.deepEqual([values.hits, values.queries, values.source], [6096, 7844, "router"]);
    assert.equal(clientFacing(pair.roles, "requests", new Set())?.stats["total"], 26);
    assert.deepEqual(doubtsOf(pair, results, 26), []);
    const both = captured("dynamo-agg", ["frontend", "worker0", "worker1"]);
    assert.deepEqual(both.roles.pools, []);
    const aggregated = cacheTruth({ results: clientOf(1, 1, 0), roles: both.roles }).values;
    assert.equal(aggregated.hits, 6992);
    assert.equal(clientFacing(both.roles, "requests", new Set())?.layer, "front");
  },
});
