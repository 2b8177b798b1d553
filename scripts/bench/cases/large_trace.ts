import type { BenchCase, BenchContext } from "../bench_case.ts";
import type { BenchRow } from "../bench_row.ts";
import { ownRow, runFile } from "../file_run.ts";
import { firstRequestMs, writeLines } from "../large_input.ts";

const FILE_BYTES = 1e9;
const TEXT = "Of what came first nobody knows more than the one who saw it happen. ".repeat(12);

/** The files, each by the line of a row. */
const FILES: readonly (readonly [name: string, line: (row: number) => unknown])[] = [
  ["single-turn", (row) => ({ text: `${row} ${TEXT}`, output_length: 4 })],
  ["Mooncake trace", (row) => ({
    timestamp: 10 * row,
    input_length: 512 * 7,
    output_length: 4,
    hash_ids: Array.from({ length: 7 }, (_, i) => i < 2 ? i : row * 7 + i),
  })],
];

/** What ends the runs. */
const STOPS: readonly (readonly [name: string, args: readonly string[]])[] = [
  ["5,000 requests", ["--request-count", "5000"]],
  ["20 s", ["--benchmark-duration", "20"]],
];

/** What a file costs that is larger than the memory it may take. */
export const largeTrace: BenchCase = {
  name: "large-trace",
  description: "a trace and prompts of 1 GB: memory, time to the first request, CPU",
  async run(context) {
    const rows: BenchRow[] = [];
    const folder = await Deno.makeTempDir({ prefix: "bench-" });
    const path = `${folder}/input.jsonl`;
    try {
      for (const [file, line] of FILES) {
        context.progress(`writing ${file} of 1 GB`);
        await writeLines(path, line, { bytes: FILE_BYTES });
        for (const [stop, args] of STOPS) {
          rows.push(...await measure(context, `${file}, ${stop}`, path, folder, args));
        }
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
    return rows;
  },
};

async function measure(
  context: BenchContext,
  label: string,
  path: string,
  folder: string,
  args: readonly string[],
): Promise<BenchRow[]> {
  const output = `${folder}/run`;
  const { cost, machine } = await runFile(context, label, path, output, [
    ...["--concurrency", "16", "--no-fixed-schedule", ...args],
  ]);
  const firstMs = await firstRequestMs(output);
  const row = (name: string, unit: string, value: number, most?: number): BenchRow =>
    ownRow(`${label}: ${name}`, unit, value, machine, most);
  return [
    row("peak memory", "MB", cost.peakBytes / 1e6, 500),
    row("first request", "s", (firstMs - cost.startedMs) / 1e3, 1),
    row("CPU", "s", cost.cpuSeconds),
  ];
}
