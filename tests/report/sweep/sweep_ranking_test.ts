import assert from "node:assert/strict";
import { campaignText } from "../../../src/report/console/campaign_report.ts";
import { type PointResults, pointResults } from "../../../src/report/sweep/point_results.ts";
import { parseRunFigures, type RunFigures } from "../../../src/report/sweep/run_figures.ts";
import { analyzeSweep } from "../../../src/report/sweep/sweep_analysis.ts";
import { sweepCsv } from "../../../src/report/sweep/sweep_csv.ts";
import { sweepJson } from "../../../src/report/sweep/sweep_json.ts";
import type { SweepManifest } from "../../../src/report/sweep/sweep_manifest.ts";
import { sweepPoints } from "../../../src/report/sweep/sweep_points.ts";

/** Throughput of the whole run and of the steady state, and half of the latter's interval. */
interface Throughput {
  readonly run: number;
  readonly steady?: number;
  readonly half: number;
  readonly window?: "steady" | "run";
}

const DIAGNOSIS = { "code": "saturated", "text": "saturated", "evidence": [] };

function figures({ half, run, steady, window = "steady" }: Throughput): RunFigures {
  const value = steady !== undefined && window === "steady" ? steady : run;
  const sampling = {
    "sampling_error": {
      "request_throughput": {
        "avg": { "lower": value - half, "upper": value + half, "verdict": "proven" },
      },
    },
  };
  const found = parseRunFigures(JSON.stringify({
    "request_throughput": { "unit": "requests/sec", "avg": run },
    "request_latency": { "unit": "ms", "avg": 1e3 / run, "p99": 2e3 / run },
    "requests": { "sent": 10, "succeeded": 10, "failed": 0 },
    "was_cancelled": false,
    "input_config": { "models": { "items": [{ "name": "m" }] } },
    "load": { "loop": "closed", "offered_rate": run },
    "diagnosis": DIAGNOSIS,
    ...sampling,
    ...(steady === undefined ? { "validity": { "window": "run" } } : {
      "validity": { "window": window },
      "steady_state": {
        "metrics": { "request_throughput": { "avg": steady } },
        ...sampling,
      },
    }),
  }));
  assert.ok(found !== undefined);
  return found;
}

const POINTS = sweepPoints(
  [{ option: "concurrency", name: "concurrency", values: [1, 2] }],
  "grid",
);

function resultsOf(runs: readonly (readonly Throughput[])[]): PointResults[] {
  return POINTS.map((point, index) =>
    pointResults({
      point,
      runs: (runs[index] ?? []).map((one, trial) => ({
        ...{ folder: `r${index}_${trial}`, trial, figures: figures(one) },
      })),
    }, 0.95)
  );
}

const MANIFEST = {
  product: "inferometer/test",
  shape: { kind: "sweep", trials: 1, mode: "repeated" },
  sweepType: "grid",
  points: POINTS,
  confidenceLevel: 0.95,
  command: "inferometer profile",
  notes: [],
  isComplete: true,
} as unknown as SweepManifest;

/** What the files and the console have of a sweep. */
function outputsOf(points: readonly PointResults[]) {
  const results = { manifest: MANIFEST, points };
  return {
    json: JSON.parse(sweepJson(results)),
    csv: sweepCsv(results),
    text: campaignText(
      results,
      undefined,
      {
        ...{ width: 400, directory: "d", files: [], showTable: true, objectives: new Map() },
      } as unknown as Parameters<typeof campaignText>[2],
    ),
  };
}

Deno.test("a sweep ranks steady states where all runs of a point have one", () => {
  // The whole runs would have it the other way round.
  const points = resultsOf([[{ run: 100, steady: 50, half: 1 }], [{
    run: 90,
    steady: 80,
    half: 1,
  }]]);
  const { json, text } = outputsOf(points);
  assert.equal(analyzeSweep(points).bestThroughput?.result.point.label, "concurrency=2");
  assert.deepEqual(json.ranking.throughput.best, { concurrency: 2 });
  assert.deepEqual(json.best_configurations.best_throughput.parameters, { concurrency: 2 });
  const [first] = json.per_combination_metrics;
  assert.equal(first.window, "steady");
  assert.equal(first.window_metrics.request_throughput_avg, 50);
  assert.deepEqual(first.sampling_error.request_throughput_avg, { lower: 49, upper: 51 });
  assert.equal(first.metrics.request_throughput.mean, 100, "AIPerf's keys have the whole run");
  assert.deepEqual(first.diagnosis, DIAGNOSIS);
  assert.equal(first.load.offered_rate, 100);
  assert.match(text, /values of the steady state; times in ms/);
  assert.match(text, /^best throughput +concurrency=2 +80\.0 requests\/s$/m);
});

