/**
 * A run from the files that it exported: its summary and a line for each request, as this program
 * and AIPerf write them.
 */

import { type RunSample, SampleBuilder } from "../compare/run_sample.ts";
import { artifactNames } from "../export/artifact_names.ts";
import type { ClientFigures, FigureBounds, JudgedRun } from "../gate/judge_slos.ts";
import type { ServerFigures } from "../gate/server_figure.ts";
import { unitOf } from "../gate/unit.ts";
import { seriesText } from "../report/judged_run.ts";
import { RunFolderError } from "./run_folder.ts";
import type { StoredRun } from "./stored_run.ts";

/** An object of a file. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Names of the files of a run, by the beginning that the user gave them. */
interface ExportedNames {
  /** undefined if it was never written. */
  readonly summary: string | undefined;
  readonly lines: string;
  readonly serverMetrics: string;
}

/**
 * Opens a run by its exported files.
 * @throws {RunFolderError} if there are none, or they cannot be read
 */
export async function openExportedRun(directory: string): Promise<StoredRun> {
  const { summary: summaryName, lines, serverMetrics } = await namesIn(directory);
  const summary = summaryName === undefined ? {} : await readJson(`${directory}/${summaryName}`);
  const metrics = await Deno.stat(`${directory}/${serverMetrics}`)
    .then(() => readJson(`${directory}/${serverMetrics}`), () => undefined);
  const product = summary["aiperf_version"];
  return {
    directory,
    judged: judgedSummary(summary, metrics),
    sample: {
      ...await readLines(`${directory}/${lines}`, directory),
      ...costOf(summary),
    },
    ...labelsOf(summary),
    settings: objectOf(summary["input_config"]) ?? {},
    product: typeof product !== "string"
      ? undefined
      : product.includes("/")
      ? product
      : `aiperf/${product}`,
    machine: undefined,
    partial: summaryName === undefined
      ? "it has no summary"
      : summary["was_cancelled"] === true
      ? "it was interrupted"
      : undefined,
  };
}

function costOf(summary: JsonObject): { readonly costPerHour?: number } {
  const cost = objectOf(summary["inferometer"])?.["cost_per_hour"];
  return typeof cost === "number" ? { costPerHour: cost } : {};
}

/** Labels of a run, and what its servers said, as its summary has them. */
export function labelsOf(summary: JsonObject): Pick<StoredRun, "tags" | "servers"> {
  const pairs = (value: unknown): [string, string][] =>
    Object.entries(objectOf(value) ?? {}).map(([name, text]) => [name, String(text)]);
  const servers = summary["server_info"];
  return {
    tags: pairs(summary["tags"]),
    servers: (Array.isArray(servers) ? servers : []).map((server) => ({
      url: String(objectOf(server)?.["url"] ?? ""),
      facts: pairs(objectOf(server)?.["facts"]),
      asked: pairs(objectOf(server)?.["asked"]),
    })),
  };
}

