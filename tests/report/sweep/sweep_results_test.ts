import assert from "node:assert/strict";
import { parse } from "npm:csv-parse@7.0.3/sync";
import { aggregateCsv, aggregateJson } from "../../../src/report/sweep/aggregate_files.ts";
import { distributionsAgree, valuesAgree } from "../../../src/report/sweep/convergence.ts";
import { percentileInterval } from "../../../src/report/sweep/percentile_interval.ts";
import { UNBOUNDED } from "../../../src/core/statistics/unbounded.ts";
import { type PointResults, pointResults } from "../../../src/report/sweep/point_results.ts";
import { parseRunFigures, type RunFigures } from "../../../src/report/sweep/run_figures.ts";
import { analyzeSweep } from "../../../src/report/sweep/sweep_analysis.ts";
import { sweepCsv } from "../../../src/report/sweep/sweep_csv.ts";
import { sweepJson } from "../../../src/report/sweep/sweep_json.ts";
import type { SweepManifest } from "../../../src/report/sweep/sweep_manifest.ts";
import { sweepPoints } from "../../../src/report/sweep/sweep_points.ts";
import { sweepPage } from "../../../src/report/html/sweep_page.ts";

/** A run with a throughput and a time to first token, whose client error is a tenth of it. */
function figures(throughput: number, ttft: number, succeeded = 10): RunFigures {
  const found = parseRunFigures(JSON.stringify({
    "request_throughput": { "unit": "requests/sec", "avg": throughput },
    "time_to_first_token": { "unit": "ms", "avg": ttft / 2, "p99": ttft, "min": 1, "max": ttft },
    "requests": { "sent": 10, "succeeded": succeeded, "failed": 10 - succeeded },
    "was_cancelled": false,
    "input_config": { "models": { "items": [{ "name": "m" }] } },
    "measurement_error": {
      "verdict": "valid",
      "metrics": {
        "time_to_first_token": {
          "p99": { "lower": ttft * 0.9, "upper": ttft, "verdict": "valid" },
        },
      },
      "reasons": [],
    },
  }));
  assert.ok(found !== undefined);
  return found;
}

const POINTS = sweepPoints(
  [{ option: "concurrency", name: "concurrency", values: [1, 2, 4] }],
  "grid",
);

function manifest(trials: number): SweepManifest {
  return {
    product: "inferometer/test",
    shape: { kind: "sweep", trials, mode: "repeated" },
    sweepType: "grid",
    points: POINTS,
    confidenceLevel: 0.95,
    cooldownSeconds: 1,
    pointCooldownSeconds: 0,
    disableWarmupAfterFirst: true,
    sameSeed: false,
    varySeedPerTrial: false,
    command: "inferometer profile <b>",
    options: {},
    secretOptions: [],
    notes: [],
    isComplete: true,
  };
}

function resultsOf(runs: readonly (readonly RunFigures[])[]): PointResults[] {
  return POINTS.map((point, index) =>
    pointResults({
      point,
      runs: (runs[index] ?? []).map((figures, trial) => ({
        folder: `r${index}_${trial}`,
        trial,
        figures,
      })),
    }, 0.95)
  );
}

Deno.test("a run that was stopped because too much failed is no point's best, and its reason is told", () => {
  const reason = "18 of 20 requests failed, more than --max-error-rate 0.1 allows";
  const stopped: RunFigures = {
    ...figures(900, 1, 2),
    endedEarly: reason,
    endReason: "error_rate",
  };
  const points = resultsOf([[figures(10, 50)], [stopped], [figures(30, 60)]]);
  const { bestThroughput, front: { points: pareto } } = analyzeSweep(points);
  assert.equal(bestThroughput?.result.point.label, "concurrency=4");
  assert.deepEqual([...pareto].map(({ point }) => point.label), ["concurrency=1", "concurrency=4"]);
  const json = JSON.parse(sweepJson({ manifest: manifest(1), points }));
  assert.equal(json.num_successful_runs, 2);
  assert.deepEqual(json.failed_runs, [
    { "label": "r1_0", "error": reason, "ended_early_reason": "error_rate" },
  ]);
  // An objective that is lost says something about the server.
  const lost: RunFigures = {
    ...figures(900, 1, 2),
    ...{ endedEarly: "ttft.p99 cannot be met any more", endReason: "slo_unreachable" },
  };
  assert.equal(resultsOf([[lost]])[0]?.successful.length, 1);
});

