/** The page `docs/files.md`: the files of a run, and the keys of those that have a JSON Schema. */

import { EXIT_CODE } from "../../src/cli/terminal/exit_code.ts";
import {
  END_REASON_NAMES,
  END_REASONS,
  type EndReason,
  isFailure,
} from "../../src/core/run_end/end_reason.ts";
import type { JsonSchema } from "../../src/report/export/schemas/json_schema.ts";
import { SCHEMAS } from "../../src/report/export/schemas/schemas.ts";

const INTRODUCTION =
  `<!-- Made from the JSON Schemas by scripts/build_generated.ts, not by hand. -->

# Files

\`inferometer profile\` writes into \`--artifact-dir\`:

| file | what is in it |
| --- | --- |
| \`profile_export_aiperf.json\` | every metric, errors, settings, the client's own health |
| \`profile_export_aiperf.csv\` | the metrics as tables |
| \`report.html\` | the results as a page with pictures ([the report](report.md)); \`--no-report\` leaves it out |
| \`conversations.html\` | sessions of several turns, turn by turn: the growing prompt, what caches had, times; see [sessions](sessions.md) |
| \`profile_export.jsonl\` | a line for each request, written during the run; warm-up is marked |
| \`profile_export_raw.jsonl\` | whole requests and replies, with \`--export-level raw\` |
| \`profile_export_aiperf_timeslices.json\`, \`.csv\` | with \`--slice-duration\` |
| \`inputs.json\` | the prompts, readable by \`--input-file\` |
| \`profile_export_console.txt\` | the report with all columns, as \`--console full\` shows it |
| \`server_metrics_export.json\` | statistics of the servers' metrics; \`--server-metrics-json-layout flat\` has the older layout |
| \`server_metrics_export.csv\` | the same in five sections: gauge, counter, histogram, unknown, info |
| \`server_metrics_export.parquet\` | every sample; counters and histograms as increases since the reference |
| \`server_metrics_export.jsonl\` | every scrape but exact duplicates, with \`--server-metrics-formats jsonl\` |
| \`plots/\` | pictures as SVG or PNG, by \`inferometer plot\` |
| \`gate.json\`, \`gate.md\`, \`junit.xml\` | what became of the \`--slo\` objectives, for programs, people and CI servers; see [gates](gates.md) |
| \`exports.json\` | what other systems got of the run, with \`--otlp\`, \`--mlflow-tracking-uri\` or \`--textfile\`; see [other systems](integrations.md) |
| \`sweep.json\`, \`sweep.md\`, \`sweep.html\`, \`search_export.json\`, \`aggregate/\`, \`sweep_aggregate/\` | what is made of several runs; see [sweeps](sweeps.md) and [search](search.md) |
| \`run/\` | the records and server samples themselves, which only this program reads |

Names, keys, units and their order are AIPerf's, so that scripts written for its files work
unchanged. \`aiperf_version\` carries \`inferometer/<version>\`. Times are ISO 8601 in UTC. Files are
written under a temporary name and renamed; files of lines may end early, never in half a line.
\`--profile-export-prefix NAME\` changes the beginning of the names.

## run/

Everything else that a run writes is a function of this folder: \`inferometer report DIR\` makes the
summary files again, byte for byte. Of a run that was killed it makes partial ones which say so; at
most the last second is missing. A record takes about 120 bytes, and four more for each chunk of its
reply; a scrape one or two bytes for each value that changed by a whole step, ten for others.
\`--no-records\` leaves the folder out. It holds \`run.json\` (the plan without secrets, its hash,
versions, machine, threads, phases, what the client measured of itself), \`records.bin\`,
\`canaries.bin\`, \`server_metrics.bin\` and \`gpu_telemetry.bin\`. What stands in those was written in
blocks with a checksum each: a block that has changed since is left out of every figure, and a note
names the file or says how many requests have no record. The last property of \`run.json\` is its own
checksum: where that is wrong, the file is read all the same, with a warning. A program that writes
it anew in one line, or without the checksum, causes none.

Other programs read the same requests in \`profile_export.jsonl\`: any reader of JSON lines, such as
DuckDB's \`read_json\`, pandas' \`read_json(lines=True)\` or jq. Of a million requests of 8 chunks
\`records.bin\` takes 86 MB, the lines take about 2 GB.

## Shards

Of a run with \`--shard\`, each process writes a folder like \`shard-0003-of-0008/\` into
\`--artifact-dir\`: an ordinary run folder, and last of all \`shard.json\` (plan hash, version, seed,
host, start, clock, counts, exit reason, and length and sha256 of each file).
\`inferometer merge DIR\` checks all of that and writes into \`DIR\` every file that one process would
have written of the same requests, byte for byte: lines in the order in which requests ended,
percentiles of all values. \`run/run.json\` then names the shards, which stay: their records are those
of the run, for \`report\`, \`compare\`, \`gate\`, \`recompute\` and \`plot\`; \`bundle\` packs them as one
file. Records of machines whose clocks differ keep their own times in the shards' folders; what was
measured of the clocks is applied where they are read.

A shard that is missing, was changed, or was killed is named, and nothing is merged.
\`--allow-missing\` merges what there is: of a killed process all that it had recorded, of one whose
files were changed nothing. Then \`incomplete\` says which shards, what part of its own each left
undone, and what share of the plan that is in all, in every summary, page, gate file and line, and
in the metadata of tables; nothing is scaled up. So it does of shards that were interrupted, or
ended early, by themselves. (The CSV files of slices and server metrics, and \`inputs.json\`, have no
place for it.) Shards of another plan, version or seed are always refused.

## Why a run ended

\`ended_early_reason\` is a code from this list, or null if the run did all that was planned. It is
part of \`profile_export_aiperf.json\`, \`run/run.json\`, \`shard.json\` and \`gate.json\`, of each
point and failed run of a sweep or search, and of \`inferometer runs --json\`. Scripts should read the
code: the sentence next to it, \`ended_early\`, may contain the server's own words.

If several codes apply, the first in this order is reported. Folders of version 0.1.0 have no codes;
the code is derived when they are read.

END_REASONS

Without an exit code in the table, the results decide: 1 if no request succeeded, 3 if an objective
was missed, else 0.

## Keys

\`inferometer schema NAME\` prints the whole JSON Schema of a file.
`;

