import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import type { PointPlot } from "../../../src/core/chart/point_plot.ts";
import { campaignText } from "../../../src/report/console/campaign_report.ts";
import { sweepPage } from "../../../src/report/html/sweep_page.ts";
import { judgedPoints } from "../../../src/report/sweep/judged_points.ts";
import { type PointResults, pointResults } from "../../../src/report/sweep/point_results.ts";
import { parseRunFigures } from "../../../src/report/sweep/run_figures.ts";
import { sweepCsv } from "../../../src/report/sweep/sweep_csv.ts";
import { sweepExport } from "../../../src/report/sweep/sweep_export.ts";
import { sweepJson } from "../../../src/report/sweep/sweep_json.ts";
import type { SearchGate } from "../../../src/report/sweep/search_gate.ts";
import type { SweepManifest } from "../../../src/report/sweep/sweep_manifest.ts";
import { sweepPoints } from "../../../src/report/sweep/sweep_points.ts";
import { sweepMarkdown } from "../../../src/run/campaign/sweep_markdown.ts";

/** What a run of a test measured; half is that of the throughput's interval. */
interface Measured {
  readonly tokens: number;
  readonly perUser: number;
  readonly half?: number;
  readonly evidence?: Readonly<Record<string, unknown>>;
  readonly succeeded?: number;
}

function pointOf(point: PointResults["point"], measured: Measured): PointResults {
  const { evidence, half = 0, perUser, succeeded = 10, tokens } = measured;
  const figures = parseRunFigures(JSON.stringify({
    "output_token_throughput": { "unit": "tokens/sec", "avg": tokens },
    "request_throughput": { "unit": "requests/sec", "avg": tokens / 10 },
    "interactivity": { "unit": "tokens/sec/user", "avg": perUser },
    "time_to_first_token": { "unit": "ms", "avg": 5, "p50": 5, "p99": 1000 / tokens },
    "requests": { "sent": 10, succeeded, "failed": 10 - succeeded },
    "was_cancelled": false,
    "input_config": { "models": { "items": [{ "name": "m" }] } },
    "validity": { "window": "run", "verdict": "not_proven" },
    "sampling_error": {
      "output_token_throughput": { "avg": { "lower": tokens - half, "upper": tokens + half } },
    },
    ...(evidence === undefined ? {} : {
      "diagnosis": { "code": "unsaturated", "text": "Not saturated", "evidence": [] },
      "evidence": evidence,
    }),
  }));
  assert.ok(figures !== undefined);
  return pointResults({ point, runs: [{ folder: point.folder, trial: 0, figures }] }, 0.95);
}

function sweepOf(name: string, loads: readonly number[], measured: readonly Measured[]) {
  const points = sweepPoints([{ option: name, name, values: loads }], "grid");
  return points.map((point, index) => pointOf(point, measured[index] as Measured));
}

const MANIFEST = {
  product: "inferometer/test",
  shape: { kind: "sweep", trials: 1, mode: "repeated" },
  sweepType: "grid",
  confidenceLevel: 0.95,
  command: "inferometer profile",
  notes: [],
  isComplete: true,
} as unknown as SweepManifest;

/** The labels of the points on the frontier as each form of the results shows them. */
function shownFronts(points: readonly PointResults[]): Record<string, string[]> {
  const results = { manifest: { ...MANIFEST, points: points.map(({ point }) => point) }, points };
  const exported = JSON.parse(sweepExport(results)).points;
  const json = JSON.parse(sweepJson(results));
  const labels = (values: readonly Record<string, number>[]): string[] =>
    values.map((value) => String(value["concurrency"])).sort();
  const rows = sweepMarkdown(results, undefined, new Map()).split("\n")
    .filter((row) => /\| concurrency=/.test(row));
  const text = campaignText(
    results,
    undefined,
    {
      ...{ width: 400, directory: "d", files: [], showTable: true, objectives: new Map() },
    } as unknown as Parameters<typeof campaignText>[2],
  );
  const csvRows = sweepCsv(results).split("\r\n\r\n")[0]?.split("\r\n") ?? [];
  const column = csvRows[0]?.split(",").indexOf("pareto_optimal") as number;
  const page = [...sweepPage(results, undefined)].join("");
  const data = /id="data">([^<]*)</.exec(page)?.[1] ?? "[]";
  const [plot] = (JSON.parse(data) as PointPlot[]).filter(({ id }) => id === "frontier");
  const [line] = plot?.lines ?? [];
  return {
    marks: (plot?.points ?? []).filter(({ x, y }) =>
      line?.x.some((at, index) => at === x && line.y[index] === y)
    ).map(({ label }) => label.replace(" knee", "")).sort(),
    export: labels(
      exported.filter((point: Record<string, unknown>) => point["on_frontier"])
        .map((point: Record<string, unknown>) => point["settings"]),
    ),
    list: labels(json.pareto_optimal),
    flags: labels(
      json.per_combination_metrics.filter((point: Record<string, unknown>) =>
        point["pareto_optimal"]
      ).map((point: Record<string, unknown>) => point["parameters"]),
    ),
    markdown: rows.filter((row) => row.includes("frontier"))
      .map((row) => /concurrency=(\d+)/.exec(row)?.[1] as string).sort(),
    terminal: text.split("\n").filter((row) => /│.*frontier/.test(row))
      .map((row) => /│ +(\d+)/.exec(row)?.[1] as string).sort(),
    csv: csvRows.slice(1).map((row) => row.split(","))
      .filter((cells) => cells[column] === "true").map(([first]) => first as string).sort(),
    table: [...page.matchAll(/<tr[^>]*data-front="true"[^>]*data-label="(\d+)"/g)]
      .map(([, label]) => label as string).sort(),
  };
}

