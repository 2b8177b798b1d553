import type { BenchCase, BenchContext } from "../bench_case.ts";
import type { BenchRow } from "../bench_row.ts";
import { runLoad } from "../load_run.ts";
import { OURS, Product } from "../product.ts";
import { machineOf, playRounds, valuesOf } from "../rounds.ts";
import { type Lateness, runSleeper, SLEEPER } from "../sleeper_run.ts";
import { atMost } from "../target.ts";

const ARRIVALS = 10_000;
/** The concurrency is a limit that is never reached. */
const ORDER = { concurrency: 1000, requests: ARRIVALS, serverMetrics: false };
const TIMING = { ttftMs: 20, itlMs: 2 };
const RATES = [1000, 2000];
/** Tokens of each reply: with ten, reading replies is most of the work. */
const TOKENS = [1, 10];

/**
 * How late requests go out that an arrival process asks for, beside a thread that only sleeps until
 * then: where that is late, the machine is.
 */
export const arrivals: BenchCase = {
  name: "arrivals",
  description: "send slip of 10,000 Poisson arrivals at 1,000/s and at 2,000/s",
  async run(context) {
    const rows: BenchRow[] = [];
    for (const rate of RATES) {
      for (const tokens of TOKENS) rows.push(...await slipAt(context, rate, tokens));
    }
    return rows;
  },
};

async function slipAt(context: BenchContext, rate: number, tokens: number): Promise<BenchRow[]> {
  const client = new Product(context.binary, ["--request-rate", `${rate}`]);
  const label = `at ${rate.toLocaleString("en")} requests/s, replies of ${tokens}`;
  const runs = await playRounds<Lateness>(context, `arrivals ${label}`, [{
    name: OURS,
    async measure() {
      const { report, machine } = await runLoad(context, client, { ...ORDER, tokens }, TIMING);
      return { p50Ms: report.sendSlipP50Ms, p99Ms: report.sendSlipP99Ms, machine };
    },
  }, {
    name: SLEEPER,
    measure: () => runSleeper(context, rate, ARRIVALS),
  }]);
  const machine = machineOf(runs);
  return [{
    label: `send slip p50 ${label}`,
    unit: "ms",
    decimals: 3,
    values: valuesOf(runs, ({ p50Ms }) => p50Ms),
    targets: [atMost(0.2)],
    machine,
  }, {
    label: `send slip p99 ${label}`,
    unit: "ms",
    decimals: 3,
    values: valuesOf(runs, ({ p99Ms }) => p99Ms),
    targets: [atMost(1)],
    machine,
  }];
}