async function namesIn(directory: string): Promise<ExportedNames> {
  const names = new Set<string>();
  try {
    for await (const { name } of Deno.readDir(directory)) names.add(name);
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound
      ? "No such folder"
      : (error as Error).message;
    throw new RunFolderError(`${directory}: ${reason}`);
  }
  const usual = artifactNames(undefined);
  const candidates: ExportedNames[] = [
    { summary: usual.json, lines: usual.records, serverMetrics: "server_metrics_export.json" },
  ];
  for (const name of names) {
    const prefix = /^(.+)\.jsonl$/.exec(name)?.[1];
    if (prefix === undefined) continue;
    const lines = `${prefix}.jsonl`;
    const serverMetrics = `${prefix}_server_metrics.json`;
    candidates.push(
      { summary: `${prefix}.json`, lines, serverMetrics },
      { summary: `${prefix}_aiperf.json`, lines, serverMetrics },
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

async function readJson(path: string): Promise<JsonObject> {
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

/** The figures of a run as its summary, and its file of server metrics, have them. */
export function judgedSummary(summary: JsonObject, metrics: JsonObject | undefined): JudgedRun {
  const client = new Map<string, ClientFigures>();
  for (const [tag, value] of Object.entries(summary)) {
    const { unit, ...stats } = objectOf(value) ?? {};
    if (typeof unit === "string") client.set(tag, { unit, stats: numbersOf(stats) });
  }
  const error = objectOf(objectOf(summary["measurement_error"])?.["metrics"]) ?? {};
  return {
    client,
    server: metrics === undefined ? undefined : serverFigures(metrics),
    bounds: new Map(
      Object.entries(error).map(([tag, statistics]) => [
        tag,
        statistics as Readonly<Partial<Record<string, FigureBounds>>>,
      ]),
    ),
  };
}

function* seriesOf(metrics: JsonObject): Generator<[string, JsonObject, JsonObject]> {
  for (const [name, value] of Object.entries(objectOf(metrics["metrics"]) ?? {})) {
    const metric = objectOf(value) ?? {};
    const { series } = metric;
    for (const one of Array.isArray(series) ? series : []) {
      yield [name, metric, objectOf(one) ?? {}];
    }
  }
}

function serverFigures(metrics: JsonObject): ServerFigures[] {
  return [...seriesOf(metrics)].map(([name, { unit }, series]) => ({
    name,
    unit: typeof unit === "string" ? unit : null,
    // In the older layout the statistics stand in the series itself.
    stats: numbersOf(objectOf(series["stats"]) ?? series),
    series: seriesText(
      String(series["endpoint_url"] ?? ""),
      Object.entries(objectOf(series["labels"]) ?? {}).map(([name, value]) => [
        name,
        String(value),
      ]),
    ),
  }));
}

/**
 * Reads the lines of requests one by one.
 * @param name what the sample is called
 */
async function readLines(path: string, name: string): Promise<RunSample> {
  const builder = new SampleBuilder();
  let firstNs: number | undefined;
  let number = 0;
  try {
    for await (const line of linesOf(path)) {
      number++;
      if (line.trim() === "") continue;
      const record = JSON.parse(line);
      const startNs = Number(record?.metadata?.request_start_ns);
      if (Number.isNaN(startNs) || !isSampled(record)) continue;
      firstNs ??= startNs;
      addRecord(builder, record, startNs - firstNs);
    }
  } catch (error) {
    throw new RunFolderError(`${path}, line ${number}: ${(error as Error).message}`);
  }
  return builder.build(name, BigInt(Math.round(firstNs ?? 0)));
}

/** Requests of the profiling phase that were not cancelled; what a time limit cut off counts. */
function isSampled({ metadata, error }: JsonObject): boolean {
  const { benchmark_phase: phase, was_cancelled: cancelled } = objectOf(metadata) ?? {};
  if (phase !== undefined && phase !== "profiling") return false;
  return cancelled !== true || objectOf(error)?.["kind"] === "cut_off";
}

function addRecord(builder: SampleBuilder, { metrics, error }: JsonObject, startNs: number): void {
  const values = objectOf(metrics) ?? {};
  const value = (tag: string): number => inOwnUnit(objectOf(values[tag]), tag);
  const latencyMs = value("request_latency");
  const failed = (error !== undefined && error !== null) || Number.isNaN(latencyMs);
  builder.add({ startNs, endNs: failed ? NaN : startNs + latencyMs * 1e6, value });
}

/** A value in the unit of the catalog: times in milliseconds. */
function inOwnUnit(entry: JsonObject | undefined, tag: string): number {
  const { value, unit } = entry ?? {};
  if (typeof value !== "number") return NaN;
  const given = unitOf(String(unit));
  return tag !== "output_sequence_length" && given?.dimension === "time"
    ? value * given.factor * 1e3
    : value;
}

async function* linesOf(path: string): AsyncGenerator<string> {
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

function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as JsonObject
    : undefined;
}

function numbersOf(values: JsonObject): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number] =>
      typeof entry[1] === "number"
    ),
  );
}
