import assert from "node:assert/strict";
import { randomStream } from "../../../src/core/statistics/random_stream.ts";
import { summarize } from "../../../src/core/statistics/summarize.ts";
import { CANARY_KIND } from "../../../src/measurement/canary/canary_kind.ts";
import { CanaryLog } from "../../../src/measurement/canary/canary_log.ts";
import { computeResults } from "../../../src/measurement/metrics/compute_results.ts";
import { delaysByKind } from "../../../src/measurement/own_error/delays_by_kind.ts";
import { measureError } from "../../../src/measurement/own_error/measure_error.ts";
import { recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

const MS = 1e6;
const STATISTICS = ["avg", "p50", "p90", "p95", "p99"] as const;

/** A run on one load worker. */
interface CrowdedRun {
  /** Requests in flight. */
  readonly streams: number;
  /** How many times as long as canaries and first chunks last ones lie unread. */
  readonly factor: number;
  /** Mean delay of canaries and first chunks. */
  readonly meanMs: number;
  /** Time between the chunks as the server writes them. */
  readonly gapMs: number;
}

/** A run whose replies of 500 ms begin with two chunks, and how its last chunks lay unread. */
function simulate({ streams, factor, meanMs, gapMs }: CrowdedRun) {
  const random = randomStream(5, "run");
  const table = recordTable();
  const canaries = new CanaryLog();
  const values = new Float64Array(table.metrics.length);
  const delayMs = () => -meanMs * Math.log(1 - random());
  const requests = 1500;
  const everyMs = 550 / streams;
  const truth = { latency: new Float64Array(requests), second: new Float64Array(requests) };
  for (let i = 0; i < requests; i++) {
    const startMs = i * everyMs;
    const firstMs = 50 + delayMs();
    // What has come by then is read with the first.
    const secondMs = firstMs >= 50 + gapMs ? firstMs : 50 + gapMs + delayMs();
    const trueMs = 550;
    const lastMs = Math.max(secondMs, trueMs + factor * delayMs());
    truth.latency[i] = trueMs;
    truth.second[i] = gapMs;
    const chunkNs = Float64Array.of(firstMs, secondMs, lastMs)
      .map((at) => Math.round((startMs + at) * MS));
    table.add(
      recordWith({
        ...{ startNs: startMs * MS, chunkNs, endNs: chunkNs[2] as number },
        ...{ worker: 0, outputTokens: 100 },
      }),
      values,
    );
  }
  const lengthMs = requests * everyMs + 500;
  for (let atMs = 0; atMs < lengthMs; atMs += 20) {
    canaries.add(
      0,
      Float64Array.of(CANARY_KIND.poisson, atMs * MS, atMs * MS, (atMs + delayMs()) * MS),
    );
  }
  const results = computeResults(table, 0n);
  const error = measureError({ table, delays: delaysByKind(canaries), results });
  assert.ok(error);
  return { error, truth, results };
}

function missed(run: CrowdedRun): number {
  const { error, truth } = simulate(run);
  const trueLatency = summarize(truth.latency);
  return STATISTICS.filter((name) => {
    const bounds = error.metrics.get("request_latency")?.[name];
    assert.ok(bounds);
    return trueLatency[name] < bounds.lower || trueLatency[name] > bounds.upper;
  }).length;
}

Deno.test("last chunks of crowded threads may be later than canaries", () => {
  const crowded = { streams: 200, factor: 2, meanMs: 10, gapMs: 5 };
  assert.equal(missed(crowded), 0);
  assert.equal(missed({ ...crowded, streams: 16, factor: 1, meanMs: 1 }), 0);
});

Deno.test("the median between chunks that are mostly read together may be as long as they waited", () => {
  const { error, results } = simulate({ streams: 16, factor: 1, meanMs: 10, gapMs: 3 });
  const second = results.get("time_to_second_token");
  assert.ok(second && "summary" in second && second.summary.p50 < 1);
  const bounds = error.metrics.get("time_to_second_token")?.p50;
  assert.ok(bounds && bounds.lower <= 3 && bounds.upper >= 3, JSON.stringify(bounds));
});
