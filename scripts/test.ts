// deno-lint-ignore-file no-console
/**
 * Runs the tests: `deno run --allow-all scripts/test.ts [unit | e2e] [--filter WORDS] [--jobs N]
 * [--list]`
 *
 * The runner gives each module a thread with an engine of its own, where everything it imports is
 * loaded, compiled and warmed up anew: with hundreds of files of tests that is two fifths of their
 * time. So files are gathered in as many modules as keep the cores busy to the end, and the modules
 * that start the program keep one that answers all of their command lines. Each file can be run by
 * itself as well: `deno test --allow-all FILE`.
 */

import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { sourceFiles } from "./compile/source_files.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TESTS = join(ROOT, "tests");
const FOLDER = join(ROOT, "dist/test_batches");
/** Rooms whose tests run the whole program, which waits for half of their time. */
const PROGRAM_ROOMS = ["docs", "e2e"];
const CORES = navigator.hardwareConcurrency;
/** Batches of either kind; with more of them, more is loaded, with fewer, cores are idle at the end. */
const BATCHES = { e2e: 2 * CORES, unit: CORES + 1 };
/**
 * Threads: tests of the whole program wait for their processes. Three threads a core take a fifth
 * more of the processor for the same tests, as caches are shared by more of them.
 */
const JOBS = 2 * CORES;
/** What files that are not named below are reckoned with, in seconds. */
const USUAL_SECONDS = { e2e: 4, unit: 0.4 };
/** Files that take long, in seconds of one core of a slow machine. */
export const SECONDS: Readonly<Record<string, number>> = {
  "cli/command_line/completion_test.ts": 4,
  "cli/options_test.ts": 4,
  "measurement/compare/compare_sides_test.ts": 9,
  "load/dataset/synthetic/synthetic_prompts_test.ts": 9,
  "load/dataset/tokenizers/builtin_tokenizer_test.ts": 3,
  "docs/datasets_test.ts": 7,
  "docs/examples_test.ts": 10,
  "docs/how_to_test.ts": 40,
  "docs/report_page_test.ts": 7,
  "docs/workflow_test.ts": 14,
  "e2e/config_templates_test.ts": 13,
  "e2e/confinement_test.ts": 13,
  "e2e/dashboard_test.ts": 20,
  "e2e/early_end_test.ts": 20,
  "e2e/end_reasons_test.ts": 9,
  "e2e/endpoint_types_test.ts": 10,
  "e2e/failures_test.ts": 17,
  "e2e/faults_test.ts": 31,
  "e2e/gates_test.ts": 12,
  "e2e/gpu_energy_test.ts": 7,
  "e2e/gpu_telemetry_test.ts": 6,
  "e2e/html_report_test.ts": 7,
  "e2e/inputs_test.ts": 10,
  "e2e/library_test.ts": 10,
  "e2e/load_shapes_test.ts": 9,
  "e2e/load_test.ts": 7,
  "e2e/lost_thread_test.ts": 6,
  "e2e/merge_test.ts": 15,
  "e2e/models_test.ts": 7,
  "e2e/public_dataset_test.ts": 13,
  "e2e/report_test.ts": 11,
  "e2e/runs_test.ts": 10,
  "e2e/scrape_test.ts": 21,
  "e2e/secrets_test.ts": 9,
  "e2e/server_metrics_faults_test.ts": 21,
  "e2e/server_metrics_test.ts": 8,
  "e2e/shards_test.ts": 30,
  "e2e/signals_test.ts": 30,
  "e2e/sweeps_test.ts": 20,
  "e2e/systems_test.ts": 26,
  "e2e/terminal_test.ts": 8,
  "e2e/tls_test.ts": 9,
  "e2e/traces_test.ts": 14,
  "e2e/truth_test.ts": 10,
  "client/endpoint/endpoint_type_test.ts": 9,
  "report/export/schemas/config_schema_test.ts": 4,
  "report/export/schemas/schemas_test.ts": 10,
  "report/export/server_metrics/server_metrics_parquet_test.ts": 8,
  "load/worker/fairness_test.ts": 11,
  "load/worker/prefill_gate_test.ts": 4,
  "results/merge/merge_run_test.ts": 8,
  "results/merge/refusals_test.ts": 7,
  "config/options/any_value_test.ts": 8,
  "config/options/commands/option_tables_test.ts": 4,
  "measurement/own_error/measure_error_test.ts": 5,
  "measurement/own_error/odd_runs_test.ts": 4,
  "telemetry/prometheus/fuzz_test.ts": 15,
  "results/collect/replay_golden_test.ts": 10,
  "results/collect/report_run_test.ts": 7,
  "run/runner/paged_run_test.ts": 6,
  "run/runner/server_probe_test.ts": 4,
  "telemetry/scrape/shared_thread_test.ts": 4,
  "core/secrets/attack_table_test.ts": 6,
};

