import assert from "node:assert/strict";

/** A line of `profile_export.jsonl`. */
export interface RecordLine {
  readonly "metadata": Readonly<Record<string, unknown>> & {
    readonly "benchmark_phase": string;
    readonly "x_request_id": string;
    readonly "request_start_ns"?: number;
  };
  readonly "metrics": Readonly<Record<string, { readonly value: number | number[]; unit: string }>>;
  readonly "error"?: { readonly type: string; readonly message: string; readonly kind: string };
  readonly "trace_data"?: Readonly<Record<string, unknown>>;
}

/** The files of a run, parsed. */
export interface Artifacts {
  // deno-lint-ignore no-explicit-any -- what a reader of the file sees
  readonly json: any;
  readonly csv: string;
  readonly records: readonly RecordLine[];
  readonly consoleText: string;
  /** Names of the files in the folder itself. */
  readonly names: readonly string[];
}

/** Reads a run's folder. Fails if a file is missing, empty, cut, or not what its name says. */
export async function readArtifacts(directory: string): Promise<Artifacts> {
  const names: string[] = [];
  for await (const { name, isFile } of Deno.readDir(directory)) if (isFile) names.push(name);
  names.sort();
  assert.deepEqual(names.filter((name) => name.endsWith(".tmp")), [], "temporary files are left");
  const read = (name: string): Promise<string> => Deno.readTextFile(`${directory}/${name}`);
  const text = await read("profile_export.jsonl");
  assert.ok(text === "" || text.endsWith("\n"), "the last record is cut");
  const csv = await read("profile_export_aiperf.csv");
  assert.ok(csv.startsWith("Metric,avg,"), "the CSV has no header");
  JSON.parse(await read("inputs.json"));
  return {
    json: JSON.parse(await read("profile_export_aiperf.json")),
    csv,
    records: text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line)),
    consoleText: await read("profile_export_console.txt"),
    names,
  };
}

/** Runs a test with a folder that is removed afterwards. */
export async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "inferometer-" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Names of what a folder holds, in order. */
export async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) names.push(name);
  return names.sort();
}
