import assert from "node:assert/strict";
import { parseSlos } from "../../../src/config/gate/slo.ts";
import type { LineGate } from "../../../src/report/console/campaign_cells.ts";
import { campaignTable, type RunSize } from "../../../src/report/console/campaign_table.ts";
import type { RunFigures } from "../../../src/report/sweep/run_figures.ts";
import type { SweepManifest } from "../../../src/report/sweep/sweep_manifest.ts";
import { type SweepPoint, sweepPoints } from "../../../src/report/sweep/sweep_points.ts";

function figuresWith(fields: Partial<RunFigures> = {}): RunFigures {
  const metric = (unit: string, stats: Readonly<Record<string, number>>) => ({ unit, stats });
  const metrics = new Map([
    ["output_token_throughput", metric("tokens/sec", { "avg": 1031.4 })],
    ["request_throughput", metric("requests/sec", { "avg": 16.1 })],
    ["interactivity", metric("tokens/sec/user", { "avg": 65.24 })],
    ["time_to_first_token", metric("ms", { "p99": 256.3 })],
  ]);
  return {
    metrics,
    requests: { sent: 100, succeeded: 100, failed: 0 },
    ...{ isAllRefused: false, wasCancelled: false, endedEarly: undefined, endReason: undefined },
    error: { verdict: "valid", metrics: {}, reasons: [] },
    ...{ model: "m", endpointType: "chat", load: undefined },
    diagnosis: { "code": "decode-bound" },
    ...{ evidence: undefined, verdict: undefined, gpus: undefined, sessions: undefined },
    shown: { window: "run", metrics: {}, sampling: {}, error: {} },
    ...fields,
  };
}

const GATE: LineGate = { name: "ttft.p99", found: "239 ms", met: true, conclusive: true };
const SIZE = { requestCount: Infinity, durationNs: 15e9 };
const POINTS = sweepPoints(
  [{ option: "concurrency", name: "concurrency", values: [1, 16, 128] }],
  "grid",
);
const [FIRST, SECOND] = POINTS as [SweepPoint, SweepPoint, ...SweepPoint[]];

function tableOf(slos: readonly string[], fields: object = {}, width = 80, size: RunSize = SIZE) {
  const manifest = {
    ...{ shape: { kind: "sweep", trials: 1, mode: "repeated" }, points: POINTS, ...fields },
  } as unknown as SweepManifest;
  return campaignTable(manifest, { slos: parseSlos(slos), size, width });
}

const RUN = { number: "2/3", point: SECOND, trial: 0, remark: undefined };

Deno.test("a sweep's lines have load, throughput, the objective's statistic and the limit, aligned", () => {
  const { head, line } = tableOf(["ttft.p99<500ms"]);
  assert.deepEqual(head, [
    "sweep of concurrency, 3 points of 15 s",
    "objective: ttft.p99 < 500 ms (?: inconclusive)",
    "       load       tok/s  per user      ttft.p99            limit",
  ]);
  assert.equal(
    line({ ...RUN, figures: figuresWith(), gates: [GATE] }),
    "2/3      16       1,031      65.2        239 ms  met       decode-bound",
  );
  const queued = figuresWith({
    diagnosis: { "code": "saturated-slots" },
    evidence: { queueMs: 2306 },
  });
  assert.equal(
    line({ ...RUN, figures: queued, gates: [{ ...GATE, met: false, conclusive: false }] }),
    "2/3      16       1,031      65.2        239 ms  MISSED ?  saturated (batch slots), queue 2.3 s",
  );
});

Deno.test("of several objectives the line has the one that decides, by name", () => {
  const { head, line } = tableOf(["ttft.p99<500ms", "error_rate<1%"], {}, 120);
  assert.match(head[0] as string, / {2}objectives: ttft\.p99 < 500 ms, error_rate < 1 % /);
  const missed = { name: "error_rate", found: "3 %", met: false, conclusive: true };
  assert.match(
    line({ ...RUN, figures: figuresWith(), gates: [{ ...GATE, conclusive: false }, missed] }),
    / error_rate 3 % {2}MISSED /,
  );
  assert.match(
    line({
      ...RUN,
      figures: figuresWith(),
      gates: [{ ...GATE, name: "itl.p99" }, {
        ...GATE,
        conclusive: false,
      }],
    }),
    / ttft\.p99 239 ms {2}met \? /,
  );
});

