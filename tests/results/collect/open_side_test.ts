import assert from "node:assert/strict";
import { openStoredRun } from "../../../src/results/collect/open_stored_run.ts";
import { sideNotes, type StoredSide } from "../../../src/results/collect/open_side.ts";
import type { StoredRun } from "../../../src/results/collect/stored_run.ts";
import { withFolder } from "../../support/artifacts.ts";

/** A side of runs with these settings; what notes do not look at is not there. */
function sideOf(label: string, settings: readonly Record<string, unknown>[]): StoredSide {
  const runs = settings.map((some, at) => ({
    ...{ directory: `${label}${at}`, settings: some, tags: [], servers: [] },
    ...{ product: "inferometer/0.1.0", machine: "here", damage: [], partial: undefined },
    judged: {},
  } as unknown as StoredRun));
  return { label, runs, samples: [], tags: [] };
}

const plan = (concurrency: number, seed: number) => ({
  random_seed: seed,
  phases: { profiling: { concurrency } },
});

Deno.test("sideNotes tell that the runs of one side are not of one plan, besides their seeds", () => {
  const same = sideOf("old", [plan(4, 1), plan(4, 2)]);
  assert.deepEqual(sideNotes(same, sideOf("new", [plan(4, 1), plan(4, 3)])), []);
  assert.deepEqual(
    sideNotes(same, sideOf("new", [plan(4, 1), plan(8, 2), plan(8, 3)])),
    ["the plans of the runs of new are not the same: load: concurrency: 4 and 8"],
  );
});

Deno.test("sideNotes names the runs of which the client may have shifted the figures", () => {
  const judged = (label: string, ...verdicts: readonly (string | undefined)[]): StoredSide => {
    const side = sideOf(label, verdicts.map((_, seed) => plan(4, seed)));
    return { ...side, runs: side.runs.map((run, at) => ({ ...run, verdict: verdicts[at] })) };
  };
  assert.deepEqual(sideNotes(judged("old", "valid", "invalid"), judged("new", "suspect")), [
    "the client error may have changed these values: old1 is invalid; new0 is suspect",
  ]);
  assert.deepEqual(sideNotes(judged("old", "valid"), judged("new", undefined)), []);
});

Deno.test("sideNotes has one note for the runs of a side that are not comparable with others", () => {
  const judged = (label: string, ...reasons: readonly (string | undefined)[]): StoredSide => {
    const side = sideOf(label, reasons.map((_, seed) => plan(4, seed)));
    return { ...side, runs: side.runs.map((run, at) => ({ ...run, incomparable: reasons[at] })) };
  };
  const reason = "3 of 9 replies are not as long as recorded";
  assert.deepEqual(sideNotes(judged("old", reason), judged("new", undefined, reason)), [
    `old is not comparable: ${reason}`,
    `new is not comparable: new1: ${reason}`,
  ]);
});

Deno.test("openStoredRun knows from a summary why a run is partial, and what it is worth", () =>
  withFolder(async (folder) => {
    const opened = async (summary: Record<string, unknown>) => {
      await Deno.writeTextFile(
        `${folder}/profile_export_aiperf.json`,
        JSON.stringify({ "request_count": { "unit": "requests", "avg": 1 }, ...summary }),
      );
      await Deno.writeTextFile(`${folder}/profile_export.jsonl`, "");
      const { partial, verdict } = await openStoredRun(folder);
      return [partial, verdict];
    };
    assert.deepEqual(await opened({ "was_cancelled": false }), [undefined, undefined]);
    assert.deepEqual(
      await opened({
        ...{ "was_cancelled": true, "ended_early": "the server stayed away" },
        "measurement_error": { "verdict": "suspect", "metrics": {}, "reasons": [] },
      }),
      ["it ended early: the server stayed away", "suspect"],
    );
    assert.deepEqual(await opened({ "was_cancelled": true }), ["it was interrupted", undefined]);
  }));
