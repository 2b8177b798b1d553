import assert from "node:assert/strict";
import { independentLoad } from "../../../scripts/bench/observations/simulated_runs.ts";
import { openSides } from "../../../src/results/collect/open_side.ts";
import { writeExportedRun } from "../../support/exported_run.ts";
import { withFolder } from "../../support/artifacts.ts";

const load = independentLoad(400, 8);
const SUMMARY = "profile_export_aiperf.json";
const START_NS = 1_795_000_000_000_000_000;

/** Gives a run a steady state in its second second. */
async function addSteadyState(folder: string): Promise<void> {
  const summary = JSON.parse(await Deno.readTextFile(`${folder}/${SUMMARY}`));
  summary["steady_state"] = {
    "start_ns": START_NS + 1e9,
    "end_ns": START_NS + 2e9,
    "seconds": 1,
    "metrics": {},
  };
  await Deno.writeTextFile(`${folder}/${SUMMARY}`, JSON.stringify(summary));
}

Deno.test("openSides takes the steady states of runs, and whole runs where one has none", () =>
  withFolder(async (folder) => {
    const [a, b, c] = ["a", "b", "c"].map((name) => `${folder}/${name}`) as [
      ...[string, string, string],
    ];
    for (const [index, run] of [a, b, c].entries()) {
      await writeExportedRun(run, load.run(index + 1, 1));
    }
    await addSteadyState(a);
    await addSteadyState(b);
    const sidesOf = async (other: string, window?: "run") => {
      const sides = await openSides([
        { label: "a", directories: [a] },
        { label: "other", directories: [other] },
      ], window);
      return sides.flatMap(({ runs }) => runs);
    };
    const both = await sidesOf(b);
    assert.deepEqual(both.map(({ window }) => window), ["steady", "steady"]);
    assert.deepEqual(both.map(({ sample }) => sample.durationSeconds), [1, 1]);
    assert.ok(both.every(({ sample }) => sample.startSeconds.length < 400));

    const mixed = await sidesOf(c);
    assert.deepEqual(mixed.map(({ window }) => window), ["run", "run"]);
    assert.deepEqual(mixed.map(({ sample }) => sample.startSeconds.length), [400, 400]);
    const whole = await sidesOf(b, "run");
    assert.deepEqual(whole.map(({ window }) => window), ["run", "run"]);
  }));
