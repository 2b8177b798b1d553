import type { BenchCase, BenchContext } from "../bench_case.ts";
import type { BenchRow } from "../bench_row.ts";
import { runLoad } from "../load_run.ts";
import { OURS, Product } from "../product.ts";
import { machineOf, playRounds, valuesOf } from "../rounds.ts";
import { atMost } from "../target.ts";

/** The concurrency is a limit that is never reached. */
const ORDER = { concurrency: 1000, requests: 10_000, tokens: 10, serverMetrics: false };
const TIMING = { ttftMs: 20, itlMs: 2 };

/** How late requests go out that an arrival process asks for. */
export const arrivals: BenchCase = {
  name: "arrivals",
  description: "send slip of 10,000 Poisson arrivals at 1,000/s and at 2,000/s",
  async run(context) {
    const rows: BenchRow[] = [];
    for (const rate of [1000, 2000]) rows.push(...await slipAt(context, rate));
    return rows;
  },
};

async function slipAt(context: BenchContext, rate: number): Promise<BenchRow[]> {
  const client = new Product(context.binary, ["--request-rate", `${rate}`]);
  const label = `at ${rate.toLocaleString("en")} requests/s`;
  const runs = await playRounds(context, `arrivals ${label}`, [{
    name: OURS,
    measure: () => runLoad(context, client, ORDER, TIMING),
  }]);
  const machine = machineOf(runs);
  return [{
    label: `send slip p50 ${label}`,
    unit: "ms",
    decimals: 3,
    values: valuesOf(runs, ({ report }) => report.sendSlipP50Ms),
    targets: [atMost(0.2)],
    machine,
  }, {
    label: `send slip p99 ${label}`,
    unit: "ms",
    decimals: 3,
    values: valuesOf(runs, ({ report }) => report.sendSlipP99Ms),
    targets: [atMost(1)],
    machine,
  }];
}