Deno.test("a sweep shows whole runs where the user asks for them, or a run has no steady state", () => {
  const asked = resultsOf([
    [{ run: 100, steady: 50, half: 1, window: "run" }],
    [{ run: 90, steady: 80, half: 1, window: "run" }],
  ]);
  assert.deepEqual(outputsOf(asked).json.ranking.throughput.best, { concurrency: 1 });
  assert.match(outputsOf(asked).text, /values of whole runs/);
  const mixed = resultsOf([[{ run: 100, half: 1 }], [{ run: 90, steady: 80, half: 1 }]]);
  assert.match(
    outputsOf(mixed).text,
    /values of the steady state; of the whole run for concurrency=1/,
  );
});

Deno.test("a sweep names no best point where intervals overlap", () => {
  const points = resultsOf([[{ run: 100, steady: 79, half: 2 }], [{
    run: 90,
    steady: 80,
    half: 2,
  }]]);
  const { csv, json, text } = outputsOf(points);
  assert.equal(json.ranking.throughput.best, null);
  assert.deepEqual(json.ranking.throughput.not_significant, [
    { concurrency: 2 },
    { concurrency: 1 },
  ]);
  assert.ok(!("best_throughput" in json.best_configurations));
  assert.doesNotMatch(csv, /Best Throughput/);
  assert.match(
    text,
    /best throughput +not significant: the intervals of concurrency=2 \(80\.0\), /,
  );
});

Deno.test("three runs of a point have the interval of the variance between runs", () => {
  const three = (values: readonly number[]) =>
    values.map((steady) => ({ run: 100, steady, half: 0.001 }));
  const [first, second] = resultsOf([three([78, 80, 82]), three([79, 81, 83]).slice(0, 2)]) as [
    ...[PointResults, PointResults],
  ];
  // Student's t: 4.303 standard deviations of two, over the root of three.
  const { lower, upper } = first.shown.get("request_throughput_avg")?.sampling ?? {};
  assert.ok(Math.abs((lower as number) - (80 - 4.3027 * 2 / Math.sqrt(3))) < 1e-3, `${lower}`);
  assert.ok(Math.abs((upper as number) - (80 + 4.3027 * 2 / Math.sqrt(3))) < 1e-3, `${upper}`);
  const few = second.shown.get("request_throughput_avg")?.sampling;
  assert.ok(Math.abs((few?.lower as number) - 79.999) < 1e-9);
});

Deno.test("the table of runs says the level of the intervals, of each where they differ", () => {
  const [point] = POINTS as [typeof POINTS[number]];
  const textOf = (withLatency: number) => {
    const runs = [78, 80, 82].map((run, trial) => {
      const { metrics, ...others } = figures({ run, half: 1 });
      const own = new Map([...metrics].filter(([tag]) => tag !== "request_latency"));
      const kept = trial < withLatency ? metrics : own;
      const latency = { "request_latency": { "avg": { "lower": 12, "upper": 13 } } };
      const shown = { ...others.shown, sampling: { ...others.shown.sampling, ...latency } };
      return { folder: `r${trial}`, trial, figures: { ...others, metrics: kept, shown } };
    });
    return campaignText(
      {
        manifest: {
          ...MANIFEST,
          ...{ shape: { kind: "runs", trials: 3, mode: "repeated" }, confidenceLevel: 0.9 },
        } as SweepManifest,
        points: [pointResults({ point, runs }, 0.9)],
      },
      undefined,
      { width: 120, directory: "/d", showTable: true, files: [], objectives: new Map() },
    );
  };
  const equal = textOf(3);
  assert.match(equal, /│ +90(?:\.0)? % interval │/);
  assert.doesNotMatch(equal, /\(90/);
  // Two runs have a latency: a mean of intervals within runs, which are always of 95 %.
  const mixed = textOf(2);
  assert.match(mixed, /confidence interval/);
  assert.match(mixed, /latency avg .* 12\.0 \.\. 13\.0 \(95(?:\.0)? %\)/);
  assert.match(mixed, /throughput .*\.\. \S+ \(90(?:\.0)? %\)/);
});
