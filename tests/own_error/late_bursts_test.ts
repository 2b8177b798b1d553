import assert from "node:assert/strict";
import { CANARY_KIND } from "../../src/canary/canary_kind.ts";
import { CanaryLog } from "../../src/canary/canary_log.ts";
import { computeResults } from "../../src/metrics/compute_results.ts";
import { delaysByKind } from "../../src/own_error/delays_by_kind.ts";
import { measureError } from "../../src/own_error/measure_error.ts";
import { recordTable } from "../support/record_tables.ts";
import { recordWith } from "../support/records.ts";

const MS = 1e6;
const BURSTS = 6;
const STREAMS = 16;
const TTFT_MS = 50;
const GAP_MS = 5;
const QUICK_MS = 0.2;
const LATE_MS = 1.8;

/** Requests in step, whose first chunks come together; those of one burst are late. */
function simulate(lateBurst: number) {
  const table = recordTable();
  const canaries = new CanaryLog();
  const values = new Float64Array(table.metrics.length);
  for (let burst = 0; burst < BURSTS; burst++) {
    for (let stream = 0; stream < STREAMS; stream++) {
      const startMs = burst * 550;
      const firstMs = TTFT_MS + (burst === lateBurst ? LATE_MS : QUICK_MS);
      const chunkNs = Float64Array.of(firstMs, TTFT_MS + GAP_MS + QUICK_MS, 500 + QUICK_MS)
        .map((at) => (startMs + at) * MS);
      table.add(
        recordWith({
          ...{ startNs: startMs * MS, chunkNs, endNs: chunkNs[2] as number },
          ...{ worker: 0, outputTokens: 100, firstWaitNs: 3 * MS, secondWaitNs: 3 * MS },
        }),
        values,
      );
    }
  }
  // Two of a hundred are as late as that, but none of that burst.
  for (let at = 0; at < 160; at++) {
    const delayMs = at % 60 === 30 ? LATE_MS : QUICK_MS;
    const kind = [CANARY_KIND.poisson, CANARY_KIND.first, CANARY_KIND.second][at % 3] as number;
    const writtenNs = (at * 20 + 3) * MS;
    canaries.add(0, Float64Array.of(kind, writtenNs, writtenNs, writtenNs + delayMs * MS));
  }
  const results = computeResults(table, 0n);
  return measureError({ table, delays: delaysByKind(canaries), results })?.metrics;
}

Deno.test("bounds hold where all chunks of a burst are late once, and no canary of that time", () => {
  for (let late = 0; late < BURSTS; late++) {
    const metrics = simulate(late);
    for (
      const [tag, truth] of [
        ["time_to_first_token", TTFT_MS],
        ["time_to_second_token", GAP_MS],
      ] as const
    ) {
      for (const name of ["avg", "p50", "p90", "p95", "p99"] as const) {
        const bounds = metrics?.get(tag)?.[name];
        assert.ok(bounds, `${tag} ${name}`);
        const holds = bounds.lower <= truth && truth <= bounds.upper;
        assert.ok(holds, `${tag} ${name} of ${late}: ${JSON.stringify(bounds)}`);
        assert.ok(bounds.upper - bounds.lower < 4 * LATE_MS, "and are bounds");
      }
    }
  }
});
