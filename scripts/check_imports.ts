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
chart:
html/browser: chart
thread:
files: thread
chart/png: files
statistics:
block_file: statistics
record: block_file
sse:
prometheus:
statistics/histogram: prometheus statistics
http:
canary: block_file statistics thread
secrets:
public_datasets:
endpoint/protocol: record secrets sse
endpoint/anthropic: endpoint/protocol
endpoint/ollama: endpoint/protocol
endpoint/openai: endpoint/ollama endpoint/protocol
endpoint/embeddings: endpoint/openai endpoint/protocol
endpoint/engines: endpoint/openai endpoint/protocol
endpoint/media: endpoint/protocol
endpoint/rankings: endpoint/protocol
endpoint/template: endpoint/openai endpoint/protocol
endpoint: endpoint/anthropic endpoint/embeddings endpoint/engines endpoint/media endpoint/ollama
  endpoint/openai endpoint/protocol endpoint/rankings endpoint/template
options: secrets
options/profile: endpoint options public_datasets statistics/histogram
options/commands: options options/profile
options/config: files options
partition: options
rendezvous: partition thread
sandbox: http partition
launch: options options/commands secrets
translate: options options/commands public_datasets
hub: options secrets
timeseries: prometheus statistics statistics/histogram
gpu_telemetry: statistics timeseries
network_latency: thread
metrics: record statistics
own_error: canary metrics statistics
compare: statistics
gate: compare gpu_telemetry metrics options statistics
scrape: http prometheus thread
calibration: files statistics
plan: endpoint/protocol gate gpu_telemetry http metrics network_latency options options/profile
  partition scrape statistics/histogram
plan/load: calibration files options options/profile partition plan
plan/prompts: endpoint endpoint/protocol files hub options options/profile plan plan/load
  public_datasets
plan/servers: endpoint/protocol files gpu_telemetry http options options/profile plan scrape
  secrets
plan/resolve: endpoint endpoint/protocol files gate gpu_telemetry hub metrics options
  options/commands options/profile partition plan plan/load plan/prompts plan/servers secrets
server_info: http plan secrets
dataset/payloads: endpoint/protocol http plan statistics thread
dataset/tokenizers: files hub plan
dataset/conversations: dataset/payloads dataset/tokenizers endpoint/protocol files plan thread
dataset/corpus: dataset/tokenizers files plan statistics
dataset/media: endpoint/protocol files plan statistics
dataset/synthetic: dataset/conversations dataset/corpus dataset/media dataset/payloads
  dataset/tokenizers endpoint/protocol files plan statistics
dataset: dataset/conversations dataset/payloads dataset/synthetic dataset/tokenizers endpoint
  endpoint/protocol files plan thread
dataset/formats: dataset dataset/conversations dataset/corpus dataset/media dataset/synthetic
  dataset/tokenizers endpoint/protocol files http plan statistics thread
dataset/public: dataset dataset/conversations dataset/formats dataset/synthetic
  endpoint/protocol files hub plan public_datasets secrets thread
workload: dataset/payloads partition plan statistics
load: canary dataset/payloads endpoint endpoint/protocol http options partition plan record
  secrets statistics thread workload
report: endpoint gate gpu_telemetry metrics own_error plan record server_info statistics
  statistics/histogram timeseries
export: files http metrics report
export/requests: dataset/payloads endpoint/protocol export http metrics plan record report
  secrets sse workload
export/server_metrics: export plan prometheus report timeseries
export/summary: export gpu_telemetry metrics network_latency own_error plan report secrets
  server_info statistics timeseries
export/verdicts: compare export gate metrics plan
shard: export partition
exchange: export export/summary options statistics
export/schemas: export/server_metrics export/summary gpu_telemetry metrics options
  options/commands own_error record
sweep: export gate load metrics options options/commands statistics
ui: calibration compare endpoint endpoint/protocol gate gpu_telemetry metrics own_error report
  server_info statistics sweep
live: canary metrics plan prometheus report statistics thread timeseries ui
live/browser: live
trace_analysis: chart dataset/conversations dataset/corpus dataset/formats dataset/tokenizers
  endpoint/openai endpoint/protocol statistics ui
html: chart compare export html/browser metrics own_error plan report server_info statistics
  sweep workload
server_metrics: block_file export export/requests export/server_metrics plan prometheus report
  scrape secrets statistics statistics/histogram thread timeseries ui
results: block_file canary chart/png compare dataset/conversations dataset/payloads dataset/tokenizers endpoint
  endpoint/protocol export export/requests export/summary export/verdicts files gate
  gpu_telemetry html http live load metrics network_latency own_error partition plan record
  report sandbox scrape secrets server_info server_metrics shard statistics thread timeseries ui
merge: export partition plan record report results shard
systems: export metrics plan record report results secrets statistics thread ui
run: canary dataset dataset/conversations dataset/formats dataset/payloads dataset/public
  endpoint export export/summary gate http hub live load network_latency options/profile
  partition plan plan/resolve prometheus rendezvous report results sandbox scrape secrets
  server_info server_metrics shard statistics systems thread timeseries workload
campaign: calibration export html load options options/commands options/profile plan plan/load
  plan/resolve report results run secrets sweep ui
history: chart export export/summary gate options plan results server_info ui
bundle: canary export files plan record results scrape secrets server_metrics
mock: dataset/tokenizers endpoint endpoint/protocol files http options/commands prometheus
  statistics thread
cli/terminal: files live options run ui
cli/operands: cli/terminal compare export export/verdicts files html options results ui
cli/campaign: campaign cli/operands cli/terminal export files gate options options/commands
  options/profile plan plan/load plan/resolve secrets sweep ui
cli/command_line: options run secrets ui
cli/config: campaign cli/campaign cli/terminal files options options/commands options/config
  plan/resolve run secrets sweep
cli/profile: calibration campaign cli/campaign cli/operands cli/terminal files load metrics mock
  options options/commands options/config options/profile plan plan/load plan/resolve
  plan/servers public_datasets report results run sandbox secrets sweep thread ui
cli/commands: bundle calibration chart cli/campaign cli/command_line cli/config cli/operands
  cli/profile cli/terminal compare dataset/tokenizers exchange export export/schemas
  export/verdicts files gate history html hub launch merge mock options options/commands
  options/config options/profile plan
  plan/load plan/prompts plan/resolve plan/servers prometheus report results run sandbox secrets
  server_metrics trace_analysis translate ui
cli/confinement: cli/terminal options plan/servers run sandbox thread
cli: cli/command_line cli/commands cli/config cli/confinement cli/terminal options
  options/commands options/config plan run ui
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
