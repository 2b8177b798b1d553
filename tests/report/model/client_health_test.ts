import assert from "node:assert/strict";
import { summarize } from "../../../src/core/statistics/summarize.ts";
import { clientHealth, type ClientMeasurements } from "../../../src/report/model/client_health.ts";

/** A client that had nothing to do: latencies of 50 and 5 ms, lags of microseconds. */
function measured(fields: Partial<ClientMeasurements> = {}): ClientMeasurements {
  return {
    loopLagMs: [summarize(Float64Array.of(0.05, 0.1)), summarize(Float64Array.of(0.05, 0.1))],
    sendSlipMs: summarize(Float64Array.of(0.01, 0.02, 0.03)),
    queueWaitMs: undefined,
    contentChunks: 1000,
    coalescedChunks: 10,
    cpuCores: 0.5,
    cores: 4,
    stalls: [],
    descriptorFailures: 0,
    isErrorMeasured: false,
    ttftP50Ms: 50,
    itlP50Ms: 5,
    ...fields,
  };
}

Deno.test("clientHealth names a process that stood still, and files that could not be opened", () => {
  const stalls = [{ startSeconds: 1, seconds: 5.04 }, { startSeconds: 20, seconds: 0.5 }];
  const health = clientHealth(measured({ stalls, descriptorFailures: 12 }));
  assert.equal(health.ok, false);
  assert.deepEqual(health.stalls, stalls);
  assert.deepEqual(health.problems, [
    "the process stalled for 5.5 s",
    "12 requests failed for lack of file descriptors; raise ulimit -n",
  ]);
  assert.deepEqual(health.advice, ["rerun on a machine that is not suspended or paused"]);
});

Deno.test("clientHealth finds nothing wrong with a client that kept up", () => {
  const health = clientHealth(measured());
  assert.equal(health.ok, true);
  assert.deepEqual(health.problems, []);
  assert.deepEqual(health.advice, []);
  assert.equal(health.loopLagMs.length, 2);
  assert.equal(health.sendSlipMs.p50, 0.02);
  assert.equal(health.coalescedShare, 0.01);
  assert.equal(health.queueWaitMs, undefined);
});

/** Measurements just on this side of each limit, just beyond it, and what is said then. */
const LIMITS: readonly [
  string,
  Partial<ClientMeasurements>,
  Partial<ClientMeasurements>,
  readonly string[],
][] = [
  [
    "loop lag beyond 5 % of the median ITL",
    { loopLagMs: [summarize(Float64Array.of(0.25))] },
    { loopLagMs: [summarize(Float64Array.of(0.01)), summarize(Float64Array.of(0.26))] },
    ["loop lag p99 0.26 ms is 5.2 % of the median ITL (5.00 ms)"],
  ],
  [
    "loop lag beyond 5 % of the median TTFT",
    { loopLagMs: [summarize(Float64Array.of(2.5))], itlP50Ms: NaN },
    { loopLagMs: [summarize(Float64Array.of(12))], itlP50Ms: NaN },
    ["loop lag p99 12 ms is 24 % of the median TTFT (50 ms)"],
  ],
  [
    "loop lag beyond both",
    {},
    { loopLagMs: [summarize(Float64Array.of(3))] },
    [
      "loop lag p99 3.00 ms is 6.0 % of the median TTFT (50 ms)",
      "loop lag p99 3.00 ms is 60 % of the median ITL (5.00 ms)",
    ],
  ],
  [
    "send slip above 10 ms",
    { sendSlipMs: summarize(Float64Array.of(10)) },
    { sendSlipMs: summarize(Float64Array.of(10.5)) },
    ["send slip p99 11 ms exceeds 10 ms"],
  ],
  [
    "nine tenths of all cores",
    { cpuCores: 3.6 },
    { cpuCores: 3.61 },
    ["the client used 3.61 of 4 cores"],
  ],
];

for (const [name, within, beyond, problems] of LIMITS) {
  Deno.test(`clientHealth warns of ${name}`, () => {
    assert.deepEqual(clientHealth(measured(within)).problems, []);
    const health = clientHealth(measured(beyond));
    assert.deepEqual(health.problems, problems);
    assert.equal(health.advice.length, 1, "one cause, one piece of advice");
    assert.equal(health.ok, false);
  });
}

Deno.test("clientHealth judges lag and slip by their 99th percentile, not by one outlier", () => {
  const values = new Float64Array(1000).fill(0.01);
  values[0] = 500;
  assert.equal(
    clientHealth(measured({ loopLagMs: [summarize(values)], sendSlipMs: summarize(values) })).ok,
    true,
  );
  values.fill(500, 0, 20);
  assert.equal(
    clientHealth(measured({ loopLagMs: [summarize(values)], sendSlipMs: summarize(values) })).ok,
    false,
  );
});

Deno.test("clientHealth does not compare with medians that say nothing", () => {
  const lag = { loopLagMs: [summarize(Float64Array.of(100))] };
  for (const median of [0, NaN]) {
    const health = clientHealth(measured({ ...lag, ttftP50Ms: median, itlP50Ms: median }));
    assert.deepEqual(health.problems, []);
  }
});

Deno.test("clientHealth of a run without samples has none, and no problem", () => {
  const health = clientHealth(measured({
    loopLagMs: [summarize(new Float64Array(0))],
    sendSlipMs: undefined,
    queueWaitMs: undefined,
    contentChunks: 0,
    coalescedChunks: 0,
  }));
  assert.equal(health.ok, true);
  assert.equal(health.loopLagMs[0]?.count, 0);
  assert.equal(health.sendSlipMs.count, 0);
  assert.equal(health.queueWaitMs, undefined, "nothing waited");
  assert.equal(health.coalescedShare, 0);
});

Deno.test("clientHealth tells how long arrivals waited", () => {
  const health = clientHealth(measured({ queueWaitMs: summarize(Float64Array.of(1, 3)) }));
  assert.deepEqual([health.queueWaitMs?.count, health.queueWaitMs?.avg], [2, 2]);
  assert.equal(health.ok, true, "waiting for a slot is the load, not the client");
});

Deno.test("clientHealth does not judge by the loop's lag where the client's error is measured", () => {
  const loopLagMs = [summarize(Float64Array.of(30))];
  assert.equal(clientHealth(measured({ loopLagMs })).ok, false);
  assert.equal(clientHealth(measured({ loopLagMs, isErrorMeasured: true })).ok, true);
});