Deno.test("without an objective a line has a latency, and statistics of the steady state", () => {
  const metrics = { "output_token_throughput": { "avg": 1200 } };
  const figures = figuresWith({ shown: { window: "steady", metrics, sampling: {}, error: {} } });
  const { head, line } = tableOf([]);
  assert.equal(head.length, 2);
  assert.match(line({ ...RUN, figures }), / 1,200 +65\.2 +TTFT p99 256 ms {2}decode-bound$/);
  const untold = figuresWith({
    metrics: new Map([["request_throughput", {
      ...{ unit: "requests/sec", stats: { "avg": 16.1 } },
    }]]),
  });
  assert.match(line({ ...RUN, figures: untold }), / 16\.1 req\/s +- +- {2}decode-bound$/);
});

Deno.test("of sessions, lines have their duration, and the head their number", () => {
  const sessions = { started: 9, completed: 9, failed: 0, cutOff: 0 };
  const plain = figuresWith();
  const figures = {
    ...{ ...plain, sessions },
    metrics: new Map([
      ...plain.metrics,
      ["session_duration", { unit: "sec", stats: { "p95": 4.21 } }] as const,
    ]),
  };
  const size = { requestCount: Infinity, durationNs: Infinity, sessionCount: 9 };
  const { head, line } = tableOf([], {}, 80, size);
  assert.match(head[0] as string, /^sweep of concurrency, 3 points of 9 sessions$/);
  assert.match(line({ ...RUN, figures }), / session p95 4\.21 s {2}decode-bound$/);
  const swept = sweepPoints([{ option: "numSessions", name: "num_sessions", values: [9] }], "grid");
  assert.match(tableOf([], { points: swept }, 80, size).head[0] as string, /, 1 point$/);
});

Deno.test("a search's lines have the objective, the limit, and the bracket so far", () => {
  const search = { ...{ variable: "concurrency", slos: [], min: 1, max: 1000 }, maxRuns: 9 };
  const fields = { points: [], search, shape: { kind: "search", trials: 1, mode: "repeated" } };
  const { head, line } = tableOf(["ttft.p99<300ms"], fields);
  assert.deepEqual(head, [
    "search for the largest concurrency with ttft.p99 < 300 ms (?: inconclusive)",
    "      load      ttft.p99            limit",
  ]);
  const bracket = { low: 32, high: 48 };
  const run = { ...RUN, number: "8", gates: [{ ...GATE, met: false }], bracket };
  assert.equal(
    line({ ...run, figures: figuresWith() }),
    " 8      16        239 ms  MISSED    decode-bound  32 .. 48",
  );
  const longer = { ...run, point: { ...SECOND, isLonger: true as const } };
  assert.match(
    line({ ...longer, figures: figuresWith() }),
    /decode-bound, again, longer {2}32 \.\./,
  );
  assert.match(tableOf(["ttft.p99<300ms"], fields, 120).head[1] as string, / load +tok\/s /);
});

Deno.test("lines name failures, early ends, a client error, and runs without results", () => {
  const { line } = tableOf([]);
  const failed = figuresWith({
    requests: { sent: 10, succeeded: 4, failed: 6 },
    error: { verdict: "suspect", metrics: {}, reasons: [] },
    ...{ endedEarly: "too many failed", diagnosis: undefined },
  });
  assert.match(
    line({ ...RUN, figures: failed, remark: "kept" }),
    / {2}6 of 10 failed, ended early, client suspect, kept$/,
  );
  const none = { ...RUN, number: "1/3", point: FIRST, figures: undefined };
  assert.equal(line(none), "1/3       1  no results");
  assert.equal(line({ ...none, remark: "finished before" }), "1/3       1  finished before");
});

Deno.test("loads of several parameters keep their names, repeated runs their number", () => {
  const points = sweepPoints([
    { option: "concurrency", name: "concurrency", values: [1, 3] },
    { option: "osl", name: "osl", values: [2] },
  ], "grid");
  const grid = tableOf([], { points });
  assert.match(grid.head[0] as string, /^sweep of concurrency, osl, 2 points of 15 s$/);
  const point = points[1] as SweepPoint;
  assert.match(
    grid.line({ ...RUN, number: "2/2", point, figures: figuresWith() }),
    /^2\/2 {2}concurrency=3, osl=2 /,
  );
  const shape = { kind: "runs", trials: 3, mode: "repeated" };
  const runs = tableOf([], { points: sweepPoints([], "grid"), shape });
  assert.equal(runs.head[0], "3 runs of 15 s");
  const only = sweepPoints([], "grid")[0] as SweepPoint;
  assert.match(
    runs.line({ ...RUN, point: only, trial: 1, figures: figuresWith() }),
    /^2\/3 {2}run 2 /,
  );
});
