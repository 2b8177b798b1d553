/** The files that a run exports, as this program and AIPerf write them. */

import { fileReason } from "../../core/files/file_reason.ts";
import { artifactNames } from "../../report/export/artifact_names.ts";
import { unitOf } from "../../config/gate/unit.ts";
import { RunFolderError } from "./run_folder.ts";

/** An object in a file. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Names of the files of a run, by the beginning that the user gave them. */
export interface ExportedNames {
  /** undefined if it was never written. */
  readonly summary: string | undefined;
  readonly lines: string;
  readonly serverMetrics: string;
  /** May not exist: only runs with sessions have it. */
  readonly sessions: string;
}

/**
 * Finds the files of a run.
 * @throws {RunFolderError} if there is none
 */
export async function exportedNames(directory: string): Promise<ExportedNames> {
  const names = new Set<string>();
  try {
    for await (const { name } of Deno.readDir(directory)) names.add(name);
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound ? "No such folder" : fileReason(error);
    throw new RunFolderError(`${directory}: ${reason}`);
  }
  const usual = artifactNames(undefined);
  const candidates: ExportedNames[] = [
    {
      ...{ summary: usual.json, lines: usual.records, sessions: usual.sessions },
      serverMetrics: "server_metrics_export.json",
    },
  ];
  for (const name of names) {
    const prefix = /^(.+)\.jsonl$/.exec(name)?.[1];
    if (prefix === undefined) continue;
    const lines = `${prefix}.jsonl`;
    const serverMetrics = `${prefix}_server_metrics.json`;
    const { sessions } = artifactNames(prefix);
    candidates.push(
      { summary: `${prefix}.json`, lines, serverMetrics, sessions },
      { summary: `${prefix}_aiperf.json`, lines, serverMetrics, sessions },
    );
  }
  const has = (name: string | undefined): boolean => name !== undefined && names.has(name);
  const found = candidates.find(({ summary, lines }) => has(summary) && has(lines));
  if (found !== undefined) return found;
  const [killed] = candidates;
  if (killed !== undefined && has(killed.lines)) return { ...killed, summary: undefined };
  throw new RunFolderError(
    `${directory} holds no run: neither the records in run/, nor ${usual.json} together with ` +
      `${usual.records} are there`,
  );
}

/**
 * Reads a file that holds one object.
 * @throws {RunFolderError} if it cannot be read
 */
export async function readJson(path: string): Promise<JsonObject> {
  let value: unknown;
  try {
    value = JSON.parse(await Deno.readTextFile(path));
  } catch (error) {
    throw new RunFolderError(`${path}: ${(error as Error).message}`);
  }
  const object = objectOf(value);
  if (object === undefined) throw new RunFolderError(`${path}: Not a JSON object`);
  return object;
}

/** The names of a run's models by its settings, also as AIPerf wrote them until 0.9. */
export function modelNames(inputConfig: JsonObject): string {
  const items = objectOf(inputConfig["models"])?.["items"];
  const older = objectOf(inputConfig["endpoint"])?.["model_names"];
  const names = Array.isArray(items)
    ? items.map((item) => String(objectOf(item)?.["name"] ?? ""))
    : Array.isArray(older)
    ? older.map(String)
    : [];
  return names.filter((name) => name !== "").join(", ");
}

/** A value in the unit of the catalog: times in milliseconds. */
export function inOwnUnit(entry: JsonObject | undefined, tag: string): number {
  const { value, unit } = entry ?? {};
  if (typeof value !== "number") return NaN;
  const given = unitOf(String(unit));
  return tag !== "output_sequence_length" && given?.dimension === "time"
    ? value * given.factor * 1e3
    : value;
}

/** The lines of a file, one by one; half a line that a killed run left is left out. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const file = await Deno.open(path);
  let rest = "";
  for await (const text of file.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  // A killed run may have left half a line.
  if (rest.trim().endsWith("}")) yield rest;
}

/** A value as an object; undefined if it is none. */
export function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as JsonObject
    : undefined;
}

/** The values that are numbers. */
export function numbersOf(values: JsonObject): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number] =>
      typeof entry[1] === "number"
    ),
  );
}

/** The program that made a run: `aiperf/0.13.0`; undefined if its summary does not say. */
export function productOf(summary: JsonObject): string | undefined {
  const product = summary["aiperf_version"];
  if (typeof product !== "string") return undefined;
  return product.includes("/") ? product : `aiperf/${product}`;
}
