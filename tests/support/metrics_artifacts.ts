/** Reads the server metrics' files of a run, and checks that each is what its name says. */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { parse } from "csv-parse/sync";
import assert from "node:assert/strict";
import { type ParquetFile, readParquet } from "./parquet_rows.ts";
import { runCli } from "./run_cli.ts";

// deno-lint-ignore no-explicit-any -- what a reader of a file sees
type Json = any;

/** The files, parsed. */
export interface MetricsArtifacts {
  readonly json: Json;
  readonly lines: readonly Json[];
  readonly csv: string;
  /** Rows of each section of the CSV by their columns. */
  readonly sections: readonly (readonly Readonly<Record<string, string>>[])[];
  readonly parquet: ParquetFile;
  readonly names: readonly string[];
}

const validators = new Map<string, Promise<ValidateFunction>>();

/** The schema that the program prints for a file. */
function validatorOf(name: string): Promise<ValidateFunction> {
  const known = validators.get(name);
  if (known !== undefined) return known;
  const made = (async () => {
    const { code, stdout, stderr } = await runCli(["schema", name]);
    assert.equal(code, 0, stderr);
    return new Ajv2020({ strictTypes: false }).compile(JSON.parse(stdout));
  })();
  validators.set(name, made);
  return made;
}

async function assertValid(name: string, document: unknown): Promise<void> {
  const validate = await validatorOf(name);
  assert.ok(validate(document), `${name}: ${JSON.stringify(validate.errors?.slice(0, 3))}`);
}

/** Reads the files of a folder; all four formats must be there. */
export async function readMetricsArtifacts(folder: string): Promise<MetricsArtifacts> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) names.push(name);
  assert.deepEqual(names.filter((name) => name.endsWith(".tmp")), [], "temporary files are left");
  const read = (format: string) => Deno.readTextFile(`${folder}/server_metrics_export.${format}`);
  const json = JSON.parse(await read("json"));
  await assertValid("server_metrics_export.json", json);
  const text = await read("jsonl");
  assert.ok(text.endsWith("\n"), "the last line is cut");
  const lines: Json[] = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  for (const line of lines) await assertValid("server_metrics_export.jsonl", line);
  const csv = await read("csv");
  return {
    json,
    lines,
    csv,
    sections: csvSections(csv),
    parquet: await readParquet(`${folder}/server_metrics_export.parquet`),
    names: names.sort(),
  };
}

/** The sections of a CSV, cut as the documentation shows it: at empty lines. */
export function csvSections(csv: string): Readonly<Record<string, string>>[][] {
  return csv.replaceAll("\r\n", "\n").trim().split("\n\n")
    .map((section) => parse(section, { columns: true }));
}

/** What the pages of an endpoint said of a counter. */
export interface CountedInWindow {
  /** From the last page before the window to the last page of all. */
  readonly total: number;
  /** Pages before the window. */
  readonly pagesBefore: number;
}

/** What the lines of an endpoint with one series of a counter come to. */
export function countedInWindow(
  { json, lines }: MetricsArtifacts,
  url: string,
  counter: string,
): CountedInWindow {
  // To the microsecond, which a date is not.
  const [, seconds, micros] = /^(.*)\.(\d{6})Z$/.exec(json.summary.start_time) ?? [];
  const startNs = Date.parse(`${seconds}Z`) * 1e6 + Number(micros) * 1e3;
  const own = lines.filter(({ endpoint_url: from }) => from === url);
  const before = own.filter(({ timestamp_ns: atNs }) => atNs < startNs);
  const valueOf = (line: Json): number => line?.metrics[counter][0].value ?? NaN;
  return { total: valueOf(own.at(-1)) - valueOf(before.at(-1)), pagesBefore: before.length };
}

/** What the JSON says of an endpoint. */
export function endpointInfo(json: Json, url: string): Json {
  return json.summary.endpoint_info[url];
}

/** The statistics of an endpoint's only series of a metric. */
export function statsAt(json: Json, url: string, metric: string): Json {
  const series = (json.metrics[metric]?.series ?? []).filter((one: Json) =>
    one.endpoint_url === url
  );
  assert.equal(series.length, 1, `${metric} of ${url}`);
  return series[0].stats;
}