/** A run of some metrics with their bounds. */
function boundedRun(
  metrics: Readonly<Record<string, readonly [avg: number, lower: number, upper: number]>>,
): RunFigures {
  const found = parseRunFigures(JSON.stringify({
    ...Object.fromEntries(
      Object.entries(metrics).map(([tag, [avg]]) => [tag, { "unit": "ms", "avg": avg }]),
    ),
    "requests": { "sent": 10, "succeeded": 10, "failed": 0 },
    "measurement_error": {
      "verdict": "suspect",
      "metrics": Object.fromEntries(
        Object.entries(metrics).map(([tag, [, lower, upper]]) => [
          tag,
          { "avg": { lower, upper, "verdict": "suspect" } },
        ]),
      ),
      "reasons": [],
    },
  }));
  assert.ok(found !== undefined);
  return found;
}

Deno.test("the error of several runs has a number for each bound, of each figure", () => {
  const errorOf = (...runs: readonly RunFigures[]) => resultsOf([runs])[0]?.error?.metrics;
  // Nothing limits one of them, so nothing limits their mean.
  const endless = errorOf(
    boundedRun({ "inter_token_latency": [5, 4, UNBOUNDED] }),
    boundedRun({ "inter_token_latency": [7, 6, 8] }),
  );
  assert.deepEqual(endless?.["inter_token_latency"]?.["avg"], {
    ...{ lower: 5, upper: UNBOUNDED, verdict: "suspect" },
  });
  // A metric that the first run does not have is the mean of those that have it.
  const partial = errorOf(
    boundedRun({ "request_latency": [100, 90, 100] }),
    boundedRun({ "request_latency": [110, 100, 110], "inter_token_latency": [7, 6, 8] }),
  );
  assert.deepEqual(partial?.["inter_token_latency"]?.["avg"], {
    ...{ lower: 6, upper: 8, verdict: "suspect" },
  });
  assert.equal(partial?.["request_latency"]?.["avg"]?.lower, 95);
});

Deno.test("the front holds the points that no other one beats", () => {
  const points = resultsOf([[figures(10, 50)], [figures(20, 80)], [figures(15, 90)]]);
  const { front: { points: pareto }, bestThroughput, bestLatency } = analyzeSweep(points);
  assert.deepEqual([...pareto].map(({ point }) => point.label), ["concurrency=1", "concurrency=2"]);
  assert.equal(bestThroughput?.result.point.label, "concurrency=2");
  assert.equal(bestLatency?.value, 50);
  // A point without a success takes no part.
  const failed = analyzeSweep(resultsOf([[figures(10, 50)], [figures(99, 1, 0)], []]));
  assert.deepEqual([...failed.front.points].map(({ point }) => point.label), ["concurrency=1"]);
});

Deno.test("the sweep's JSON has AIPerf's keys, of one run a point and of several", () => {
  const points = resultsOf([[figures(10, 50)], [figures(20, 80)], [figures(15, 90, 0)]]);
  const single = JSON.parse(sweepJson({ manifest: manifest(1), points }));
  assert.deepEqual(Object.keys(single).slice(0, 8), [
    ...["aggregation_type", "num_profile_runs", "num_successful_runs", "failed_runs", "metadata"],
    ...["per_combination_metrics", "best_configurations", "pareto_optimal"],
  ]);
  assert.deepEqual([single.num_profile_runs, single.num_successful_runs], [3, 2]);
  assert.deepEqual(single.failed_runs, [
    { "label": "r2_0", "error": "no request succeeded", "ended_early_reason": null },
  ]);
  assert.deepEqual(single.metadata.sweep_parameters, [{
    "name": "concurrency",
    "values": [1, 2, 4],
  }]);
  const [first] = single.per_combination_metrics;
  assert.deepEqual(first.parameters, { "concurrency": 1 });
  // As AIPerf has a single run, and as it has several.
  assert.equal(first.metrics.time_to_first_token.p99, 50);
  assert.equal(first.metrics.time_to_first_token.mean, 25);
  assert.equal(first.metrics.time_to_first_token_p99.mean, 50);
  assert.deepEqual(first.metrics.time_to_first_token_p99.measurement_error.lower, 45);
  assert.equal(first.measurement_error.verdict, "valid");
  assert.deepEqual(single.pareto_optimal, [{ "concurrency": 1 }, { "concurrency": 2 }]);
  assert.equal(single.best_configurations.best_throughput.metric, 20);

  const several = resultsOf([[figures(10, 50), figures(12, 60)], [figures(20, 80)], []]);
  const [repeated] = JSON.parse(sweepJson({ manifest: manifest(2), points: several }))
    .per_combination_metrics;
  assert.equal(repeated.metrics.time_to_first_token, undefined);
  const { mean, std, ci_low, ci_high, unit } = repeated.metrics.request_throughput_avg;
  assert.deepEqual([mean, unit], [11, "requests/sec"]);
  assert.ok(Math.abs(std - Math.SQRT2) < 1e-12 && ci_low < 0 && ci_high > 22);
  // The mean of true values lies between the means of their bounds.
  assert.equal(repeated.measurement_error.metrics.time_to_first_token.p99.lower, 49.5);
});

