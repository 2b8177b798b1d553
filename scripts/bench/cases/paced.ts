import type { BenchCase, BenchContext } from "../bench_case.ts";
import type { BenchRow } from "../bench_row.ts";
import { BareLoop } from "../bare_loop_client.ts";
import { runLoad } from "../load_run.ts";
import { AIPERF, SGLANG_BENCH } from "../peers.ts";
import { machineOf, playRounds, valuesOf } from "../rounds.ts";
import { threadRows } from "../thread_rows.ts";
import { atMost, atMostTimes } from "../target.ts";

const TIMING = { ttftMs: 50, itlMs: 5 };
const REQUESTS_PER_STREAM = 15;

/** A number of streams, and how much later than the server a client may see first tokens. */
interface Level {
  readonly concurrency: number;
  readonly maxP50Ms: number;
  readonly maxP99Ms: number;
  /** As a multiple of sglang-bench's; undefined where so few events make start-up weigh most. */
  readonly maxCpuFactor: number | undefined;
}

const LEVELS: readonly Level[] = [
  { concurrency: 10, maxP50Ms: 0.4, maxP99Ms: 2, maxCpuFactor: undefined },
  { concurrency: 100, maxP50Ms: 0.8, maxP99Ms: 5, maxCpuFactor: 1 },
  { concurrency: 400, maxP50Ms: 1, maxP99Ms: 10, maxCpuFactor: 1 },
];

/** How true the reported times are, and what they cost, at the pace of a real server. */
export const paced: BenchCase = {
  name: "paced",
  description: "error of TTFT and CPU per event at TTFT 50 ms and ITL 5 ms, 10, 100, 400 streams",
  async run(context) {
    const rows: BenchRow[] = [];
    for (const level of LEVELS) rows.push(...await measureLevel(context, level));
    return rows;
  },
};

async function measureLevel(context: BenchContext, level: Level): Promise<BenchRow[]> {
  const { concurrency, maxP50Ms, maxP99Ms, maxCpuFactor } = level;
  const order = {
    concurrency,
    requests: concurrency * REQUESTS_PER_STREAM,
    tokens: 100,
    serverMetrics: false,
  };
  const runs = await playRounds(
    context,
    `paced C=${concurrency}`,
    [context.product, new BareLoop(), ...context.peers].map((client) => ({
      name: client.name,
      ...(client.name === AIPERF ? { maxRounds: 1 } : {}),
      measure: () => runLoad(context, client, order, TIMING),
    })),
  );
  const machine = machineOf(runs);
  return [{
    label: `TTFT p50 above the server's, C=${concurrency}`,
    unit: "ms",
    values: valuesOf(runs, ({ report, truth }) => report.ttftP50Ms - truth.ttftP50Ms),
    targets: [atMost(maxP50Ms)],
    machine,
  }, {
    label: `TTFT p99 above the server's, C=${concurrency}`,
    unit: "ms",
    values: valuesOf(runs, ({ report, truth }) => report.ttftP99Ms - truth.ttftP99Ms),
    targets: [atMost(maxP99Ms)],
    machine,
  }, {
    label: `CPU of a paced event, C=${concurrency}`,
    unit: "us",
    values: valuesOf(runs, ({ cost, truth }) => cost.cpuSeconds * 1e6 / truth.events),
    targets: maxCpuFactor === undefined ? [] : [atMostTimes(maxCpuFactor, SGLANG_BENCH)],
    machine,
  }, ...threadRows(runs, `C=${concurrency}`)];
}
