import type { BenchCase, BenchContext } from "../bench_case.ts";
import type { BenchRow } from "../bench_row.ts";
import type { LoadOrder } from "../load_client.ts";
import { type LoadRun, runLoad } from "../load_run.ts";
import { detectorMicroseconds } from "../detector_cost.ts";
import { type CheckedClient, WithAnswers, WithoutChecks } from "../checked_client.ts";
import { OURS } from "../product.ts";
import { machineOf, playRounds, valuesOf } from "../rounds.ts";
import { atMost, atMostTimes } from "../target.ts";

const TIMING = { ttftMs: 5, itlMs: 1 };
const ORDER: LoadOrder = { concurrency: 32, requests: 2000, tokens: 64, serverMetrics: false };
/** Largest cost of checks, in percent of the CPU of a run without them. */
const MAX_PERCENT = 2;
const DRIFT = "with --verify drift";
const UNCHECKED = "without checks";

/** CPU of the checks of answers, and whether a sample changes what is measured. */
export const answers: BenchCase = {
  name: "answers",
  description: "CPU of a request with and without checks of answers, latencies with --verify drift",
  async run(context) {
    const unchecked = await WithoutChecks.make(UNCHECKED);
    try {
      return await measure(context, [
        new WithAnswers(OURS, context.binary, []),
        unchecked,
        new WithAnswers(DRIFT, context.binary, ["--verify", "drift"]),
      ]);
    } finally {
      await unchecked.remove();
    }
  },
};

type CheckedRun = LoadRun<Awaited<ReturnType<CheckedClient["report"]>>>;

async function measure(
  context: BenchContext,
  clients: readonly CheckedClient[],
): Promise<BenchRow[]> {
  const runs = await playRounds<CheckedRun>(
    context,
    "answers",
    clients.map((client) => ({
      name: client.name,
      measure: () => runLoad(context, client, ORDER, TIMING),
    })),
  );
  const machine = machineOf(runs);
  const costs: number[] = [];
  for (let round = 0; round < context.rounds; round++) {
    costs.push(await detectorMicroseconds(ORDER.tokens));
  }
  const shares = (runs.get(UNCHECKED) ?? []).map(({ cost }, round) =>
    (costs[round] as number) / (cost.cpuSeconds * 1e6 / ORDER.requests) * 100
  );
  // Runs without checks are a control: they differ from ours by noise.
  const apartFrom = (name: string): number[] =>
    (runs.get(OURS) ?? []).map((run, round) => apart(run, runs.get(name)?.[round]));
  return [{
    label: "CPU of a request",
    unit: "us",
    values: valuesOf(runs, ({ cost }) => cost.cpuSeconds * 1e6 / ORDER.requests),
    targets: [atMostTimes(1 + MAX_PERCENT / 100, UNCHECKED)],
    machine,
  }, {
    label: "CPU of the detectors, by themselves",
    unit: "us",
    values: new Map([[OURS, costs]]),
    targets: [],
    machine: [],
  }, {
    label: "share of it in the CPU of a request without checks",
    unit: "%",
    values: new Map([[OURS, shares]]),
    targets: [atMost(MAX_PERCENT)],
    machine: [],
  }, {
    label: "TTFT p50",
    unit: "ms",
    values: valuesOf(runs, ({ report }) => report.ttftP50Ms),
    targets: [],
    machine,
  }, {
    label: "TTFT p99",
    unit: "ms",
    values: valuesOf(runs, ({ report }) => report.ttftP99Ms),
    targets: [],
    machine,
  }, {
    label: "latency statistics apart from those with --verify drift",
    unit: "count",
    decimals: 0,
    values: new Map([[OURS, apartFrom(DRIFT)], [UNCHECKED, apartFrom(UNCHECKED)]]),
    targets: [atMost(0)],
    machine: [],
  }];
}

/** How many statistics have intervals without a common value. */
function apart(one: CheckedRun, other: CheckedRun | undefined): number {
  let count = 0;
  for (const [name, { lower, upper }] of one.report.intervals) {
    const partner = other?.report.intervals.get(name);
    if (partner !== undefined && (partner.lower > upper || partner.upper < lower)) count++;
  }
  return count;
}