type Kind = keyof typeof BATCHES;
const KINDS = Object.keys(BATCHES) as Kind[];

/** Files of tests that are run in one thread. */
export interface Batch {
  readonly name: string;
  readonly files: string[];
  seconds: number;
}

function kindOf(file: string): Kind {
  return PROGRAM_ROOMS.includes(file.split("/", 1)[0] as string) ? "e2e" : "unit";
}

/** What is gathered together: files, and how long they take. */
interface Share {
  readonly files: readonly string[];
  readonly seconds: number;
}

function secondsOf(file: string): number {
  return SECONDS[file] ?? USUAL_SECONDS[kindOf(file)];
}

/**
 * Each file is a share. But of the tests of parts, all that start the program are one, as each batch
 * that does so keeps a program of its own.
 */
async function sharesOf(kind: Kind, files: readonly string[]): Promise<Share[]> {
  const alone: string[] = [];
  const starting: string[] = [];
  for (const file of files) {
    const starts = kind === "unit" &&
      (await Deno.readTextFile(join(TESTS, file))).includes("support/run_cli.ts");
    (starts ? starting : alone).push(file);
  }
  const together = starting.reduce((sum, file) => sum + secondsOf(file), 0);
  return [
    ...starting.length > 0 ? [{ files: starting, seconds: together }] : [],
    ...alone.map((file) => ({ files: [file], seconds: secondsOf(file) })),
  ];
}

/** The shares of a kind as batches: the longest first, each to the batch with the least. */
function batchesOf(kind: Kind, shares: readonly Share[]): Batch[] {
  const batches = Array.from({ length: BATCHES[kind] }, (_, index): Batch => ({
    name: `${kind}_${index + 1}`,
    files: [],
    seconds: 0,
  }));
  // Shares that take equally long stay in the order of their names.
  for (const { files, seconds } of shares.toSorted((a, b) => b.seconds - a.seconds)) {
    const least = batches.reduce((a, b) => b.seconds < a.seconds ? b : a);
    least.files.push(...files);
    least.seconds += seconds;
  }
  return batches.filter(({ files }) => files.length > 0);
}

/** All files of tests of these kinds, by their paths in the folder of tests, as batches. */
export async function testBatches(kinds: readonly Kind[] = KINDS): Promise<Batch[]> {
  const files = (await sourceFiles(TESTS)).filter((path) => path.endsWith("_test.ts"))
    .map((path) => relative(TESTS, path));
  const batches = kinds.map(async (kind) =>
    batchesOf(kind, await sharesOf(kind, files.filter((file) => kindOf(file) === kind)))
  );
  return (await Promise.all(batches)).flat();
}

/** Writes the batches as modules, and returns their paths. */
async function writeBatches(batches: readonly Batch[]): Promise<string[]> {
  await Deno.mkdir(FOLDER, { recursive: true });
  return await Promise.all(batches.map(async ({ name, files }) => {
    const path = join(FOLDER, `${name}_test.ts`);
    const imports = files.toSorted().map((file) => `import "../../tests/${file}";\n`);
    await Deno.writeTextFile(path, imports.join(""));
    return path;
  }));
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      filter: { type: "string" },
      jobs: { type: "string" },
      list: { type: "boolean" },
    },
  });
  const unknown = positionals.find((word) => !KINDS.includes(word as Kind));
  if (unknown !== undefined) {
    console.error(`error: "${unknown}" is no kind of tests: expected ${KINDS.join(" or ")}`);
    Deno.exit(2);
  }
  const kinds = KINDS.filter((kind) => positionals.length === 0 || positionals.includes(kind));
  const batches = await testBatches(kinds);
  if (values.list === true) {
    for (const { name, files, seconds } of batches) console.log(name, seconds, files.join(" "));
    Deno.exit(0);
  }
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "--allow-all", "--no-check", "--parallel", "--quiet"],
      ...(values.filter === undefined ? [] : ["--filter", values.filter]),
      ...await writeBatches(batches),
    ],
    cwd: ROOT,
    env: { "DENO_JOBS": values.jobs ?? String(JOBS) },
  }).spawn().status;
  Deno.exit(code);
}