Deno.test("every form of a sweep shows the frontier that its metrics have", () => {
  const value = fc.integer({ min: 1, max: 12 });
  fc.assert(
    fc.property(
      fc.array(fc.record({ tokens: value, perUser: value }), { minLength: 2, maxLength: 9 }),
      (measured) => {
        const points = sweepOf("concurrency", measured.map((_, index) => index + 1), measured);
        const expected = measured.flatMap((one, index) =>
          measured.some((rival) =>
              rival.tokens >= one.tokens && rival.perUser >= one.perUser &&
              (rival.tokens > one.tokens || rival.perUser > one.perUser)
            )
            ? []
            : [String(index + 1)]
        ).sort();
        for (const [form, found] of Object.entries(shownFronts(points))) {
          assert.deepEqual(found, expected, form);
        }
      },
    ),
    { numRuns: 40 },
  );
});

Deno.test("the knee is the smallest load near the best throughput, or inside the joint interval", () => {
  const kneesOf = (points: readonly PointResults[]): string[] =>
    judgedPoints(points).filter(({ isKnee }) => isKnee).map(({ result }) => result.point.label);
  const of = (tokens: readonly number[], half = 0): Measured[] =>
    tokens.map((tokens) => ({ tokens, perUser: 1, half }));
  // Given out of order: the load decides, not the place.
  assert.deepEqual(kneesOf(sweepOf("concurrency", [32, 8, 64, 16], of([985, 700, 1000, 951]))), [
    "concurrency=16",
  ]);
  assert.deepEqual(kneesOf(sweepOf("request_rate", [8, 16, 32], of([860, 940, 1000]))), [
    "request_rate=32",
  ]);
  // Joint half of 100 and 100 is 141.
  assert.deepEqual(kneesOf(sweepOf("concurrency", [8, 16, 32], of([860, 940, 1000], 100))), [
    "concurrency=8",
  ]);
  // Prompts are no load, and what no reply came for is no best.
  assert.deepEqual(kneesOf(sweepOf("isl", [64, 128, 256], of([900, 600, 300]))), []);
  const failed = [...of([500, 505]), { tokens: 9000, perUser: 1, succeeded: 0 }];
  assert.deepEqual(kneesOf(sweepOf("concurrency", [1, 2, 4], failed)), ["concurrency=1"]);
  // Each workload of two axes has its own.
  const grid = sweepPoints([
    { option: "concurrency", name: "concurrency", values: [4, 8] },
    { option: "isl", name: "isl", values: [64, 512] },
  ], "grid").map((point, index) => pointOf(point, of([500, 400, 900, 410])[index] as Measured));
  assert.deepEqual(kneesOf(grid), ["concurrency=4, isl=512", "concurrency=8, isl=64"]);
});

Deno.test("a point is decode-bound only by the time between tokens at a load of one", () => {
  const evidence = (itl: number) => ({
    ...{ "loop": "closed", "concurrency": 16, "in_flight": 16, "sent": 200, "succeeded": 200 },
    ...{ "failed": 0, "steady_seconds": 60, "steady_requests": 200, "latency_ms": 2000 },
    ...{ "ttft_ms": 40, "decode_ms": 1960, "queue_ms": 1, "prefill_ms": 30, "running": 16 },
    ...{ "running_max": 16, "waiting": 0, "kv_max": 0.2, "itl_ms": itl },
  });
  const codes = (loads: readonly number[], itls: readonly number[]): unknown[] =>
    judgedPoints(sweepOf(
      "concurrency",
      loads,
      itls.map((itl) => ({ tokens: 1, perUser: 1, evidence: evidence(itl) })),
    )).map(({ diagnosis }) => diagnosis?.["code"]);
  assert.deepEqual(codes([1, 8, 32], [10, 12, 18]), ["unsaturated", "unsaturated", "decode-bound"]);
  assert.deepEqual(codes([2, 8, 32], [10, 12, 18]), ["unsaturated", "unsaturated", "unsaturated"]);
});

const MISSED: SearchGate = {
  ...{ name: "ttft.p99", metric: "time_to_first_token", statistic: "p99", condition: "< 1 ms" },
  ...{ found: "2 ms", met: false, doubtful: false, threshold: 1, unit: "ms", operator: "<" },
  value: 2,
};

Deno.test("campaignText closes with the knee and its cost, and the best point of those that meet", () => {
  const points = sweepOf(
    "concurrency",
    [8, 16, 32],
    [700, 990, 1000].map((tokens) => ({
      ...{ tokens, perUser: tokens / 10, half: 10 },
    })),
  );
  const linesOf = (missed: readonly number[] | undefined): string[] =>
    campaignText({ manifest: MANIFEST, points }, undefined, {
      ...{ width: 400, directory: "d", files: [], showTable: false },
      objectives: new Map(
        points.map((point, place) =>
          [
            point,
            missed === undefined ? undefined : missed.includes(place) ? [MISSED] : [],
          ] as const
        ),
      ),
    }).split("\n").filter((line) => /^(knee|best {4}|finding)/.test(line));
  const knee =
    "knee    16 in flight: 990 tokens/s in total, 99 for each user. 32 in flight serves " +
    "+1.0 % (± 1.42 points) against the knee; TTFT p99 goes from 1.01 ms to 1 ms. The limit of 32 " +
    "in flight is not known";
  assert.deepEqual(linesOf(undefined), [knee]);
  assert.deepEqual(linesOf([2]), [
    knee,
    "best    16 in flight meets every objective: 990 tokens/s in total, 99 for each user",
  ]);
  assert.deepEqual(linesOf([0, 1, 2])[1], "best    no point meets every objective");
});
