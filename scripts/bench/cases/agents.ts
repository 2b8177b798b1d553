import type { BenchCase, BenchContext } from "../bench_case.ts";
import type { BenchRow } from "../bench_row.ts";
import { ownRow, runFile } from "../file_run.ts";
import { firstRequestMs, writeLines } from "../large_input.ts";
import { MODEL } from "../load_client.ts";
import { dynamoRow, SCATTERED_ROWS } from "../scattered_rows.ts";
import { atLeast } from "../target.ts";
import { programOutput } from "../../process/program_output.ts";

const GIGABYTE = 1e9;
/** Calls of a session, and tokens of a block. */
const CALLS = 13;
const BLOCK = 64;
/** Sessions of the smaller and of the larger file whose memory is compared. */
const FEW_SESSIONS = 1000;
const MANY_SESSIONS = 100_000;
/** Sessions in flight with long bodies, the tokens of these, and the seconds between two calls. */
const TREES = 200;
const LONG_TOKENS = 100_000;
const PERIOD_S = 8;
/** Size of the files whose index passes are measured, and their least rate in MB per CPU second. */
const INDEXED_BYTES = 1e8;
const INDEX_RATE = 200;

const FAST = [
  ...["--streaming", "--tool-time", "none", "--user-time", "none", "--concurrency", "16"],
];

/** Recorded agent sessions: start from large files, index passes, memory, send slip with long bodies. */
export const agents: BenchCase = {
  name: "agents",
  description:
    "recorded agent sessions: start from 1 GB, index passes, memory by calls, send slip of long bodies",
  async run(context) {
    const folder = await Deno.makeTempDir({ prefix: "bench-" });
    try {
      return [
        ...await starts(context, folder),
        ...await indexRates(context, folder),
        ...await memories(context, folder),
        ...await slip(context, folder),
      ];
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
};

/** A trace of Weka: each call adds some blocks to the one before. */
function wekaTrace(name: string, calls: number, tokensOf: (call: number) => number, gapS: number) {
  return {
    "id": name,
    "models": [MODEL],
    "block_size": BLOCK,
    "hash_id_scope": "local",
    "tool_tokens": 0,
    "system_tokens": 0,
    "requests": Array.from({ length: calls }, (_, call) => ({
      "t": call * gapS,
      "type": "s",
      "model": MODEL,
      "in": tokensOf(call),
      "out": 2,
      "hash_ids": Array.from({ length: Math.floor(tokensOf(call) / BLOCK) }, (_, id) => id),
      "api_time": 0.01,
      "stop": "tool_use",
      "input_types": [call === 0 ? "text" : "tool_result"],
    })),
  };
}

const shortTrace = (row: number) => wekaTrace(`trace-${row}`, CALLS, (call) => 256 + 64 * call, 1);

async function starts(context: BenchContext, folder: string): Promise<BenchRow[]> {
  const path = `${folder}/input.jsonl`;
  const rows: BenchRow[] = [];
  const files: readonly (readonly [string, (row: number) => unknown, mostSeconds: number])[] = [
    ["Weka lines of 1 GB", shortTrace, 1.5],
    // One pass of 200 MB/s comes first.
    ["Dynamo rows of 1 GB", dynamoRow, 6.5],
  ];
  for (const [name, line, mostSeconds] of files) {
    context.progress(`writing ${name}`);
    await writeLines(path, line, { bytes: GIGABYTE });
    const { cost, machine } = await runFile(context, name, path, `${folder}/run`, [
      ...FAST,
      ...["--num-sessions", "200"],
    ]);
    const seconds = (await firstRequestMs(`${folder}/run`) - cost.startedMs) / 1e3;
    rows.push(
      ownRow(`${name}: first request`, "s", seconds, machine, mostSeconds),
      ownRow(`${name}: peak memory`, "MB", cost.peakBytes / 1e6, machine),
    );
  }
  return rows;
}

/** Rates of the pass that writes where the rows of each session are. */
async function indexRates(context: BenchContext, folder: string): Promise<BenchRow[]> {
  const script = new URL("../index_pass.ts", import.meta.url).pathname;
  const path = `${folder}/input.jsonl`;
  const rows: BenchRow[] = [];
  for (const { format, row } of SCATTERED_ROWS) {
    context.progress(`index of ${format}`);
    await writeLines(path, row, { bytes: INDEXED_BYTES });
    const endWatch = context.machine.begin();
    const args = ["run", "--quiet", "--allow-all", script, format, path];
    const rate = Number(await programOutput(Deno.execPath(), args));
    const machine = endWatch({ clientSeconds: INDEXED_BYTES / 1e6 / rate, targetSeconds: 0 });
    rows.push({
      ...ownRow(`index pass of ${format}`, "MB per CPU second", rate, machine),
      targets: [atLeast(INDEX_RATE)],
    });
  }
  return rows;
}

/** Memory of the same calls, from a small file and from a large one. */
async function memories(context: BenchContext, folder: string): Promise<BenchRow[]> {
  const path = `${folder}/input.jsonl`;
  const peaks: number[] = [];
  const rows: BenchRow[] = [];
  for (const sessions of [FEW_SESSIONS, MANY_SESSIONS]) {
    const name = `${(sessions * CALLS).toLocaleString("en")} calls`;
    await writeLines(path, shortTrace, { lines: sessions });
    const { cost, machine } = await runFile(context, name, path, `${folder}/run`, [
      ...FAST,
      ...["--num-sessions", `${FEW_SESSIONS}`],
    ]);
    peaks.push(cost.peakBytes);
    rows.push(ownRow(`${name}: peak memory`, "MB", cost.peakBytes / 1e6, machine));
    const [few, many] = peaks;
    if (few === undefined || many === undefined) continue;
    rows.push(
      ownRow("peak memory of the larger file by the smaller", "", many / few, machine, 1.1),
    );
  }
  return rows;
}

async function slip(context: BenchContext, folder: string): Promise<BenchRow[]> {
  const path = `${folder}/input.jsonl`;
  const trace = (row: number) =>
    wekaTrace(`long-${row}`, 5, (call) => LONG_TOKENS + 2 * BLOCK * call, PERIOD_S);
  await writeLines(path, trace, { lines: TREES });
  const name = `${TREES} trees, bodies of 100k tokens, ${TREES / PERIOD_S} calls/s`;
  const { machine } = await runFile(context, name, path, `${folder}/run`, [
    ...["--streaming", "--concurrency", `${TREES}`, "--concurrency-ramp-duration", `${PERIOD_S}`],
    ...["--benchmark-duration", "30"],
  ]);
  const summary = JSON.parse(await Deno.readTextFile(`${folder}/run/profile_export_aiperf.json`));
  const { p50, p99 } = summary["client_health"]["send_slip_ms"] as Record<string, number>;
  return [
    ownRow(`${name}: send slip p50`, "ms", p50 ?? NaN, machine),
    ownRow(`${name}: send slip p99`, "ms", p99 ?? NaN, machine, 5),
  ];
}
