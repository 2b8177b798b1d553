// deno-lint-ignore-file no-console
/**
 * Holds the directions in which the rooms of `src/` may import from each other.
 *
 * A run's data flows from the command line to the files; a room may use the rooms that come before
 * it in the making of that data, and what it calls, never the other way round, and nothing imports
 * the command line. Type-only imports count as well; sub-folders are rooms of their own; no files
 * import each other in a circle.
 *
 * Packages are named in full (`npm:zod@4.6.7`), as `deno.json` has them: a project that imports
 * `mod.ts` does not see our import map.
 */

import denoConfig from "../deno.json" with { type: "json" };

/**
 * The rooms from the lowest to the highest, and what each may import besides itself: only rooms that
 * stand above its own row, so that there can be no circle. A row goes on in lines that are indented.
 */
const ROOMS: readonly (readonly [room: string, mayImport: readonly string[]])[] = readRooms(`
core/chart:
core/thread:
core/files: core/thread
core/chart/png: core/files
core/statistics:
core/block_file: core/statistics
core/statistics/histogram: core/statistics
core/secrets:
core/run_end:
core/session_graph: core/statistics
client/record: core/block_file
client/sse:
client/http:
client/endpoint/protocol: client/record client/sse core/secrets
client/endpoint/anthropic: client/endpoint/protocol
client/endpoint/ollama: client/endpoint/protocol
client/endpoint/openai: client/endpoint/ollama client/endpoint/protocol
client/endpoint/embeddings: client/endpoint/openai client/endpoint/protocol
client/endpoint/engines: client/endpoint/openai client/endpoint/protocol
client/endpoint/media: client/endpoint/protocol
client/endpoint/rankings: client/endpoint/protocol
client/endpoint/template: client/endpoint/openai client/endpoint/protocol
client/endpoint/constraint: client/endpoint/protocol
client/endpoint: client/endpoint/anthropic client/endpoint/embeddings client/endpoint/engines
  client/endpoint/media client/endpoint/ollama client/endpoint/openai client/endpoint/protocol
  client/endpoint/rankings client/endpoint/template
measurement/canary: core/block_file core/statistics core/thread
measurement/metrics: client/record core/session_graph core/statistics
measurement/own_error: core/statistics measurement/canary measurement/metrics
measurement/sampling: core/statistics measurement/metrics measurement/own_error
measurement/steady: core/statistics measurement/metrics
measurement/answers: client/record core/statistics measurement/metrics
measurement/compare: core/statistics core/statistics/histogram measurement/answers
measurement/prefix: core/block_file core/statistics
measurement/answers/patterns: core/thread
measurement/answers/expected: client/endpoint/protocol client/record measurement/answers
  measurement/answers/patterns
measurement/answers/structured: client/endpoint/constraint client/endpoint/protocol client/record core/files
  measurement/answers measurement/answers/expected measurement/answers/patterns
measurement/answers/shown: core/files core/secrets measurement/answers measurement/answers/expected
measurement/calibration: core/files core/statistics
telemetry/prometheus:
telemetry/timeseries: core/statistics core/statistics/histogram telemetry/prometheus
telemetry/gpu: core/statistics telemetry/timeseries
telemetry/network_latency: core/thread
telemetry/engines: core/statistics telemetry/timeseries
telemetry/scrape: client/http core/thread telemetry/engines telemetry/prometheus
config/public_datasets:
config/options: core/secrets
config/options/profile: client/endpoint config/options config/public_datasets
  core/statistics/histogram
config/options/commands: config/options config/options/profile
config/options/config: config/options core/files
config/shard: config/options core/files core/run_end
config/sandbox: client/http config/shard
config/launch: config/options config/options/commands core/secrets
config/translate: config/options config/options/commands config/public_datasets
config/hub: config/options core/secrets
config/gate: config/options core/statistics measurement/compare measurement/metrics measurement/answers
  measurement/own_error measurement/sampling telemetry/engines telemetry/gpu
config/plan: client/endpoint/protocol client/http config/gate config/options config/options/profile
  config/shard core/session_graph core/statistics/histogram measurement/metrics telemetry/gpu
  telemetry/network_latency
  telemetry/scrape
config/plan/load: config/options config/options/profile config/plan config/shard core/files
  measurement/calibration
config/plan/prompts: client/endpoint client/endpoint/protocol config/hub config/options
  config/options/profile config/plan config/plan/load config/public_datasets core/files
  core/session_graph
config/plan/servers: client/endpoint client/endpoint/protocol client/http config/options
  config/options/profile config/plan core/files core/secrets telemetry/engines telemetry/gpu
  telemetry/scrape
config/plan/resolve: client/endpoint client/endpoint/protocol config/gate config/hub config/options
  config/options/commands config/options/profile config/plan config/plan/load config/plan/prompts
  config/plan/servers config/shard core/files core/secrets measurement/metrics telemetry/gpu
load/rendezvous: config/shard core/thread
load/dataset/payloads: client/endpoint/protocol client/http config/plan config/shard core/session_graph
  core/statistics core/thread
load/dataset/tokenizers: config/hub config/plan core/files core/thread
load/dataset/conversations: client/endpoint/constraint client/endpoint/protocol client/http config/plan core/files
  core/session_graph measurement/answers/expected
  core/thread load/dataset/payloads load/dataset/tokenizers
load/dataset/corpus: config/plan core/files core/statistics load/dataset/tokenizers
load/dataset/media: client/endpoint/protocol config/plan core/files core/statistics
load/dataset/synthetic: client/endpoint/constraint client/endpoint/protocol config/plan core/files core/statistics
  measurement/answers/expected
  load/dataset/conversations load/dataset/corpus load/dataset/media load/dataset/payloads
  load/dataset/tokenizers
load/dataset: client/endpoint client/endpoint/protocol config/plan core/files core/thread
  load/dataset/conversations load/dataset/payloads load/dataset/synthetic load/dataset/tokenizers
load/dataset/formats: client/endpoint/protocol client/http config/plan core/files core/statistics
  measurement/answers/expected
  core/thread load/dataset load/dataset/conversations load/dataset/corpus load/dataset/media
  load/dataset/synthetic load/dataset/tokenizers
load/dataset/public: client/endpoint/protocol config/hub config/plan config/public_datasets
  core/files core/secrets core/thread load/dataset load/dataset/conversations load/dataset/formats
  load/dataset/synthetic
load/sessions/model: client/endpoint/protocol client/http core/files core/session_graph core/statistics
  load/dataset/formats
load/sessions/index: core/files core/statistics load/dataset/conversations
  load/dataset/formats load/sessions/model
load/sessions/formats: client/endpoint/protocol core/files core/statistics load/dataset/formats
  load/sessions/model
load/sessions: client/endpoint/protocol config/plan core/files core/session_graph load/dataset
  load/dataset/conversations load/dataset/corpus load/dataset/formats load/dataset/payloads
  load/dataset/tokenizers load/sessions/formats load/sessions/index load/sessions/model
load/inputs: config/hub config/plan config/sandbox core/files core/thread load/dataset
  load/dataset/conversations load/dataset/formats load/dataset/payloads load/dataset/public
  load/dataset/tokenizers load/sessions
load/verify: client/endpoint client/endpoint/protocol client/http config/plan core/statistics core/thread
  load/dataset/payloads measurement/answers
load/workload: config/options config/plan config/shard core/statistics load/dataset/payloads
load/worker: client/endpoint client/endpoint/protocol client/http client/record config/options
  config/plan config/shard core/run_end core/secrets core/session_graph core/statistics core/thread
  load/dataset/payloads load/workload measurement/canary
mock: client/endpoint client/endpoint/constraint client/endpoint/protocol client/http config/options/commands core/files
  core/statistics core/thread load/dataset/tokenizers telemetry/prometheus
report/html/browser: core/chart
report/server_info: client/http config/plan core/secrets telemetry/engines
report/diagnosis:
report/model: client/endpoint client/record config/gate config/plan core/run_end core/session_graph
  core/statistics measurement/answers
  core/statistics/histogram measurement/metrics measurement/own_error measurement/prefix measurement/sampling
  measurement/steady report/diagnosis report/server_info telemetry/engines telemetry/gpu
  telemetry/timeseries
report/export: client/http core/files measurement/metrics report/model
report/export/requests: client/endpoint/protocol client/http client/record client/sse config/plan
  core/files core/secrets core/session_graph load/dataset/payloads load/workload measurement/answers
  measurement/metrics report/export
  report/model
report/export/server_metrics: config/plan core/files report/export report/model telemetry/engines
  telemetry/prometheus telemetry/timeseries
report/export/summary: measurement/sampling report/diagnosis config/plan core/files core/secrets core/statistics measurement/metrics
  measurement/own_error report/export report/model report/server_info telemetry/gpu
  telemetry/network_latency telemetry/timeseries
report/export/verdicts: config/gate config/plan core/files core/run_end measurement/compare
  measurement/metrics report/export
report/export/schemas: client/record config/options config/options/commands core/run_end measurement/answers
  measurement/metrics measurement/own_error report/diagnosis report/export/server_metrics
  report/export/summary telemetry/engines telemetry/gpu
report/sweep: config/gate config/options config/options/commands core/chart core/files core/run_end
  core/statistics measurement/metrics report/diagnosis report/export report/model
report/console: client/endpoint client/endpoint/protocol config/gate core/statistics measurement/answers
  report/diagnosis
  measurement/calibration measurement/compare measurement/metrics measurement/own_error
  measurement/sampling report/model report/server_info report/sweep telemetry/engines
  telemetry/gpu
report/live: client/http config/plan core/files core/statistics core/thread measurement/canary
  measurement/metrics report/console report/diagnosis report/model telemetry/engines
  telemetry/prometheus telemetry/timeseries
report/live/browser: core/chart report/live
report/trace_analysis: client/endpoint/openai client/endpoint/protocol config/options config/plan
  core/chart core/session_graph core/statistics load/dataset/conversations load/dataset/corpus
  load/dataset/formats load/dataset/tokenizers load/sessions load/sessions/formats
  load/sessions/model report/console
report/html: config/plan core/chart core/files core/statistics load/workload measurement/compare measurement/answers
  measurement/metrics measurement/own_error measurement/sampling report/console report/diagnosis
  report/export report/html/browser report/model report/server_info report/sweep telemetry/engines
results/foreign: config/options core/statistics report/export report/export/summary
results/server_metrics: config/plan core/block_file core/secrets core/statistics
  core/statistics/histogram core/thread report/console report/export report/export/requests
  report/export/server_metrics report/model telemetry/prometheus telemetry/scrape
  telemetry/timeseries
results/collect: client/endpoint client/endpoint/protocol client/http client/record config/gate measurement/answers
  measurement/answers/expected measurement/answers/patterns measurement/answers/shown
  measurement/answers/structured
  config/plan config/sandbox config/shard core/block_file core/chart/png core/files core/run_end
  core/secrets core/session_graph core/statistics core/thread load/dataset/conversations load/dataset/payloads
  load/dataset/tokenizers load/worker load/workload measurement/canary measurement/compare
  measurement/metrics measurement/own_error measurement/prefix measurement/sampling measurement/steady report/console report/diagnosis
  report/export report/export/requests report/export/summary report/export/verdicts report/html
  report/live report/model report/server_info results/server_metrics telemetry/engines
  telemetry/gpu telemetry/network_latency telemetry/scrape telemetry/timeseries
results/merge: client/record config/plan config/shard core/run_end report/export report/model
  results/collect
results/sinks: client/record config/plan core/secrets core/statistics core/thread
  measurement/metrics report/console report/export report/model results/collect
results/sweeps: measurement/compare report/model report/sweep results/collect
results/runs: config/gate config/options config/plan core/chart core/files core/run_end
  report/console report/export report/export/summary report/server_info results/collect
results/bundle: client/record config/plan core/files core/secrets measurement/canary report/export
  results/collect results/server_metrics telemetry/scrape
run/runner: client/endpoint client/http config/gate config/hub config/options/profile config/plan load/verify measurement/answers
  config/options measurement/answers/patterns measurement/answers/structured
  config/plan/resolve config/sandbox config/shard core/run_end core/secrets core/statistics
  core/thread load/dataset load/dataset/conversations load/dataset/payloads
  load/dataset/public load/dataset/tokenizers load/inputs load/rendezvous load/sessions load/worker load/workload measurement/canary report/export
  report/export/summary report/live report/model report/server_info results/collect
  results/server_metrics results/sinks telemetry/engines telemetry/network_latency
  telemetry/prometheus
  telemetry/scrape telemetry/timeseries
run/campaign: config/gate config/options config/options/commands config/options/profile config/plan
  config/plan/load config/plan/resolve core/files core/run_end core/secrets core/thread
  measurement/calibration report/console report/export report/html report/model report/sweep
  results/collect run/runner
cli/terminal: config/options core/files core/run_end core/thread report/console report/live run/runner
cli/operands: cli/terminal config/options core/files core/thread measurement/compare report/console
  report/export report/export/verdicts report/html report/model results/collect results/sweeps
cli/campaign: cli/operands cli/terminal config/gate config/options config/options/commands
  config/options/profile config/plan config/plan/load config/plan/resolve core/files core/secrets
  measurement/metrics report/console report/export report/html report/sweep results/collect run/campaign results/sweeps
cli/command_line: config/options core/secrets report/console run/runner
cli/config: cli/campaign cli/terminal config/options config/options/commands config/options/config
  config/plan/resolve core/files core/secrets report/sweep run/campaign run/runner
cli/profile: cli/campaign cli/operands cli/terminal config/gate config/options
  config/options/commands config/options/config config/options/profile config/plan config/plan/load
  config/plan/resolve config/plan/servers config/public_datasets config/sandbox core/files
  core/run_end core/secrets core/thread measurement/calibration measurement/metrics mock
  report/console report/export/verdicts report/model report/sweep report/trace_analysis
  results/collect run/campaign run/runner
cli/commands: cli/campaign cli/command_line cli/config cli/operands cli/profile cli/terminal
  config/gate config/hub config/launch config/options config/options/commands config/options/config
  config/options/profile config/plan config/plan/load config/plan/prompts config/plan/resolve
  config/plan/servers config/sandbox config/translate core/chart core/files core/run_end
  core/secrets core/thread load/dataset/tokenizers measurement/calibration measurement/compare mock
  report/console report/export report/export/schemas report/export/verdicts report/html report/model
  report/trace_analysis results/bundle results/collect results/foreign results/merge results/runs
  results/server_metrics run/runner telemetry/engines telemetry/prometheus results/sweeps
cli: cli/command_line cli/commands cli/config cli/terminal config/options
  config/options/commands config/options/config config/plan report/console run/runner
`);

