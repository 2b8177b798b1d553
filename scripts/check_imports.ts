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
 * stand above its own row, so that there can be no circle.
 */
const ROOMS: readonly (readonly [room: string, mayImport: readonly string[]])[] = [
  ["chart", []],
  ["html/browser", ["chart"]],
  ["thread", []],
  ["files", ["thread"]],
  ["chart/png", ["files"]],
  ["block_file", []],
  ["record", ["block_file"]],
  ["sse", []],
  ["statistics", []],
  ["prometheus", []],
  ["statistics/histogram", ["prometheus", "statistics"]],
  ["http", []],
  ["canary", ["block_file", "statistics", "thread"]],
  ["secrets", []],
  ["public_datasets", []],
  ["endpoint", ["record", "secrets", "sse"]],
  ["options", ["endpoint", "files", "public_datasets", "secrets", "statistics/histogram"]],
  ["partition", ["options"]],
  ["rendezvous", ["partition", "thread"]],
  ["sandbox", ["http", "partition"]],
  ["launch", ["options", "secrets"]],
  ["translate", ["options", "public_datasets"]],
  ["hub", ["options", "secrets"]],
  ["timeseries", ["prometheus", "statistics", "statistics/histogram"]],
  ["gpu_telemetry", ["statistics", "timeseries"]],
  ["network_latency", ["thread"]],
  ["metrics", ["record", "statistics"]],
  ["own_error", ["canary", "metrics", "statistics"]],
  ["compare", ["statistics"]],
  ["gate", ["compare", "gpu_telemetry", "metrics", "options", "statistics"]],
  ["scrape", ["http", "prometheus", "thread"]],
  ["calibration", ["files", "statistics"]],
  [
    "plan",
    [
      ...["calibration", "endpoint", "files", "gate", "gpu_telemetry", "http", "hub", "metrics"],
      ...["network_latency", "options", "partition", "public_datasets", "scrape", "secrets"],
      "statistics/histogram",
    ],
  ],
  ["server_info", ["http", "plan", "secrets"]],
  ["dataset", ["endpoint", "files", "http", "hub", "plan", "statistics", "thread"]],
  ["dataset/formats", ["dataset", "endpoint", "files", "http", "plan", "statistics", "thread"]],
  [
    "dataset/public",
    [
      ...["dataset", "dataset/formats", "endpoint", "hub", "plan", "public_datasets"],
      ...["secrets", "thread"],
    ],
  ],
  ["workload", ["dataset", "partition", "plan", "statistics"]],
  [
    "load",
    [
      ...["canary", "dataset", "endpoint", "http", "options", "plan", "record", "secrets"],
      ...["partition", "statistics", "thread", "workload"],
    ],
  ],
  [
    "report",
    [
      ...[
        "endpoint",
        "gate",
        "gpu_telemetry",
        "metrics",
        "own_error",
        "plan",
        "record",
        "statistics",
        "statistics/histogram",
        "server_info",
      ],
      "timeseries",
    ],
  ],
  [
    "export",
    [
      ...["compare", "dataset", "endpoint", "files", "gate", "gpu_telemetry", "http", "metrics"],
      ...["network_latency", "own_error", "plan"],
      ...[
        "prometheus",
        "record",
        "report",
        "secrets",
        "server_info",
        "sse",
        "statistics",
        "timeseries",
        "workload",
      ],
    ],
  ],
  ["shard", ["export", "partition"]],
  ["exchange", ["export", "options", "statistics"]],
  ["export/schemas", ["export", "gpu_telemetry", "metrics", "options", "own_error", "record"]],
  ["sweep", ["export", "gate", "metrics", "options", "statistics"]],
  [
    "ui",
    [
      ...["calibration", "compare", "endpoint", "gate", "gpu_telemetry", "metrics", "report"],
      ...["server_info", "statistics", "sweep"],
    ],
  ],
  [
    "live",
    ["canary", "metrics", "plan", "report", "statistics", "thread", "timeseries", "ui"],
  ],
  ["live/browser", ["live"]],
  [
    "trace_analysis",
    ["chart", "dataset", "dataset/formats", "endpoint", "statistics", "ui"],
  ],
  [
    "html",
    [
      ...["chart", "compare", "export", "html/browser", "metrics", "own_error", "plan", "report"],
      ...["server_info", "statistics", "sweep", "workload"],
    ],
  ],
  [
    "server_metrics",
    [
      ...["block_file", "export", "plan", "prometheus", "report", "scrape", "secrets"],
      ...["statistics", "statistics/histogram", "thread", "timeseries", "ui"],
    ],
  ],
  [
    "results",
    [
      ...["block_file", "canary", "chart/png", "compare", "dataset", "endpoint", "export"],
      ...["files", "gate", "gpu_telemetry", "html", "network_latency"],
      ...[
        "http",
        "live",
        "load",
        "metrics",
        "own_error",
        "plan",
        "record",
        "report",
        "scrape",
        "secrets",
      ],
      ...[
        "server_info",
        "partition",
        "server_metrics",
        "shard",
        "statistics",
        "thread",
        "timeseries",
        "ui",
      ],
    ],
  ],
  ["merge", ["export", "partition", "plan", "record", "report", "results", "shard"]],
  [
    "systems",
    ["export", "http", "metrics", "plan", "record", "report", "results", "secrets", "statistics"]
      .concat(["thread", "ui", "workload"]),
  ],
  [
    "run",
    [
      "network_latency",
      ...[
        "canary",
        "dataset",
        "dataset/formats",
        "dataset/public",
        "endpoint",
        "export",
        "gate",
        "hub",
        "http",
        "live",
        "load",
        "options",
        "plan",
        "prometheus",
      ],
      ...[
        "rendezvous",
        "report",
        "results",
        "shard",
        "sandbox",
        "scrape",
        "secrets",
        "server_info",
        "server_metrics",
      ],
      ...["partition", "statistics", "systems", "thread", "timeseries", "workload"],
    ],
  ],
  [
    "campaign",
    [
      ...["calibration", "export", "html", "options", "plan", "report", "results", "run"],
      ...["secrets", "sweep", "ui"],
    ],
  ],
  ["history", ["chart", "export", "gate", "options", "plan", "results", "server_info", "ui"]],
  [
    "bundle",
    ["block_file", "canary", "export", "files", "plan", "record", "results", "scrape", "secrets"]
      .concat(["server_metrics"]),
  ],
  ["mock", ["dataset", "endpoint", "files", "http", "options", "statistics", "thread"]],
  [
    "cli",
    [
      ...["bundle", "calibration", "campaign", "chart", "compare", "exchange", "export"],
      "export/schemas",
      ...["files", "gate", "history", "html", "launch", "live", "merge", "metrics"],
      ...["mock", "options", "plan", "prometheus", "public_datasets", "report", "results", "run"],
      "sandbox",
      ...["secrets", "server_metrics", "sweep", "thread", "trace_analysis", "translate", "ui"],
    ],
  ],
];

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
for (const path of filesBelow("")) {
  const room = roomOf(path);
  imports.set(path, importsOf(path));
  if (room === "") continue;
  if (!allowed.has(room)) problems.push(`src/${room}/ is no known room`);
  for (const target of imports.get(path) as readonly string[]) {
    const other = roomOf(target);
    if (other !== room && !allowed.get(room)?.includes(other)) {
      problems.push(`src/${path} imports from ${other}/`);
    }
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
