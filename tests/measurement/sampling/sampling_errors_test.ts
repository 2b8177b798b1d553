import assert from "node:assert/strict";
import { type RandomStream, randomStream } from "../../../src/core/statistics/random_stream.ts";
import { UNBOUNDED } from "../../../src/core/statistics/unbounded.ts";
import { computeResults } from "../../../src/measurement/metrics/compute_results.ts";
import type { MetricTag } from "../../../src/measurement/metrics/metric_tag.ts";
import { samplingErrors } from "../../../src/measurement/sampling/sampling_errors.ts";
import { rankHalfWidth } from "../../../src/measurement/sampling/sampling_interval.ts";
import { TimeBlocks } from "../../../src/measurement/sampling/time_blocks.ts";
import { distributionOf } from "../../../src/measurement/metrics/metric_results.ts";
import { recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

const MS = 1e6;
const STATISTICS = ["avg", "p50", "p90", "p95", "p99"] as const;
const RUNS = 120;

interface Request {
  readonly startMs: number;
  readonly ttftMs: number;
  /** Time from the first token to the last one. @default 100 */
  readonly decodeMs?: number;
}

/** A run's requests. */
type Simulation = (random: RandomStream) => Request[];

function normal(random: RandomStream): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Sampling errors of requests of five tokens. */
function errorsOf(requests: readonly Request[], endMs?: number) {
  const table = recordTable();
  const values = new Float64Array(table.metrics.length);
  let lastNs = 0;
  for (const { startMs, ttftMs, decodeMs = 100 } of requests) {
    const startNs = Math.round(startMs * MS);
    const chunkNs = Float64Array.of(ttftMs, ttftMs + decodeMs).map((ms) =>
      startNs + Math.round(ms * MS)
    );
    const endNs = chunkNs[1] as number;
    table.add(recordWith({ startNs, chunkNs, endNs }), values);
    lastNs = Math.max(lastNs, endNs);
  }
  const results = computeResults(table, 0n);
  const window = { startNs: 0, endNs: endMs === undefined ? lastNs : endMs * MS };
  const errors = samplingErrors({ table, results, ...window }, (blocks) => {
    const counts = new Float64Array(blocks.count);
    for (const end of table.contentEndNs.values) {
      const block = blocks.indexOf(end);
      if (block >= 0) counts[block] = (counts[block] as number) + 1;
    }
    return {
      counts: new Map<MetricTag, Float64Array>([["request_throughput", counts]]),
      seconds: (window.endNs - window.startNs) / 1e9 / blocks.count,
    };
  });
  return { errors, results };
}

/** Share of runs whose intervals contain what an endless run would have, by statistic. */
function coverageOf(simulate: Simulation): Record<string, number> {
  const values = Float64Array.from(
    Array.from({ length: 300 }, (_, run) => simulate(randomStream(run, "truth"))).flat(),
    ({ ttftMs }) => ttftMs,
  ).sort();
  const at = (share: number): number => values[Math.floor(share * values.length)] as number;
  const avg = values.reduce((sum, value) => sum + value, 0) / values.length;
  const truth = Object.entries({ avg, p50: at(0.5), p90: at(0.9), p95: at(0.95) });
  const held: Record<string, number> = {};
  for (let run = 0; run < RUNS; run++) {
    const { errors } = errorsOf(simulate(randomStream(run, "sampling")));
    for (const [name, value] of truth) {
      const interval = errors.get("time_to_first_token")?.[name as "avg"];
      assert.ok(interval);
      const holds = interval.lower <= value && value <= interval.upper;
      held[name] = (held[name] ?? 0) + (holds ? 1 / RUNS : 0);
    }
  }
  return held;
}

Deno.test("samplingErrors cover the true value where requests are independent", () => {
  const found = coverageOf((random) =>
    Array.from({ length: 600 }, (_, i) => ({
      startMs: i * 40,
      ttftMs: 50 * Math.exp(0.4 * normal(random)),
    }))
  );
  for (const [name, share] of Object.entries(found)) assert.ok(share >= 0.92, `${name}: ${share}`);
});

Deno.test("samplingErrors cover the true value where requests depend on their predecessors", () => {
  const found = coverageOf((random) => {
    let level = normal(random);
    return Array.from({ length: 1200 }, (_, i) => {
      level = 0.95 * level + Math.sqrt(1 - 0.95 ** 2) * normal(random);
      return { startMs: i * 20, ttftMs: 100 + 20 * level };
    });
  });
  for (const [name, share] of Object.entries(found)) assert.ok(share >= 0.88, `${name}: ${share}`);
});

Deno.test("samplingErrors cover the pooled rate of tokens", () => {
  let held = 0;
  for (let run = 0; run < RUNS; run++) {
    const random = randomStream(run, "pooled");
    const requests = Array.from({ length: 600 }, (_, i) => ({
      ...{ startMs: i * 40, ttftMs: 50 },
      decodeMs: 100 * Math.exp(0.5 * normal(random) - 0.125),
    }));
    const { errors, results } = errorsOf(requests);
    const pooled = results.get("interactivity");
    const interval = errors.get("interactivity")?.avg;
    assert.ok(pooled !== undefined && "value" in pooled && interval !== undefined);
    assert.ok(interval.lower < Number(pooled.value) && Number(pooled.value) < interval.upper);
    // Four tokens after the first in 100 ms on average.
    if (interval.lower <= 40 && 40 <= interval.upper) held++;
    assert.equal(interval.verdict, "proven");
  }
  assert.ok(held / RUNS >= 0.9, `${held} of ${RUNS}`);
});

Deno.test("samplingErrors of the same requests are the same", () => {
  const [one, same] = [1, 1].map((seed) => {
    const random = randomStream(seed, "same");
    return errorsOf(
      Array.from({ length: 300 }, (_, i) => ({ startMs: i * 10, ttftMs: 20 + 80 * random() })),
    ).errors;
  });
  assert.deepEqual(one, same);
});

Deno.test("samplingErrors contain the statistics, and prove none with few samples beyond", () => {
  const random = randomStream(3, "few");
  const { errors, results } = errorsOf(
    Array.from({ length: 500 }, (_, i) => ({
      startMs: i * 100,
      ttftMs: 100 + 2 * normal(random),
    })),
  );
  const ttft = results.get("time_to_first_token");
  assert.ok(ttft && "summary" in ttft);
  for (const name of STATISTICS) {
    const interval = errors.get("time_to_first_token")?.[name];
    assert.ok(interval);
    assert.ok(interval.lower <= ttft.summary[name] && ttft.summary[name] <= interval.upper, name);
    // 500 requests have 5 above p99.
    assert.equal(interval.verdict, name === "p99" ? "not_proven" : "proven", name);
  }
});

Deno.test("samplingErrors prove nothing of a wide statistic, or of a window of one latency", () => {
  const random = randomStream(4, "wide");
  const wide = Array.from({ length: 100 }, (_, i) => ({
    startMs: i * 100,
    ttftMs: 100 * Math.exp(normal(random)),
  }));
  assert.equal(errorsOf(wide).errors.get("time_to_first_token")?.avg?.verdict, "not_proven");
  const short = errorsOf(wide.map(({ ttftMs }) => ({ startMs: 0, ttftMs })), 150);
  const { lower, upper, verdict } = short.errors.get("time_to_first_token")?.avg ?? {};
  assert.deepEqual([lower, upper, verdict], [0, UNBOUNDED, "not_proven"]);
});

Deno.test("samplingErrors of equal values have no width", () => {
  const { errors } = errorsOf(
    Array.from({ length: 400 }, (_, i) => ({ startMs: i * 200, ttftMs: 50 })),
  );
  const { p50, p90 } = errors.get("time_to_first_token") ?? {};
  assert.deepEqual(p50, { lower: 50, upper: 50, verdict: "proven" });
  assert.deepEqual(p90, { lower: 50, upper: 50, verdict: "proven" });
});

Deno.test("samplingErrors of a rate cover it where requests arrive at random, and in lockstep", () => {
  const arrivals: Simulation = (random) => {
    let startMs = 0;
    return Array.from({ length: 800 }, () => {
      startMs -= 25 * Math.log(1 - random());
      return { startMs, ttftMs: 50 + 20 * random() };
    });
  };
  const lockstep: Simulation = (random) =>
    Array.from({ length: 800 }, (_, i) => ({
      startMs: Math.floor(i / 16) * 200,
      ttftMs: 50 + 49 * random(),
    }));
  for (
    const [name, simulate, rate, seconds] of [
      ["arrivals", arrivals, 40, 16],
      ["lockstep", lockstep, 80, 8],
    ] as const
  ) {
    let held = 0;
    for (let run = 0; run < RUNS; run++) {
      const { errors } = errorsOf(simulate(randomStream(run, name)), seconds * 1000);
      const { lower = NaN, upper = NaN } = errors.get("request_throughput")?.avg ?? {};
      if (lower <= rate && rate <= upper) held++;
    }
    assert.ok(held / RUNS >= 0.9, `${name}: ${held / RUNS}`);
  }
});

/** Bounds of percentiles by the definition: values above each, block by block. */
function boundsByDefinition(requests: readonly Request[], p: number) {
  const { results } = errorsOf(requests);
  const summary = distributionOf(results, "time_to_first_token");
  const latency = distributionOf(results, "request_latency");
  assert.ok(summary !== undefined && latency !== undefined);
  const ends = requests.map(({ startMs, ttftMs, decodeMs = 100 }) => startMs + ttftMs + decodeMs);
  const window = { startNs: 0, endNs: Math.max(...ends.map((ms) => Math.round(ms * MS))) };
  const blocks = new TimeBlocks(window, latency.avg * MS);
  const value = summary[`p${p}` as "p50"];
  const [above, counts] = [new Float64Array(blocks.count), new Float64Array(blocks.count)];
  for (const { startMs, ttftMs } of requests) {
    const block = blocks.indexOf(Math.round(startMs * MS));
    counts[block] = (counts[block] as number) + 1;
    if (ttftMs > value) above[block] = (above[block] as number) + 1;
  }
  const half = rankHalfWidth(above, counts, 1 - p / 100);
  const sorted = requests.map(({ ttftMs }) => ttftMs).sort((a, b) => a - b);
  const rank = (sorted.length - 1) * p / 100;
  return [sorted[Math.floor(rank - half)] ?? -1, sorted[Math.ceil(rank + half)] ?? UNBOUNDED];
}

Deno.test("samplingErrors of percentiles are those of the values above them in blocks of time", () => {
  const random = randomStream(7, "sampling");
  // Slow and fast times of the server, and many equal values, the median among them.
  const requests = Array.from({ length: 2000 }, (_, index): Request => ({
    startMs: index * 25,
    ttftMs: random() < 0.5
      ? 40
      : Math.floor(index / 100) % 2 === 0
      ? 20
      : 50 + Math.floor(40 * random()),
  }));
  const { errors } = errorsOf(requests);
  for (const p of [50, 90, 95, 99] as const) {
    const found = errors.get("time_to_first_token")?.[`p${p}`];
    const [lower = NaN, upper = NaN] = boundsByDefinition(requests, p);
    assert.deepEqual([found?.lower, found?.upper], [Math.max(0, lower), upper], `p${p}`);
  }
});