const root = new URL("../src/", import.meta.url);
const problems: string[] = [];
const order = new Map(ROOMS.map(([room], place) => [room, place]));
for (const [room, mayImport] of ROOMS) {
  for (const other of mayImport) {
    const place = order.get(other);
    if (place === undefined) {
      problems.push(`The table lets ${room}/ import ${other}/: no such room`);
    } else if (place >= (order.get(room) as number)) {
      problems.push(`The table lets ${room}/ import ${other}/, which does not come before it`);
    }
  }
}

// Rooms of a wing stand together, so wings import each other in one direction only.
const wings = ROOMS.map(([room]) => room.split("/", 1)[0] as string);
wings.forEach((wing, place) => {
  if (wing === wings[place - 1] || wings.indexOf(wing) === place) return;
  problems.push(`${ROOMS[place]?.[0]}/ stands apart from the other rooms of ${wing}/`);
});

const allowed = new Map(ROOMS);
const imports = new Map<string, readonly string[]>();
const used = new Set<string>();
for (const path of filesBelow("")) {
  const room = roomOf(path);
  imports.set(path, importsOf(path));
  if (room === "") continue;
  if (!allowed.has(room)) problems.push(`src/${room}/ is no known room`);
  for (const target of imports.get(path) as readonly string[]) {
    const other = roomOf(target);
    used.add(`${room} ${other}`);
    if (other !== room && !allowed.get(room)?.includes(other)) {
      problems.push(`src/${path} imports from ${other}/`);
    }
  }
}
for (const [room, mayImport] of ROOMS) {
  for (const other of mayImport) {
    if (used.has(`${room} ${other}`)) continue;
    problems.push(`The table lets ${room}/ import ${other}/, which no file there does`);
  }
}
for (const path of ["../mod.ts", ...imports.keys()]) {
  for (const specifier of packagesOf(path)) {
    if (!isKnownPackage(specifier)) {
      problems.push(`src/${path} imports "${specifier}", which deno.json does not name so`);
    }
  }
}
for (const circle of circles()) problems.push(`Circle of files: ${circle.join(" -> ")}`);

