// deno-lint-ignore-file no-console
/**
 * Has AIPerf read what the product writes: `deno run --allow-all scripts/check_aiperf.ts
 * [--venv DIR]`
 *
 * Runs of many kinds are made against the embedded mock server; AIPerf's own models must load every
 * file of theirs in strict mode, and `aiperf plot` must draw its pictures of them. AIPerf is
 * installed from PyPI into a virtual environment; where that cannot be, the check is skipped.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ENGINE_FLAGS } from "../src/config/sandbox/engine_flags.ts";
import { latencyDistribution } from "../src/mock/latency_distribution.ts";
import { defaultMockOptions, type FaultKind, type MockOptions } from "../src/mock/mock_options.ts";
import { MockServer } from "../src/mock/mock_server.ts";
import { AIPERF_VERSION } from "../src/config/options/commands/aiperf_options.ts";
import { aiperfPython } from "./aiperf/aiperf_python.ts";

const script = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const MAIN = script("../src/main.ts");

/** Something that is not as it should be. */
class CheckError extends Error {
  override readonly name = "CheckError";
}

/** A run whose files are read. */
interface RunCase {
  readonly name: string;
  readonly mock?: Partial<MockOptions>;
  readonly args: readonly string[];
  /** How it ends. @default 0 */
  readonly code?: number;
}

const PACED = { ttft: latencyDistribution("5"), itl: latencyDistribution("1") };
const FAULTS: readonly FaultKind[] = ["429", "500", "close", "malformed", "in-band"];
const SMALL = ["--isl", "20", "--osl", "6"];
const EVERY_FILE = [
  ...["--export-level", "raw", "--export-http-trace", "--slice-duration", "0.05"],
  ...["--server-metrics-formats", "json", "csv", "jsonl", "parquet"],
];

/** The first one has everything that single pictures show; the first three make a comparison. */
const RUNS: readonly RunCase[] = [
  {
    name: "streams",
    mock: { ...PACED, reasoningTokens: 2 },
    args: [
      ...["--streaming", "--concurrency", "3", "--request-count", "40", ...SMALL, ...EVERY_FILE],
      ...["--warmup-request-count", "2", "--goodput", "ttft:1000 itl:100"],
    ],
  },
  {
    name: "more streams",
    mock: PACED,
    args: ["--streaming", "--concurrency", "6", "--request-count", "40", ...SMALL],
  },
  {
    name: "fewer streams",
    mock: PACED,
    args: [
      ...["--streaming", "--request-count", "20", ...SMALL, "--per-chunk-usage"],
      ...["--model", "a,b"],
    ],
  },
  {
    name: "arrivals",
    mock: PACED,
    args: [
      // Both stops, so that both are in the settings; the count comes first.
      ...["--streaming", "--request-rate", "100", "--benchmark-duration", "600", ...SMALL],
      ...["--request-count", "40", "--warmup-request-count", "4"],
      ...["--arrival-pattern", "gamma", "--arrival-smoothness", "2", "--concurrency", "4"],
      ...["--warmup-duration", "600", "--warmup-grace-period", "1", "--use-server-token-count"],
      ...["--endpoint-type", "completions", "--transport", "fetch", "--use-legacy-max-tokens"],
      ...["--api-key", "sk-0123456789", "--header", "X-Tenant: a", "--extra-inputs", "top_p:0.5"],
      ...["--connection-reuse-strategy", "never", "--dataset-sampling-strategy", "shuffle"],
      ...EVERY_FILE,
    ],
  },
  {
    name: "failures",
    mock: { seed: 7, faults: new Map(FAULTS.map((kind) => [kind, 0.12])) },
    args: [
      ...["--streaming", "--request-count", "80", "--concurrency", "2", ...SMALL, ...EVERY_FILE],
    ],
  },
  {
    name: "requests cut off",
    mock: { ttft: latencyDistribution("60000") },
    args: [
      ...["--streaming", "--concurrency", "2", "--benchmark-duration", "1", ...SMALL],
      ...["--benchmark-grace-period", "0", ...EVERY_FILE],
    ],
    code: 1,
  },
  {
    name: "connections refused",
    args: ["--url", "http://127.0.0.1:1", "--request-count", "3", ...SMALL, ...EVERY_FILE],
    code: 1,
  },
  {
    name: "whole replies to prompts from a file",
    args: ["--input-file", "prompts.jsonl", "--request-count", "6", "--no-server-metrics"],
  },
  {
    name: "a summary alone",
    args: ["--input-file", "prompts.jsonl", "--osl", "5", "--export-level", "summary"],
  },
];

