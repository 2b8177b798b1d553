import type { BenchCase, BenchContext } from "../bench_case.ts";
import { type LoadRun, runLoad } from "../load_run.ts";
import { AIPERF } from "../peers.ts";
import { machineOf, playRounds, valuesOf } from "../rounds.ts";
import { OURS } from "../product.ts";
import { atMost } from "../target.ts";

const ORDER = { concurrency: 100, requests: 12_000, tokens: 100, serverMetrics: true };
/** The longer run, to see what each further request adds. */
const LONG_ORDER = { ...ORDER, requests: 48_000 };
const NO_DELAY = { ttftMs: 0, itlMs: 0 };

/** How much memory a run takes, and whether it grows with the number of requests. */
export const memory: BenchCase = {
  name: "memory",
  description: "peak memory of 12,000 requests of 100 chunks, and growth up to 48,000",
  async run(context) {
    const runs = await playRounds(
      context,
      "memory",
      [context.product, ...context.peers].map((client) => ({
        name: client.name,
        ...(client.name === AIPERF ? { maxRounds: 1 } : {}),
        measure: () => runLoad(context, client, ORDER, NO_DELAY),
      })),
    );
    const longRuns = await measureLong(context);
    const peaks = runs.get(OURS) ?? [];
    return [{
      label: "peak memory, 12,000 requests",
      unit: "MB",
      decimals: 0,
      values: valuesOf(runs, ({ cost }) => cost.peakBytes / 1e6),
      targets: [atMost(250)],
      machine: machineOf(runs),
    }, {
      label: "memory of each further request",
      unit: "kB",
      values: new Map([[
        OURS,
        longRuns.map(({ cost }, round) =>
          (cost.peakBytes - (peaks[round] as LoadRun).cost.peakBytes) / 1e3 /
          (LONG_ORDER.requests - ORDER.requests)
        ),
      ]]),
      targets: [atMost(2)],
      machine: longRuns.map(({ machine }) => machine),
    }];
  },
};

async function measureLong(context: BenchContext): Promise<readonly LoadRun[]> {
  const runs = await playRounds(context, "memory, long run", [{
    name: OURS,
    measure: () => runLoad(context, context.product, LONG_ORDER, NO_DELAY),
  }]);
  return runs.get(OURS) ?? [];
}
