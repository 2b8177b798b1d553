/** Cost of confidence intervals next to the summary of a run of a million requests. */

import { computeResults } from "../../../src/measurement/metrics/compute_results.ts";
import { windowSampling } from "../../../src/measurement/sampling/window_sampling.ts";
import { finishedRun, type MadeRequest } from "../../../tests/support/run_views.ts";
import type { BenchCase } from "../bench_case.ts";
import type { BenchRow } from "../bench_row.ts";
import { OURS } from "../product.ts";
import { atMost, type Target } from "../target.ts";

const REQUESTS = 1_000_000;
const IN_FLIGHT = 16;
const CHUNKS = 4;
const WAVE_NS = 60e6;
const GAP_NS = 8e6;

/** See the module's comment. */
export const summaryCosts: BenchCase = {
  name: "summary",
  description: "confidence intervals of 1,000,000 requests: time as a share of the whole summary",
  async run(context) {
    const seconds: number[] = [];
    const shares: number[] = [];
    for (let round = 0; round < context.rounds; round++) {
      context.progress(`summary: round ${round + 1}`);
      const { records: { profiling: table }, phases: [phase] } = await finishedRun(requests());
      const { startNs = 0, endNs = 0 } = phase ?? {};
      const startMs = performance.now();
      const results = computeResults(table, 0n);
      const resultsMs = performance.now() - startMs;
      windowSampling({ table, results, startNs, endNs });
      const wholeMs = performance.now() - startMs;
      seconds.push(wholeMs / 1e3);
      shares.push((wholeMs - resultsMs) / resultsMs * 100);
    }
    const row = (label: string, unit: string, values: number[], targets: Target[]): BenchRow => ({
      ...{ label, unit, values: new Map([[OURS, values]]), targets, machine: [] },
    });
    return [
      row("summary with intervals", "s", seconds, []),
      row("time added by intervals", "%", shares, [atMost(20)]),
    ];
  },
};

/** Replies of a closed loop, with times that repeat only after a thousand requests. */
function* requests(): Generator<MadeRequest> {
  for (let index = 0; index < REQUESTS; index++) {
    const startNs = 1e9 + Math.floor(index / IN_FLIGHT) * WAVE_NS + index % IN_FLIGHT * 1e5;
    const ttftNs = Math.round(20e6 + 10e6 * ((index * 7919) % 1000) / 1000);
    const chunkNs = Float64Array.from({ length: CHUNKS }, (_, i) => startNs + ttftNs + i * GAP_NS);
    const endNs = startNs + ttftNs + CHUNKS * GAP_NS;
    yield { index, startNs, chunkNs, endNs, outputTokens: CHUNKS, inputTokens: 100 + index % 900 };
  }
}
