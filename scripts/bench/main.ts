// deno-lint-ignore-file no-console
/**
 * Measures the product's speed, cost and accuracy against a load target with known timing, and
 * beside it the peers that are installed. Only ratios of one run carry over to another machine.
 *
 *     deno task bench [--peers DIR] [--only CASE,...] [--binary PATH] [--repeat N]
 */

import { type BenchArguments, parseArguments } from "./arguments.ts";
import type { BenchCase, BenchContext } from "./bench_case.ts";
import type { BenchRow } from "./bench_row.ts";
import { answers } from "./cases/answers.ts";
import { agents } from "./cases/agents.ts";
import { arrivals } from "./cases/arrivals.ts";
import { burst } from "./cases/burst.ts";
import { benchComparisons } from "./cases/comparisons.ts";
import { benchEstimatorAccuracy } from "./cases/estimator_accuracy.ts";
import { benchExpositionParser } from "./cases/exposition_parser.ts";
import { idle } from "./cases/idle.ts";
import { largeTrace } from "./cases/large_trace.ts";
import { million } from "./cases/million.ts";
import { memory } from "./cases/memory.ts";
import { paced } from "./cases/paced.ts";
import { promptGeneration } from "./cases/prompts.ts";
import { reportPageCosts } from "./cases/report_page.ts";
import { summaryCosts } from "./cases/summary.ts";
import { scale } from "./cases/scale.ts";
import { seriesMemory } from "./cases/series_memory.ts";
import { shortRun } from "./cases/short_run.ts";
import { sweep } from "./cases/sweep.ts";
import { startup } from "./cases/startup.ts";
import { streams } from "./cases/streams.ts";
import { truth } from "./cases/truth.ts";
import { LoadTarget } from "./load_target.ts";
import { MachineWatch } from "./machine_use.ts";
import { installedPeers } from "./peers.ts";
import { Before, Product } from "./product.ts";
import { resultTable } from "./result_table.ts";

/** Every case, in the order in which they run. */
const CASES: readonly BenchCase[] = [
  burst,
  shortRun,
  sweep,
  paced,
  arrivals,
  startup,
  idle,
  memory,
  million,
  largeTrace,
  agents,
  streams,
  seriesMemory,
  reportPageCosts,
  summaryCosts,
  answers,
  scale,
  truth,
  {
    ...promptGeneration(undefined),
    run: (context) => promptGeneration(peersFolder).run(context),
  },
  {
    name: "parser",
    description: "reading metrics pages, beside prometheus_client and Go's textparse",
    run: async () => {
      const python = peersFolder === undefined ? undefined : `${peersFolder}/venv/bin/python`;
      await benchExpositionParser(python === undefined ? {} : { python, go: true });
      return [];
    },
  },
  {
    name: "comparisons",
    description: "false alarms and power of comparisons, on simulated servers",
    run: () => {
      benchComparisons();
      return Promise.resolve([]);
    },
  },
  {
    name: "estimators",
    description: "error of percentiles estimated from histograms, on known distributions",
    run: async () => {
      await benchEstimatorAccuracy();
      return [];
    },
  },
];

const USAGE = `deno task bench [options]

  --peers DIR         also measure what is installed there: mockllm, venv/bin/aiperf,
                      sglang/_bench.so
  --before DIR        also measure the sources there, such as those of a git worktree
  --only CASE,...     run these cases alone
  --binary PATH       measure this executable instead of the sources
  --repeat N          rounds of each comparison, of which the median counts (default 3)
  --patience SECONDS  wait at most so long before each run for a quiet machine (default 0)
  --filter REGEX      of the case truth, only the runs whose names match
  --part I/N          of these, the I-th of N parts
  --results DIR       append their outcomes to DIR/truth.jsonl, and sum up all that it has
  --keep DIR          keep each run's files in DIR, with the load target's own times

${CASES.map(({ name, description }) => `  ${name.padEnd(12)} ${description}`).join("\n")}
`;

const LEGEND = `Medians of the rounds; (x): ours as a multiple of theirs in the same round.
Median and highest of the runs: steal, others: share of all cores that went to other machines, and to
processes without a part in it; stalls: share of the time in which nothing ran at all; server: share
of all cores that the load target used. Much of the first three is noise.`;

/** The command line, understood; ends the program if it cannot be. */
function readArguments(): BenchArguments {
  try {
    const args = parseArguments(Deno.args);
    const unknown = args.only?.filter((name) => !CASES.some((known) => known.name === name)) ?? [];
    if (unknown.length > 0) throw new TypeError(`There is no case "${unknown.join(", ")}"`);
    if (Deno.build.os !== "linux") throw new TypeError("Processes are measured in /proc of Linux");
    return args;
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
    console.error(`error: ${error.message}\n\n${USAGE}`);
    Deno.exit(2);
  }
}

const { peersFolder, beforeFolder, only, binary, rounds, patienceSeconds, selection, help } =
  readArguments();
if (help) {
  console.log(USAGE);
  Deno.exit(0);
}
const context: BenchContext = {
  rounds,
  patienceMs: patienceSeconds * 1000,
  ownTarget: peersFolder === undefined,
  product: new Product(binary),
  binary,
  peers: [
    ...(beforeFolder === undefined ? [] : [await Before.in(beforeFolder)]),
    ...(peersFolder === undefined ? [] : await installedPeers(peersFolder)),
  ],
  machine: new MachineWatch(),
  selection,
  startTarget: (options) =>
    peersFolder === undefined
      ? LoadTarget.startOwn(options)
      : LoadTarget.startMockllm(peersFolder, options),
  progress: (text) => console.error(text),
};
const rows: BenchRow[] = [];
const failures: string[] = [];
for (const { name, run } of CASES) {
  if (only !== undefined && !only.includes(name)) continue;
  try {
    rows.push(...await run(context));
  } catch (error) {
    failures.push(`${name}: ${(error as Error).message}`);
    console.error(failures.at(-1));
  }
}
if (rows.length > 0) console.log(`${resultTable(rows)}\n${LEGEND}`);
for (const failure of failures) console.log(`FAILED ${failure}`);
Deno.exit(failures.length > 0 ? 1 : 0);
