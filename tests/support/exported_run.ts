import { summarize } from "../../src/core/statistics/summarize.ts";
import { type RunSample, SAMPLED_TAGS } from "../../src/measurement/compare/run_sample.ts";

/** Start of every such run, nanoseconds since 1970. */
const START_NS = 1_795_000_000_000_000_000n;
const UNITS: Readonly<Record<typeof SAMPLED_TAGS[number], string>> = {
  "time_to_first_token": "ms",
  "inter_token_latency": "ms",
  "request_latency": "ms",
  "output_sequence_length": "tokens",
};

/**
 * Writes a made-up run into a folder as AIPerf leaves one: its requests as lines, and a summary. What
 * is compared then depends on no clock.
 */
export async function writeExportedRun(folder: string, sample: RunSample): Promise<void> {
  const valueOf = (tag: string, row: number): number => sample.columns.get(tag)?.[row] as number;
  const lines = Array.from(sample.startSeconds, (seconds, row) =>
    JSON.stringify({
      "metadata": {
        "request_start_ns": Number(START_NS + BigInt(Math.round(seconds * 1e9))),
        "benchmark_phase": "profiling",
      },
      "metrics": Object.fromEntries(
        SAMPLED_TAGS.map((tag) => [tag, { "value": valueOf(tag, row), "unit": UNITS[tag] }]),
      ),
      "error": null,
    }));
  const summary = Object.fromEntries(
    SAMPLED_TAGS.map((tag) => {
      const { avg, min, max, p50, p99 } = summarize(sample.columns.get(tag) as Float64Array);
      return [tag, { "unit": UNITS[tag], avg, min, max, p50, p99 }];
    }),
  );
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/profile_export.jsonl`, `${lines.join("\n")}\n`);
  await Deno.writeTextFile(
    `${folder}/profile_export_aiperf.json`,
    JSON.stringify({ ...summary, "input_config": {}, "was_cancelled": false }),
  );
}