/** What stands in `docs/files.md`. */
export function filesPage(): string {
  return [
    INTRODUCTION.replace("END_REASONS", reasonsTable()),
    ...[...SCHEMAS].map(([name, schema]) => `### ${name}\n\n${keysOf(schema)}`),
  ].join("\n");
}

function reasonsTable(): string {
  const exitCode = (name: EndReason): number | string =>
    name === "interrupted" || name === "terminated"
      ? EXIT_CODE[name]
      : isFailure(name)
      ? EXIT_CODE.failed
      : "";
  return [
    "| code | meaning | exit code |",
    "| --- | --- | --- |",
    ...END_REASON_NAMES.map((name) =>
      `| \`${name}\` | ${END_REASONS[name].meaning.replaceAll(/--[a-z-]+/g, "`$&`")} | ${
        exitCode(name)
      } |`
    ),
  ].join("\n");
}

function keysOf(schema: JsonSchema): string {
  const properties = schema["properties"] as Readonly<Record<string, JsonSchema>> | undefined;
  if (properties === undefined) return "See its schema.\n";
  const required = new Set(schema["required"] as readonly string[] ?? []);
  const rows = Object.entries(properties).map(([key, value]) => {
    const about = typeof value["description"] === "string" ? value["description"] : "";
    return `| \`${key}\` | ${required.has(key) ? "always" : ""} | ${
      about.replaceAll("|", "\\|")
    } |`;
  });
  return `| key | there | what it is |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
}
