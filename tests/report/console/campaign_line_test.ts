import assert from "node:assert/strict";
import { type LineGate, runLine } from "../../../src/report/console/campaign_line.ts";
import type { RunFigures } from "../../../src/report/sweep/run_figures.ts";

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
    ...{ evidence: undefined, verdict: undefined, gpus: undefined },
    shown: { window: "run", metrics: {}, sampling: {}, error: {} },
    ...fields,
  };
}

const GATE: LineGate = { name: "ttft.p95", found: "239 ms", met: true, conclusive: true };

Deno.test("runLine has the load, throughput, the objective's own statistic, and what limits the run", () => {
  const head = { number: "5/7", label: "concurrency=16", remark: undefined };
  assert.equal(
    runLine({ ...head, figures: figuresWith(), gates: [GATE] }),
    "5/7  concurrency=16  1,031 tokens/s  65.2 tokens/s/user  ttft.p95 239 ms met  decode-bound  valid",
  );
  const gates = [{ ...GATE, met: false }, { ...GATE, name: "itl.p99", conclusive: false }];
  assert.match(
    runLine({ ...head, figures: figuresWith(), gates }),
    /ttft\.p95 239 ms MISSED {2}itl\.p99 239 ms met, inconclusive/,
  );
  assert.match(runLine({ ...head, figures: figuresWith() }), /TTFT p99 256 ms {2}decode-bound/);
});

Deno.test("runLine has the statistics of the steady state", () => {
  const metrics = { "output_token_throughput": { "avg": 1200 } };
  const figures = figuresWith({ shown: { window: "steady", metrics, sampling: {}, error: {} } });
  const line = runLine({ number: "1/2", label: "concurrency=8", remark: undefined, figures });
  assert.match(line, /concurrency=8 {2}1,200 tokens\/s {2}65\.2 tokens\/s\/user/);
});

Deno.test("runLine names failures, early ends, and runs without results", () => {
  const head = { number: "1", label: "rate=5", remark: undefined };
  const failed = figuresWith({
    requests: { sent: 10, succeeded: 4, failed: 6 },
    ...{ endedEarly: "too many failed", diagnosis: undefined, error: undefined },
  });
  assert.match(runLine({ ...head, figures: failed }), / {2}6 of 10 failed {2}ended early$/);
  assert.equal(runLine({ ...head, figures: undefined }), "1  rate=5  no results");
  assert.equal(
    runLine({ ...head, figures: undefined, remark: "finished before" }),
    "1  rate=5  finished before",
  );
});
