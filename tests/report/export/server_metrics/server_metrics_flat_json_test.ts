/** The layout of AIPerf's first server metrics, field by field as its reference describes them. */

import assert from "node:assert/strict";
import type { TimedPage } from "../../../support/metrics_pages.ts";
import { replayedFiles, type ReplaySettings } from "../../../support/replayed_files.ts";

const URL = "http://localhost:10000/metrics";
const COMMON = { "endpoint": "localhost:10000", "endpoint_url": URL };
const WINDOW = { start: 0.5, end: 4.5, serverMetricsJsonLayout: "flat" };

// deno-lint-ignore no-explicit-any -- what a reader of the file sees
type Json = any;

async function flat(
  page: (second: number) => string,
  settings: Partial<ReplaySettings> = {},
): Promise<Json> {
  const pages = [0, 1, 2, 3, 4].map((second): TimedPage => [second, page(second)]);
  return (await replayedFiles({ [URL]: pages }, { ...WINDOW, ...settings })).json;
}

async function seriesOf(page: (second: number) => string, name: string): Promise<Json> {
  const { metrics } = await flat(page);
  assert.equal(metrics[name].series.length, 1);
  return metrics[name].series[0];
}

Deno.test("serverMetricsFlatJson sums up the endpoints by their short names", async () => {
  const json = await flat((second) => `a ${second}\n`, {
    endpointsConfigured: [URL, "http://dead:1/metrics"],
  });
  assert.deepEqual(Object.keys(json), ["summary", "metrics"]);
  assert.deepEqual(json.summary, {
    "endpoints_configured": ["localhost:10000", "dead:1"],
    "endpoints_successful": ["localhost:10000"],
    "start_time": "2025-12-06T05:46:40.623456Z",
    "end_time": "2025-12-06T05:46:44.623456Z",
    "endpoint_info": {
      "localhost:10000": {
        "endpoint_url": URL,
        "duration_seconds": 4,
        "scrape_count": 5,
        "avg_scrape_latency_ms": 2,
        "avg_scrape_period_ms": 1000,
      },
    },
  });
});

Deno.test("serverMetricsFlatJson has a gauge's statistics in its series", async () => {
  const values = [9, 2, 6, 4, 4];
  assert.deepEqual(
    await seriesOf((second) => `# TYPE g gauge\ng{m="x"} ${values[second]}\nz ${second}\n`, "g"),
    {
      ...COMMON,
      "labels": { "m": "x" },
      ...{ "avg": 4, "min": 2, "max": 6, "std": Math.sqrt(8 / 3) },
      ...{ "p50": 4, "p90": 5.4, "p95": 5.699999999999999, "p99": 5.9399999999999995 },
      "estimated_percentiles": false,
    },
  );
});

Deno.test("serverMetricsFlatJson has of a constant gauge what it was", async () => {
  assert.deepEqual(await seriesOf((second) => `# TYPE g gauge\ng 40960\nz ${second}\n`, "g"), {
    ...COMMON,
    "labels": null,
    "observation_count": 1,
    "avg": 40960,
  });
});

Deno.test("serverMetricsFlatJson has a counter's rates between its changes", async () => {
  // It grows by 10 in a second, stands still for one, then by 40 and 20.
  const values = [100, 110, 110, 150, 170];
  const { rate_std: deviation, ...rest } = await seriesOf(
    (second) => `# TYPE c_total counter\nc_total ${values[second]}\nz ${second}\n`,
    "c",
  );
  assert.deepEqual(rest, {
    ...COMMON,
    "labels": null,
    "delta": 70,
    "rate_per_second": 17.5,
    // From one change to the next: 10 in 1 s, 40 in 2 s, 20 in 1 s.
    "rate_avg": 17.5,
    "rate_min": 10,
    "rate_max": 20,
  });
  assert.ok(Math.abs(deviation - Math.sqrt(100 / 3)) < 1e-9, "of 10, 20, and 20");
});