/** The pictures of one run, and those of several: all that need no telemetry of GPUs. */
const SINGLE_RUN_PLOTS = [
  "dispersed_throughput_over_time",
  "itl_over_time",
  "latency_over_time",
  "timeslices_itl",
  "timeslices_latency",
  "timeslices_throughput",
  "timeslices_ttft",
  "ttft_over_time",
  "ttft_timeline",
];
const MULTI_RUN_PLOTS = ["ttft_vs_throughput"];

async function execute(
  command: string,
  args: readonly string[],
  cwd: string,
  expected = 0,
): Promise<void> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd,
    // Its caches and settings go where everything of this check goes.
    env: { HOME: cwd, PYTHONDONTWRITEBYTECODE: "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  if (code === expected) return;
  throw new CheckError(
    `${[command, ...args].join(" ")} ended with ${code}\n${decoder.decode(stdout)}${
      decoder.decode(stderr)
    }`,
  );
}

/** Makes a run and returns its folder. */
async function makeRun({ name, mock, args, code }: RunCase, work: string): Promise<string> {
  const folder = join(work, name.replaceAll(" ", "_"));
  const server = await MockServer.start({ ...defaultMockOptions(), ...mock });
  try {
    await execute(
      Deno.execPath(),
      [
        ...["run", "--allow-all", "--quiet", ENGINE_FLAGS, MAIN],
        ...["profile", "--ui", "none", "--artifact-dir", folder, ...args],
        ...(args.includes("--url") ? [] : ["--url", server.url]),
        ...(args.includes("--model") ? [] : ["--model", "m"]),
      ],
      work,
      code,
    );
  } finally {
    server.close();
  }
  return folder;
}

/** Has `aiperf plot` draw, and checks that every picture is there and shows something. */
async function checkPlots(
  python: string,
  folders: readonly string[],
  wanted: readonly string[],
  work: string,
): Promise<void> {
  const output = await Deno.makeTempDir({ dir: work });
  const pictures = join(output, "pictures");
  await execute(python, [script("aiperf/draw_plots.py"), pictures, ...folders], work);
  for (const name of wanted) {
    const text = await Deno.readTextFile(join(pictures, `${name}.json`)).catch(() => {
      throw new CheckError(`aiperf plot did not draw ${name} of ${folders.join(" and ")}`);
    });
    if (JSON.parse(text).data.length === 0) throw new CheckError(`${name} shows nothing`);
  }
  console.log(`aiperf plot draws ${wanted.join(", ")}`);
}

async function check(python: string, work: string): Promise<void> {
  await Deno.writeTextFile(
    join(work, "prompts.jsonl"),
    `{"text":"Say something"}\n{"text":"And again","output_length":7}\n`,
  );
  const folders: string[] = [];
  for (const run of RUNS) folders.push(await makeRun(run, work));
  const { success } = await new Deno.Command(python, {
    args: [script("aiperf/load_models.py"), ...folders],
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  if (!success) throw new CheckError("AIPerf's models refuse a file");
  await checkPlots(python, folders.slice(0, 1), SINGLE_RUN_PLOTS, work);
  await checkPlots(python, folders.slice(0, 3), MULTI_RUN_PLOTS, work);
}

const { values } = parseArgs({ options: { venv: { type: "string" } } });
const temporary = Deno.env.get("TMPDIR") ?? "/tmp";
const found = await aiperfPython(values.venv ?? join(temporary, "inferometer-aiperf"));
if ("missing" in found) {
  console.log(`skipped: AIPerf ${AIPERF_VERSION} is not at hand: ${found.missing}`);
  Deno.exit(0);
}
const work = await Deno.makeTempDir({ prefix: "inferometer-aiperf-" });
try {
  await check(found.path, work);
} catch (error) {
  if (!(error instanceof CheckError)) throw error;
  console.error(error.message);
  Deno.exitCode = 1;
} finally {
  await Deno.remove(work, { recursive: true });
}
