import assert from "node:assert/strict";
import { servedRateGate } from "../../../src/report/sweep/served_rate.ts";
import { pointObjectives } from "../../../src/report/sweep/point_objectives.ts";
import { pointResults } from "../../../src/report/sweep/point_results.ts";
import { parseRunFigures } from "../../../src/report/sweep/run_figures.ts";
import type { SearchPlan, SearchVariable } from "../../../src/report/sweep/search_plan.ts";
import { runGates } from "../../../src/report/sweep/search_results.ts";
import { sweepPoints } from "../../../src/report/sweep/sweep_points.ts";
import { withFolder } from "../../support/artifacts.ts";

const load = (served: number, slope: number, lower: number) => ({
  ...{ "offered_rate": 100, "served_rate": served },
  ...{ "backlog_slope": slope, "backlog_slope_lower": lower },
});

Deno.test("servedRateGate is missed where a backlog grows, or requests fail", () => {
  const outcomes = [
    servedRateGate(load(80, 20, 18), 0),
    servedRateGate(load(97, 0.5, -1), 0),
    // A queue that fills once, and one whose slope is not known well.
    servedRateGate(load(90, 0.1, -0.5), 0),
    servedRateGate(load(90, 5, -5), 0),
    servedRateGate(load(80, 0, -1), 0.2),
  ].map((gate) => [gate?.met, gate?.conclusive]);
  assert.deepEqual(outcomes, [
    ...[[false, true], [true, true], [true, true], [true, false], [false, true]],
  ]);
  const gate = servedRateGate(load(80, 20, 18), 0);
  assert.deepEqual([gate?.found, gate?.condition], ["80 requests/s", ">= 95 requests/s"]);
});

Deno.test("servedRateGate knows nothing of runs without rates", () => {
  assert.equal(servedRateGate(undefined, 0), undefined);
  assert.equal(servedRateGate({ "offered_rate": null, "served_rate": 3 }, 0), undefined);
});

Deno.test("runGates have the served rate in a search for a rate, and nowhere else", () =>
  withFolder(async (folder) => {
    const gate = { "name": "ttft.p99", "met": true };
    await Deno.writeTextFile(`${folder}/gate.json`, JSON.stringify({ "gates": [gate] }));
    const figures = parseRunFigures(JSON.stringify({
      "request_throughput": { "unit": "requests/sec", "avg": 80 },
      "requests": { "sent": 100, "succeeded": 100, "failed": 0 },
      "load": load(80, 20, 18),
    }));
    assert.ok(figures !== undefined);
    const namesIn = async (variable: SearchVariable | undefined) => {
      const search = variable &&
        { ...{ variable, slos: [], min: 1, max: 9 }, precision: 0.1, maxRuns: 9 };
      const gates = await runGates(folder, figures, search);
      return gates?.map(({ name, met }) => [name, met]);
    };
    assert.deepEqual(await namesIn("request_rate"), [["ttft.p99", true], ["served_rate", false]]);
    assert.deepEqual(await namesIn("concurrency"), [["ttft.p99", true]]);
    assert.deepEqual(await namesIn(undefined), [["ttft.p99", true]]);
    const search: SearchPlan = {
      ...{ variable: "request_rate", slos: [], min: 1, max: 9 },
      ...{ precision: 0.1, maxRuns: 9 },
    };
    const [point] = sweepPoints(
      [{ option: "requestRate", name: "request_rate", values: [100] }],
      "grid",
    );
    assert.ok(point !== undefined);
    const result = pointResults({ point, runs: [{ folder: ".", trial: 0, figures }] }, 0.95);
    const missed = await pointObjectives([result], folder, search);
    assert.deepEqual(missed.get(result)?.map(({ name }) => name), ["served_rate"]);
    await Deno.remove(`${folder}/gate.json`);
    assert.equal(await runGates(folder, figures, search), undefined);
  }));
