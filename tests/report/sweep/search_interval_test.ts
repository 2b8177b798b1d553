import assert from "node:assert/strict";
import { parseSlos } from "../../../src/config/gate/slo.ts";
import { UNBOUNDED } from "../../../src/core/statistics/unbounded.ts";
import type { SearchPlan } from "../../../src/report/sweep/search_plan.ts";
import {
  type JudgedObjective,
  readSearchResults,
} from "../../../src/report/sweep/search_results.ts";
import type { SweepManifest } from "../../../src/report/sweep/sweep_manifest.ts";
import { nextSearchPoint } from "../../../src/run/campaign/planned_runs.ts";

/** A run of a search whose p90 of the ITL may be any value from `lower` to `upper`. */
interface SearchedRun {
  readonly p90: number;
  readonly lower: number;
  readonly upper: number;
}

const ITLS_MS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** The interval of the p90 of the ITL after some runs at the same number of streams. */
async function intervalOf(runs: readonly SearchedRun[]) {
  return (await judgedObjective(runs)).interval;
}

/** The same with the figure itself. */
async function judgedObjective(runs: readonly SearchedRun[]): Promise<JudgedObjective> {
  const directory = await Deno.makeTempDir();
  try {
    for (const [index, { p90, lower, upper }] of runs.entries()) {
      const folder = `${directory}/search_iter_000${index + 1}/profile_runs/run_0001`;
      await Deno.mkdir(folder, { recursive: true });
      const write = (name: string, content: unknown) =>
        Deno.writeTextFile(`${folder}/${name}`, JSON.stringify(content));
      await write("profile_export_aiperf.json", {
        "inter_token_latency": { "unit": "ms", "avg": 5, "p90": p90 },
        "requests": { "sent": 10, "succeeded": 10, "failed": 0 },
        "measurement_error": {
          "verdict": "suspect",
          "metrics": { "inter_token_latency": { "p90": { lower, upper, "verdict": "suspect" } } },
          "reasons": [],
        },
      });
      await write("gate.json", {
        "gates": [{
          ...{ "name": "itl.p90", "metric": "inter_token_latency", "statistic": "p90" },
          ...{ "condition": "< 20 ms", "found": `${p90} ms`, "met": true, "doubtful": false },
          ...{ "threshold": 20, "unit": "ms", "operator": "<", "value": p90 },
        }],
      });
      const lines = ITLS_MS.map((itl) =>
        JSON.stringify({
          "metadata": { "benchmark_phase": "profiling" },
          "metrics": { "inter_token_latency": { "value": itl, "unit": "ms" } },
        })
      );
      await Deno.writeTextFile(`${folder}/profile_export.jsonl`, lines.join("\n"));
    }
    const search: SearchPlan = {
      ...{ variable: "concurrency", slos: parseSlos(["itl.p90<20ms"]) },
      ...{ min: 1, max: 8, precision: 0.1, maxRuns: 10 },
    };
    const manifest = {
      shape: { kind: "search", trials: 1, mode: "repeated" },
      search,
      points: runs.map((_, index) => ({
        ...{ index, values: { concurrency: 8 }, options: { concurrency: 8 } },
        ...{ label: "concurrency=8", folder: "concurrency_8" },
      })),
    } as unknown as SweepManifest & { readonly search: SearchPlan };
    const { objectives } = await readSearchResults(directory, manifest);
    assert.equal(objectives.length, 1);
    return objectives[0] as JudgedObjective;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("the interval of an objective has the client's own error on top at both ends", async () => {
  const plain = await intervalOf([{ p90: 10, lower: 10, upper: 10 }]);
  const [from, to] = plain as readonly [number, number];
  assert.deepEqual(await intervalOf([{ p90: 10, lower: 9, upper: 12 }]), [from - 1, to + 2]);
});

Deno.test("the interval of an objective counts each run's error from its own figure", async () => {
  const alike = { p90: 10, lower: 9, upper: 12 };
  const one = await intervalOf([alike, alike]);
  // The other run was slower, and is known as well.
  const two = await intervalOf([alike, { p90: 14, lower: 13, upper: 16 }]);
  assert.deepEqual(two, one);
});

Deno.test("the figure of an objective is that of all runs at its value, as its interval is", async () => {
  const one = await judgedObjective([{ p90: 14, lower: 14, upper: 14 }]);
  assert.deepEqual([one.gate.value, one.gate.found], [14, "14 ms"], "one run says it itself");
  const exact = { p90: 10, lower: 10, upper: 10 };
  const { gate, interval } = await judgedObjective([exact, { p90: 14, lower: 14, upper: 14 }]);
  // The 90th percentile of twice 1 to 10, in the unit that the last run has it in.
  assert.ok(Math.abs(gate.value as number - 9.1) < 1e-9);
  assert.equal(gate.found, "9.1 ms");
  const [from, to] = interval as readonly [number, number];
  assert.ok(from <= 9.1 && 9.1 <= to);
});

Deno.test("a run of a search to which no request came says nothing, and its load is tried again", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const folder = `${directory}/search_iter_0001/profile_runs/run_0001`;
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(
      `${folder}/profile_export_aiperf.json`,
      JSON.stringify({ "requests": { "sent": 0, "succeeded": 0, "failed": 0 } }),
    );
    const gate = { "name": "itl.p90", "condition": "< 20 ms", "found": "no value", "met": false };
    await Deno.writeTextFile(`${folder}/gate.json`, JSON.stringify({ "gates": [gate] }));
    const search: SearchPlan = {
      ...{ variable: "request_rate", slos: parseSlos(["itl.p90<20ms"]) },
      ...{ min: 0.5, max: 8, precision: 0.1, maxRuns: 10 },
    };
    const point = {
      ...{ index: 0, values: { request_rate: 0.5 }, options: { requestRate: 0.5 } },
      ...{ label: "request_rate=0.5", folder: "request_rate_0.5" },
    };
    const manifest = {
      ...{ shape: { kind: "search", trials: 1, mode: "repeated" }, search, points: [point] },
    } as unknown as SweepManifest & { readonly search: SearchPlan };
    const { steps, answer } = await readSearchResults(directory, manifest);
    assert.deepEqual(steps, []);
    assert.equal(answer.limitedBy, undefined);
    assert.equal((await nextSearchPoint(directory, manifest))?.values["request_rate"], 0.5);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("an objective has no interval where nothing limits its figure", async () => {
  assert.equal(await intervalOf([{ p90: 10, lower: 9, upper: UNBOUNDED }]), undefined);
});
