/**
 * What a run of many machines costs where it comes together: the rendezvous of a thousand shards,
 * the merge of a hundred, with a file of lines and without, and what one shard pays to find its own
 * requests in a plan of a hundred million.
 */

import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import { createWorkload, workloadSource } from "../../../src/load/workload/create_workload.ts";
import { artifactNames } from "../../../src/report/export/artifact_names.ts";
import type { BenchCase, BenchContext } from "../bench_case.ts";
import type { BenchRow } from "../bench_row.ts";
import { MeasuredProcess } from "../measured_process.ts";
import { OURS, productCommand } from "../product.ts";
import { rendezvousRows } from "../rendezvous_rows.ts";
import { writeSyntheticShards } from "../synthetic_shards.ts";
import { atLeast, atMost, type Target } from "../target.ts";

const SHARDS = 100;
/** Requests of each shard. */
const REQUESTS = 100_000;
/** The same where each has a line of two kilobytes. */
const REQUESTS_WITH_LINES = 10_000;
/** Content chunks of a reply. */
const CHUNKS = 8;
const PLANNED = 100_000_000;

/** See the module's comment. */
export const scale: BenchCase = {
  name: "scale",
  description: "merge of 100 shards of 100,000 records; rendezvous of 1,000 shards; planning 100 " +
    "million requests by number",
  async run(context) {
    return [
      ...await mergeRows(context, REQUESTS, false),
      ...await mergeRows(context, REQUESTS_WITH_LINES, true),
      ...await rendezvousRows(context),
      ...await planRows(context),
    ];
  },
};

async function mergeRows(
  context: BenchContext,
  requests: number,
  withLines: boolean,
): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir({ prefix: "bench-scale-" });
  try {
    context.progress(`scale: writing ${SHARDS} shards of ${requests} requests`);
    await writeSyntheticShards(folder, { shards: SHARDS, requests, chunks: CHUNKS, withLines });
    const total = SHARDS * requests;
    const perWallSecond: number[] = [];
    const perSecondOfFigures: number[] = [];
    const perCpuSecond: number[] = [];
    const megabytes: number[] = [];
    for (let round = 0; round < context.rounds; round++) {
      context.progress(`scale: merge, round ${round + 1}`);
      const startMs = Date.now();
      const line = productCommand(context.binary, ["merge", folder, "--expect-shards", "100"]);
      const { exitCode, cpuSeconds, wallSeconds, peakBytes, output } = await (
        await MeasuredProcess.start(line)
      ).cost;
      if (exitCode !== 0) throw new Error(`The merge failed: ${output}`);
      perWallSecond.push(total / wallSeconds);
      const { mtime } = await Deno.stat(`${folder}/${artifactNames(undefined).csv}`);
      perSecondOfFigures.push(total / ((Number(mtime) - startMs) / 1e3));
      perCpuSecond.push(total / cpuSeconds);
      megabytes.push(peakBytes / 1e6);
    }
    const what = withLines ? "lines and summary files" : "summary files";
    const targets = withLines ? [] : [atLeast(500_000)];
    return [
      row(`merge into ${what}`, "records/s", perSecondOfFigures, targets),
      row("the same and the report's page", "records/s", perWallSecond, []),
      row("the same", "records per CPU second", perCpuSecond, []),
      row(`merge of ${total / 1e6} million records, memory`, "MB", megabytes, [atMost(2000)]),
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function planRows(context: BenchContext): Promise<BenchRow[]> {
  const seconds: number[] = [];
  const megabytes: number[] = [];
  const plan = await resolvePlan(
    {
      ...{ url: ["http://127.0.0.1:1"], model: "m", requestCount: PLANNED, requestRate: 1e6 },
      ...{ arrivalPattern: "poisson", noServerMetrics: true, randomSeed: 1 },
    },
    { cores: 2, cliCommand: "bench", findModel: () => Promise.resolve("m") },
  );
  const [phase] = plan.phases;
  if (phase === undefined) throw new Error("The plan has no phase");
  for (let round = 0; round < context.rounds; round++) {
    context.progress(`scale: plan, round ${round + 1}`);
    const workload = createWorkload(
      workloadSource(plan, {
        ...{ modelCount: 1, profilingEntries: 1000, warmupEntries: 0, conversations: undefined },
      }),
      phase,
    );
    const before = Deno.memoryUsage().rss;
    let most = before;
    const startMs = performance.now();
    for (let index = 0; index < PLANNED; index += SHARDS) {
      workload.arrivalNs(index);
      workload.session(index);
      if (index % 10_000_000 === 0) most = Math.max(most, Deno.memoryUsage().rss);
    }
    seconds.push((performance.now() - startMs) / 1e3);
    megabytes.push((most - before) / 1e6);
  }
  return [
    row("a shard's requests among 100 million", "s", seconds, []),
    row("memory for that", "MB", megabytes, [atMost(100)]),
  ];
}

function row(
  label: string,
  unit: string,
  values: readonly number[],
  targets: readonly Target[],
): BenchRow {
  return { label, unit, decimals: 0, values: new Map([[OURS, values]]), targets, machine: [] };
}