Deno.test("serverMetricsFlatJson has of an idle counter that it was idle", async () => {
  assert.deepEqual(await seriesOf((second) => `# TYPE c counter\nc 7\nz ${second}\n`, "c"), {
    ...COMMON,
    "labels": null,
    "delta": 0,
  });
});

Deno.test("serverMetricsFlatJson has a histogram's observations, sum, and rates", async () => {
  const page = (second: number) =>
    `# TYPE h_seconds histogram\nh_seconds_bucket{le="1"} ${second * 2}\n` +
    `h_seconds_bucket{le="10"} ${second * 4}\nh_seconds_bucket{le="+Inf"} ${second * 4}\n` +
    `h_seconds_sum ${second * 8}\nh_seconds_count ${second * 4}\n`;
  const { p50, p90, p95, p99, ...rest } = await seriesOf(page, "h_seconds");
  assert.deepEqual(rest, {
    ...COMMON,
    "labels": null,
    "observation_count": 16,
    "avg": 2,
    "estimated_percentiles": true,
    "delta": 32,
    "rate_per_second": 8,
    "observations_per_second": 4,
    "buckets": { "1": 8, "10": 16, "+Inf": 16 },
  });
  for (const estimate of [p50, p90, p95, p99]) assert.ok(estimate > 0 && estimate <= 10);
  const { metrics } = await flat(page);
  assert.equal(metrics.h_seconds.unit, "seconds");
});

Deno.test("serverMetricsFlatJson has of a histogram without observations that there were none", async () => {
  const page = (second: number) =>
    `# TYPE h histogram\nh_bucket{le="+Inf"} 3\nh_sum 1\nh_count 3\nz ${second}\n`;
  assert.deepEqual(await seriesOf(page, "h"), {
    ...COMMON,
    "labels": null,
    "observation_count": 0,
  });
});

Deno.test("serverMetricsFlatJson has summaries with the server's own quantiles", async () => {
  const page = (second: number) =>
    `# TYPE s summary\ns{quantile="0.5"} 0.12\ns{quantile="0.9"} 0.25\ns{quantile="0.95"} 0.35\n` +
    `s{quantile="0.99"} 0.5\ns_sum ${second * 15}\ns_count ${second * 100}\n`;
  const { metrics } = await flat(page);
  assert.equal(metrics.s.type, "summary");
  assert.deepEqual(metrics.s.series, [{
    ...COMMON,
    "labels": null,
    "observation_count": 400,
    "avg": 0.15,
    ...{ "p50": 0.12, "p90": 0.25, "p95": 0.35, "p99": 0.5 },
    "estimated_percentiles": false,
    "delta": 60,
    "rate_per_second": 15,
    "observations_per_second": 100,
    "quantiles": { "0.5": 0.12, "0.9": 0.25, "0.95": 0.35, "0.99": 0.5 },
  }]);
});

Deno.test("serverMetricsFlatJson has of info metrics their labels alone", async () => {
  const json = await flat((second) =>
    `# TYPE cache_config_info gauge\ncache_config_info{block_size="16"} 1\nz ${second}\n`
  );
  assert.deepEqual(json.metrics.cache_config_info, {
    "type": "gauge",
    "description": "",
    "unit": "info",
    "series": [{ ...COMMON, "labels": { "block_size": "16" } }],
  });
});

Deno.test("serverMetricsFlatJson is written where summaries are all there is", async () => {
  const { metrics } = await flat((second) =>
    `# TYPE s summary\ns_sum ${second}\ns_count ${second}\n`
  );
  assert.deepEqual(Object.keys(metrics), ["s"]);
});

Deno.test("serverMetricsFlatJson has no unit where none is known", async () => {
  const { metrics } = await flat((second) => `# TYPE x gauge\nx ${second}\n`);
  assert.equal(metrics.x.unit, null);
});