for (const problem of problems) console.error(problem);
console.log(`${problems.length === 0 ? "Import directions hold" : `${problems.length} problems`}`);
Deno.exit(problems.length === 0 ? 0 : 1);

function readRooms(table: string): [room: string, mayImport: string[]][] {
  return table.trim().split(/\n(?! )/).map((row) => {
    const [room = "", mayImport = ""] = row.split(":");
    return [room, mayImport.split(/\s+/).filter((other) => other !== "")];
  });
}

function* filesBelow(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, root))) {
    if (isDirectory) yield* filesBelow(`${folder}${name}/`);
    else if (name.endsWith(".ts")) yield folder + name;
  }
}

/** The folder of a file, or `` for those of `src/` itself. */
function roomOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The files of `src/` that a file imports, starts as a thread, or loads later. */
function importsOf(path: string): string[] {
  const text = Deno.readTextFileSync(new URL(path, root));
  return [...text.matchAll(/(?:from|import\(?|new URL\()\s*"(\.\.?\/[^"]+\.ts)"/g)].flatMap(
    ([, target]) => {
      const resolved = new URL(target as string, new URL(path, root)).pathname;
      return resolved.startsWith(root.pathname) ? [resolved.slice(root.pathname.length)] : [];
    },
  );
}

/** What a file imports that is no file and no part of the runtime; examples import the library. */
function packagesOf(path: string): string[] {
  const text = Deno.readTextFileSync(new URL(path, root));
  return [...text.matchAll(/(?:\bfrom |\bimport\(?\s*|@ts-types=)"(?!\.\.?\/|node:)([^"\s]+)"/g)]
    .map(([, specifier]) => specifier as string)
    .filter((specifier) => specifier !== denoConfig.name);
}

function isKnownPackage(specifier: string): boolean {
  return Object.values(denoConfig.imports)
    .some((known) => specifier === known || specifier.startsWith(`${known}/`));
}

/** Each circle of files once, beginning at any of its files. */
function circles(): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string): void => {
    const start = trail.indexOf(path);
    // An example in a comment imports its own file.
    const isCircle = start >= 0 && start < trail.length - 1;
    if (isCircle) found.push([...trail.slice(start), path]);
    if (start >= 0 || done.has(path)) return;
    trail.push(path);
    for (const target of imports.get(path) ?? []) visit(target);
    trail.pop();
    done.add(path);
  };
  for (const path of imports.keys()) visit(path);
  return found;
}
