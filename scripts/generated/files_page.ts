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

\`inferometer profile\` writes into \`--artifact-dir\`. Names, keys, units and their order are AIPerf's,
so scripts for AIPerf's files work unchanged.

| file | contents |
| --- | --- |
| \`profile_export_aiperf.json\` | all metrics, errors, settings, client health, client error, diagnosis |
| \`profile_export_aiperf.csv\` | metrics as tables |
| \`report.html\` | results as a page with charts ([report](report.md)); \`--no-report\` omits it |
| \`conversations.html\` | multi-turn sessions, turn by turn: prompt growth, prefix cache hits, times ([sessions](sessions.md)) |
| \`sessions.jsonl\` | multi-turn sessions: a line each, with status, requests, tokens and the parts of its duration |
| \`profile_export.jsonl\` | one line per request, written during the run; warm-up is marked |
| \`profile_export_raw.jsonl\` | complete requests and replies, with \`--export-level raw\` |
| \`profile_export_aiperf_timeslices.json\`, \`.csv\` | metrics of time slices, with \`--slice-duration\` |
| \`inputs.json\` | prompts, readable by \`--input-file\`; absent for streamed files, and if bodies of agent sessions exceed 256 MiB |
| \`profile_export_console.txt\` | console report with all columns, as with \`--console full\` |
| \`server_metrics_export.json\` | statistics of the server metrics; \`--server-metrics-json-layout flat\` writes the older layout |
| \`server_metrics_export.csv\` | statistics of the server metrics in five sections: gauge, counter, histogram, unknown, info |
| \`server_metrics_export.parquet\` | every sample; counters and histograms as increases since the reference |
| \`server_metrics_export.jsonl\` | every scrape except exact duplicates, with \`--server-metrics-formats jsonl\` |
| \`plots/\` | charts as SVG or PNG, written by \`inferometer plot\` |
| \`gate.json\`, \`gate.md\`, \`junit.xml\` | results of the \`--slo\` objectives ([gates](gates.md)) |
| \`exports.json\` | what was sent to other systems, with \`--otlp\`, \`--mlflow-tracking-uri\` or \`--textfile\` ([integrations](integrations.md)) |
| \`sweep.json\`, \`sweep.md\`, \`sweep.html\`, \`search_export.json\`, \`aggregate/\`, \`sweep_aggregate/\` | results of several runs ([sweeps](sweeps.md), [search](search.md)) |
| \`run/\` | records and server samples, read only by inferometer |

\`aiperf_version\` contains \`inferometer/<version>\`. Times are ISO 8601 in UTC. Files are written under
a temporary name and renamed. Files of lines may end early, but never within a line.
\`--profile-export-prefix NAME\` changes the beginning of the names.

## Read results in scripts

\`\`\`python
import json

run = json.load(open("artifacts/first/profile_export_aiperf.json"))
whole = run["time_to_first_token"]["p99"]                          # whole run, in ms
steady = run["steady_state"]["metrics"]["time_to_first_token"]["p99"]
error = run["steady_state"]["measurement_error"]["metrics"]["time_to_first_token"]["p99"]
print(whole, steady, error["upper"], run["diagnosis"]["code"])
\`\`\`

Other programs read requests from \`profile_export.jsonl\` with any reader of JSON lines, such as
DuckDB's \`read_json\`, pandas' \`read_json(lines=True)\`, or jq.

\`server_metrics_export.csv\` has up to five tables with blank lines between them. One line of pandas
reads them by type:

\`\`\`python
import io, pandas as pd
tables = {t.get("Type", ["info"])[0]: t for t in map(pd.read_csv, map(io.StringIO, open("server_metrics_export.csv").read().strip().split("\\n\\n")))}
print(tables["counter"][["Metric", "total", "rate"]])
\`\`\`

## Steady state and validity

These keys of \`profile_export_aiperf.json\` describe which numbers can be [published](publishing.md):

| key | contents |
| --- | --- |
| \`steady_state\` | \`start_ns\`, \`end_ns\`, \`seconds\`, \`rule\`, \`metrics\`, \`sampling_error\`, \`measurement_error\`, \`verdict\`; or \`none\` with the reason |
| \`sampling_error\` | 95 % confidence interval of each statistic: \`lower\`, \`upper\`, and \`proven\` or \`not_proven\` |
| \`measurement_error\` | bounds of the client error of each statistic: \`lower\`, \`upper\`, and \`valid\`, \`suspect\` or \`invalid\` |
| \`validity\` | how many statistics are proven, and what blocks the others |
| \`load\` | offered and served rate, mean and target requests in flight, slope of the backlog, percentage of the window after the last send |
| \`diagnosis\` | \`code\`, \`text\`, \`cause\`, \`evidence\` (what, value, source), \`unknown\`, \`try\` |

In \`gate.json\`, each objective has \`met\`, \`conclusive\` and \`requests_needed\`. \`window\` names the
part of the run that a file describes: \`steady\` or \`run\` (\`--window\`).

## Run folder

All other files are a function of \`run/\`: \`inferometer report DIR\` rebuilds the summary files, byte
for byte. A killed run gives partial files, marked as such, that miss at most the last second.
\`--no-records\` omits the folder.

| file in \`run/\` | contents |
| --- | --- |
| \`run.json\` | plan without secrets, its hash, versions, machine, threads, phases, client health |
| \`records.bin\` | requests: 120 bytes each, and four for each chunk |
| \`canaries.bin\` | read delays of the canaries |
| \`server_metrics.bin\`, \`gpu_telemetry.bin\` | scrapes: one or two bytes for each value that changed by a whole step, ten for others |

Blocks have checksums. A changed block is excluded from all statistics, and a note names the file or
the number of requests without a record. The last property of \`run.json\` is its checksum. A wrong
one causes a warning; a file rewritten in one line, or without the checksum, does not. A million
requests of 8 chunks take 86 MB in \`records.bin\`, and about 2 GB in \`profile_export.jsonl\`.

## Shards

Each process of a run with \`--shard\` writes a folder such as \`shard-0003-of-0008/\` into
\`--artifact-dir\`. It is a run folder with \`shard.json\`: plan hash, version, seed, host, start, clock,
counts, exit reason, and length and sha256 of each file.

\`inferometer merge DIR\` checks the shards and writes the files that one process would have written,
byte for byte. Lines are in the order in which requests ended, and percentiles are of all values.
\`run/run.json\` names the shards, which remain: their records are used by \`report\`, \`compare\`,
\`gate\`, \`recompute\` and \`plot\`. \`bundle\` packs them as one file. Shards of machines with
different clocks keep their own times; the measured offsets are applied when they are read.

A shard that is missing, changed or killed is named, and nothing is merged. \`--allow-missing\` merges
the rest: all records of a killed process, none of a changed shard. \`incomplete\` then lists in every
summary, page and gate file which shards are affected and what percentage of the plan is missing.
Nothing is extrapolated. Shards of another plan, version or seed are always refused.

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
  return `| key | present | contents |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
}
