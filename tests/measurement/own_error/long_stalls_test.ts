import assert from "node:assert/strict";
import { summarize } from "../../../src/core/statistics/summarize.ts";
import { CANARY_KIND } from "../../../src/measurement/canary/canary_kind.ts";
import { CanaryLog } from "../../../src/measurement/canary/canary_log.ts";
import { computeResults } from "../../../src/measurement/metrics/compute_results.ts";
import { delaysByKind } from "../../../src/measurement/own_error/delays_by_kind.ts";
import { measureError } from "../../../src/measurement/own_error/measure_error.ts";
import { recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

const MS = 1e6;
const BURSTS = 20;
const STREAMS = 16;
const BURST_MS = 550;
const TTFT_MS = 50;
const LATENCY_MS = 500;
const QUICK_MS = 0.2;

/**
 * Requests in step, of a process that stood still for a while: what was written meanwhile was read
 * when it went on, and no canary was written.
 */
function simulate(stopMs: number, goOnMs: number) {
  const readMs = (writtenMs: number): number =>
    (writtenMs >= stopMs && writtenMs < goOnMs ? goOnMs : writtenMs) + QUICK_MS;
  const table = recordTable();
  const canaries = new CanaryLog();
  const values = new Float64Array(table.metrics.length);
  for (let burst = 0; burst < BURSTS; burst++) {
    for (let stream = 0; stream < STREAMS; stream++) {
      // A little apart, as no two are quite the same.
      const startMs = burst * BURST_MS + stream * 0.01;
      const chunkNs = Float64Array.of(TTFT_MS, TTFT_MS + 5, LATENCY_MS)
        .map((at) => readMs(startMs + at) * MS);
      table.add(
        recordWith({
          ...{ startNs: startMs * MS, chunkNs, endNs: chunkNs[2] as number },
          ...{ worker: 0, outputTokens: 100 },
        }),
        values,
      );
    }
  }
  for (let intendedMs = 3; intendedMs < BURSTS * BURST_MS; intendedMs += 20) {
    const kind = [CANARY_KIND.poisson, CANARY_KIND.first, CANARY_KIND.last][
      Math.floor(intendedMs / 20) % 3
    ] as number;
    const isStopped = intendedMs >= stopMs && intendedMs < goOnMs;
    const writtenMs = isStopped ? goOnMs + 0.1 : intendedMs;
    const row = [intendedMs, writtenMs, readMs(writtenMs)].map((ms) => ms * MS);
    canaries.add(0, Float64Array.of(kind, ...row));
  }
  // The timer that tells of it was due a little later.
  canaries.add(
    0,
    Float64Array.of(CANARY_KIND.stall, (stopMs + 10) * MS, NaN, (goOnMs + 0.1) * MS),
  );
  const results = computeResults(table, 0n);
  return measureError({ table, delays: delaysByKind(canaries), results })?.metrics;
}

/** True statistics of requests that are all alike. */
const trueOf = (ms: number) => summarize(new Float64Array(BURSTS * STREAMS).fill(ms));
const STATISTICS = ["avg", "p50", "p90", "p95", "p99"] as const;

Deno.test("a stall between two bursts of first chunks leaves the median's bounds close", () => {
  const ttft = simulate(2000, 2200)?.get("time_to_first_token");
  for (const name of STATISTICS) {
    const bounds = ttft?.[name];
    assert.ok(bounds, name);
    assert.ok(bounds.lower <= TTFT_MS, `${name}: ${JSON.stringify(bounds)}`);
    assert.ok(bounds.upper >= TTFT_MS, `${name}: ${JSON.stringify(bounds)}`);
  }
  assert.ok((ttft?.p50?.lower ?? 0) > TTFT_MS - 1, JSON.stringify(ttft?.p50));
  assert.equal(ttft?.p50?.verdict, "valid");
});

for (const [what, stopMs] of [["first", 1645], ["last", 2100]] as const) {
  Deno.test(`bounds hold of a stall in which the ${what} chunks of a burst were written`, () => {
    const metrics = simulate(stopMs, stopMs + 300);
    for (
      const [tag, ms] of [
        ["time_to_first_token", TTFT_MS],
        ["request_latency", LATENCY_MS],
        ["decode_duration", LATENCY_MS - TTFT_MS],
      ] as const
    ) {
      const truth = trueOf(ms);
      for (const name of STATISTICS) {
        const bounds = metrics?.get(tag)?.[name];
        assert.ok(bounds, `${tag} ${name}`);
        const text = `${tag} ${name}: ${JSON.stringify(bounds)}`;
        assert.ok(bounds.lower <= truth[name] && truth[name] <= bounds.upper, text);
      }
    }
    // One of 20 bursts was late by up to 300 ms, and the bound is at most four times as far off.
    const tag = what === "first" ? "time_to_first_token" : "request_latency";
    const { lower, upper } = metrics?.get(tag)?.avg ?? {};
    assert.ok((upper as number) - (lower as number) < 4 * 300 / BURSTS, `${lower} to ${upper}`);
  });
}

Deno.test("a rate's bound allows for a stall before the last response", () => {
  const lastMs = (BURSTS - 1) * BURST_MS + LATENCY_MS;
  const bounds = simulate(lastMs - 50, lastMs + 50)?.get("request_throughput")?.avg;
  assert.ok(bounds);
  // It was read 50 ms after it was written.
  assert.ok(bounds.upper / bounds.lower >= (lastMs + 50) / lastMs, JSON.stringify(bounds));
  // Four times the canaries' 100 ms, and 2.5 ms.
  assert.ok(bounds.upper / bounds.lower < (lastMs + 50) / (lastMs - 353));
});