Deno.test("the CSV files have AIPerf's sections and columns", () => {
  const points = resultsOf([[figures(10, 50)], [figures(20, 80)], []]);
  const text = sweepCsv({ manifest: manifest(1), points });
  const rows: string[][] = parse(text, { relax_column_count: true });
  const [head, first] = rows as [string[], string[]];
  assert.equal(head[0], "concurrency");
  assert.equal(first[head.indexOf("time_to_first_token_p99_mean")], "50.00");
  assert.equal(first[head.indexOf("time_to_first_token_mean")], "25.00");
  assert.equal(first[head.indexOf("request_throughput_avg_cv")], "0.0000");
  assert.equal(first[head.indexOf("time_to_first_token_p99_lower")], "45.00");
  for (const section of ["Best Configurations", "Pareto Optimal Points", "Metadata"]) {
    assert.ok(text.includes(`\r\n\r\n${section}\r\n`), section);
  }
  const [point] = resultsOf([[figures(10, 50), figures(12, 60)]]) as [PointResults];
  const csv = aggregateCsv(point, manifest(2));
  assert.ok(csv.startsWith("metric,mean,std,min,max,cv,se,ci_low,ci_high,t_critical,unit\r\n"));
  assert.match(csv, /\r\nrequest_throughput_avg,11\.00,1\.41,10\.00,12\.00,0\.1286,1\.0000,/);
  const json = JSON.parse(aggregateJson(point, manifest(2)));
  assert.equal(json.schema_version, "1.0");
  assert.equal(json.metadata.num_successful_runs, 2);
  assert.deepEqual(json.metadata.run_labels, ["run_0001", "run_0002"]);
  assert.equal(json.metadata.model, "m");
  assert.ok(Math.abs(json.metrics.request_throughput_avg.t_critical - 12.7062) < 1e-3);
});

Deno.test("the sweep's page links to each run, and escapes what it quotes", () => {
  const points = resultsOf([[figures(10, 50)], [figures(20, 80)], []]);
  const page = [...sweepPage({ manifest: manifest(1), points }, undefined)].join("");
  assert.match(page, /<a href="r0_0\/report\.html">report<\/a>/);
  assert.match(page, /id="plot-frontier"/);
  // Words of the command are kept together.
  const text = page.replace(/<\/?span[^>]*>/g, "");
  assert.ok(text.includes("inferometer profile &lt;b&gt;") && !page.includes("<b>"));
  // The data and the page's own script, which its policy names by its hash.
  const scripts = [...page.matchAll(/<script(?: type="application\/json" id="data")?>/g)];
  assert.equal(scripts.length, page.split("<script").length - 1);
  assert.match(page, /script-src 'sha256-[^']+'; style-src 'sha256-/);
});

Deno.test("runs agree by the width of the interval, the deviation, or the distribution", () => {
  const plan = {
    metric: "x",
    statistic: "avg",
    mode: "ci-width",
    threshold: 0.1,
    level: 0.95,
  } as const;
  assert.ok(!valuesAgree([10, 10], plan));
  assert.ok(valuesAgree([10, 10.1, 9.9], plan));
  assert.ok(!valuesAgree([10, 11, 9], plan));
  assert.ok(valuesAgree([10, 10.4, 9.6], { ...plan, mode: "cv", threshold: 0.05 }));
  assert.ok(!valuesAgree([10, 12, 8], { ...plan, mode: "cv", threshold: 0.05 }));
  const distribution = { ...plan, mode: "distribution", threshold: 0.05 } as const;
  const run = (shift: number) => Array.from({ length: 50 }, (_, i) => i + shift);
  assert.ok(distributionsAgree([run(0), run(0.2), run(0.1)], distribution));
  assert.ok(!distributionsAgree([run(0), run(0), run(40)], distribution));
});

Deno.test("percentileInterval holds the percentile of the sample", () => {
  const values = Array.from({ length: 1000 }, (_, i) => i);
  const [lower, upper] = percentileInterval(values, 0.99) as [number, number];
  assert.ok(lower < 990 && lower > 975 && upper > 990 && upper <= 999);
  assert.equal(percentileInterval([], 0.5), undefined);
});
