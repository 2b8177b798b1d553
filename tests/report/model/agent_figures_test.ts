import assert from "node:assert/strict";
import type { SessionResults } from "../../../src/measurement/metrics/session_results.ts";
import type { SamplingErrors } from "../../../src/measurement/sampling/sampling_errors.ts";
import {
  agentFigures,
  undecidedMetrics,
  withAgents,
} from "../../../src/report/model/agent_figures.ts";
import { shownWindow } from "../../../src/report/model/shown_window.ts";
import { resultsOf, someRecords } from "../../support/reports.ts";

Deno.test("undecidedMetrics leaves durations open if the end cut off more than 20 % of sessions", () => {
  const undecided = (cutOff: number) =>
    undecidedMetrics({ cutOff, started: 100 } as unknown as SessionResults);
  assert.equal(undecided(20).size, 0);
  const found = undecided(21);
  assert.match(found.get("session_duration") ?? "", /cut off 21 % of the sessions/);
  assert.equal(found.get("session_ttfu"), undefined);
  assert.equal(undecidedMetrics(undefined).size, 0);
});

Deno.test("agentFigures names statistics by depth and by kind of agent", () => {
  const results = resultsOf(someRecords());
  const group = { rows: [], succeeded: 3, failed: 0, results };
  const figures = new Map(agentFigures(
    {
      depths: [{ ...group, depth: 1 }],
      kinds: [{ ...group, kind: "Explore" }],
    } as unknown as SessionResults,
  ));
  assert.equal(figures.size, 2 * results.size);
  const { stats, unit } = figures.get("agent.explore.request_latency") ?? {};
  assert.equal(unit, "ms");
  assert.equal(typeof stats?.["p99"], "number");
  assert.deepEqual(figures.get("depth1.request_latency")?.stats, stats);
});

Deno.test("intervals of agents are next to those of the run", () => {
  const interval = { lower: 1, upper: 2, verdict: "proven" as const };
  const errors: SamplingErrors = new Map([["request_latency", { avg: interval }]]);
  const all = withAgents(errors, new Map([["depth1", errors]]));
  assert.deepEqual([...all.keys()], ["request_latency", "depth1.request_latency"]);
});

Deno.test("shownWindow takes intervals of sessions from the run where a steady state is shown", () => {
  const interval = { lower: 1, upper: 2, verdict: "proven" as const };
  const other = { lower: 3, upper: 4, verdict: "proven" as const };
  const sampling: SamplingErrors = new Map([
    ["request_latency", { avg: interval }],
    ["session_duration", { avg: interval }],
    ["jobs_per_hour", { avg: interval }],
  ]);
  const steady = { results: new Map(), sampling: new Map([["request_latency", { avg: other }]]) };
  const { name, sampling: shown } = shownWindow(
    { results: new Map(), measurementError: undefined, sampling, steady } as unknown as Parameters<
      typeof shownWindow
    >[0],
  );
  assert.equal(name, "steady");
  assert.deepEqual(
    [...shown],
    [
      ["session_duration", { avg: interval }],
      ["jobs_per_hour", { avg: interval }],
      ["request_latency", { avg: other }],
    ],
  );
});
