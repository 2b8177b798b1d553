/** A run in a list of runs: values of its summary, and losses in its files. */

import type { JudgedRun } from "../../config/gate/judged_run.ts";
import { replaysSessions } from "../../config/plan/replays_sessions.ts";
import type { RunPlan, RunTag } from "../../config/plan/run_plan.ts";
import { loadText } from "../../report/console/run_title.ts";
import type { EndReason } from "../../core/run_end/end_reason.ts";
import { artifactNames, serverMetricsName } from "../../report/export/artifact_names.ts";
import { isClaimed } from "../../report/export/folder_claim.ts";
import { inputConfig } from "../../report/export/summary/input_config.ts";
import { serverName } from "../../report/server_info/server_info.ts";
import { type JsonObject, modelNames, objectOf } from "../collect/exported_files.ts";
import { endReasonOf, judgedSummary, labelsOf, openExportedRun } from "../collect/exported_run.ts";
import { openStoredRun } from "../collect/open_stored_run.ts";
import { readDamage } from "../collect/run_damage.ts";
import { RUN_FILES } from "../collect/run_files.ts";
import { openRunFolder, RunFolderError } from "../collect/run_folder.ts";
import { readManifest, type RunManifest } from "../collect/run_manifest.ts";
import type { RunPlace } from "./run_folders.ts";

/** What became of a run. */
export type RunState =
  | "complete"
  | "interrupted"
  | "ended early"
  | "killed"
  | "running"
  | "unreadable";

/** See the module's comment. */
export interface ListedRun {
  /** Where it lies, below the folder that was searched. */
  readonly folder: string;
  /** Its start, milliseconds since 1970; undefined if nothing says when it was. */
  readonly startMs: number | undefined;
  /** The program that made it, as `inferometer/0.1.0`. */
  readonly product: string | undefined;
  readonly model: string;
  /** The load of its profiling phase, in words. */
  readonly load: string;
  readonly state: RunState;
  /** Code of why it did not do all that was planned; undefined if it did, or is in progress. */
  readonly endReason: EndReason | undefined;
  /** What its measurement of the client's own error came to. */
  readonly verdict: string | undefined;
  /** Whether its objectives were met; undefined if it had none. */
  readonly gatesMet: boolean | undefined;
  readonly tags: readonly RunTag[];
  /** What served, as `vllm 0.32.0`. */
  readonly server: string | undefined;
  readonly judged: JudgedRun;
  /** Losses in its files since they were written, a phrase each; empty for none. */
  readonly damage: readonly string[];
  /** Why it cannot be read; undefined if it can. */
  readonly problem: string | undefined;
}

const NOTHING: JudgedRun = { client: new Map(), server: undefined, bounds: new Map() };
/** Larger summaries are no summaries. */
const MAX_BYTES = 256e6;

/**
 * Reads what a list needs of a run: its summary, or, where a killed run left none, its records.
 * @param withServer whether the servers' metrics are wanted
 * @param isWanted whether a run with these labels is listed: its files are read for losses then
 * @returns undefined if the folder holds no run that is wanted
 */
export async function listedRun(
  place: RunPlace,
  withServer: boolean,
  isWanted: (run: Pick<ListedRun, "tags">) => boolean,
): Promise<ListedRun | undefined> {
  const run = await foundRun(place, withServer, isWanted);
  return run !== undefined && isWanted(run) ? run : undefined;
}

async function foundRun(
  place: RunPlace,
  withServer: boolean,
  isWanted: (run: Pick<ListedRun, "tags">) => boolean,
): Promise<ListedRun | undefined> {
  const { directory, files, relative } = place;
  let manifest: RunManifest | undefined;
  let problem: string | undefined;
  if (place.hasManifest) {
    try {
      manifest = readManifest(await Deno.readTextFile(`${directory}/${RUN_FILES.manifest}`));
    } catch (error) {
      problem = `${RUN_FILES.manifest}: ${(error as Error).message}`;
    }
  }
  const prefix = manifest?.facts.plan.output.prefix;
  for (const [name, metricsName] of summaryNames(files, prefix)) {
    const summary = await jsonIn(`${directory}/${name}`).catch(() => undefined);
    if (summary === undefined || objectOf(summary["input_config"]) === undefined) continue;
    const metrics = withServer
      ? await jsonIn(`${directory}/${metricsName}`).catch(() => undefined)
      : undefined;
    const run = ofSummary(relative, summary, metrics, await gatesOf(directory, files));
    if (!isWanted(run)) return undefined;
    return { ...run, damage: problem === undefined ? await damageIn(place) : [problem] };
  }
  if (manifest !== undefined) return await withoutSummary(place, manifest);
  if (problem !== undefined) return unreadable(relative, problem);
  // What is left of a run of AIPerf's that was killed.
  return files.has(artifactNames(undefined).records)
    ? { ...unreadable(relative, "it has no summary"), state: "killed", endReason: "killed" }
    : undefined;
}

/** Names that a summary may have, and those of the servers' metrics beside it. */
function* summaryNames(
  files: ReadonlySet<string>,
  known: string | undefined,
): Generator<[summary: string, metrics: string]> {
  const prefixes = new Set([known, undefined]);
  for (const name of files) {
    const prefix = /^(.+)\.jsonl$/.exec(name)?.[1];
    if (prefix !== undefined) prefixes.add(prefix);
  }
  for (const prefix of prefixes) {
    const metrics = serverMetricsName(prefix, "json");
    const names = [
      artifactNames(prefix).json,
      ...(prefix === undefined ? [] : [
        `${prefix}_aiperf.json`,
      ]),
    ];
    for (const name of names) if (files.has(name)) yield [name, metrics];
  }
}

function ofSummary(
  folder: string,
  summary: JsonObject,
  metrics: JsonObject | undefined,
  gatesMet: boolean | undefined,
): Omit<ListedRun, "damage"> {
  const { tags, servers } = labelsOf(summary);
  const config = objectOf(summary["input_config"]) ?? {};
  const product = summary["aiperf_version"];
  const judged = judgedSummary(summary, metrics);
  const verdict = objectOf(summary["measurement_error"])?.["verdict"];
  return {
    folder,
    startMs: startOf(summary, judged),
    product: typeof product !== "string"
      ? undefined
      : product.includes("/")
      ? product
      : `aiperf/${product}`,
    ...aboutConfig(config, {
      hasSessions: summary["sessions"] !== undefined,
      isRateOfUsers: isRateOfUsers(summary),
    }),
    state: summary["was_cancelled"] === true
      ? "interrupted"
      : typeof summary["ended_early"] === "string"
      ? "ended early"
      : "complete",
    endReason: endReasonOf(summary),
    verdict: typeof verdict === "string" ? verdict : undefined,
    gatesMet,
    tags,
    server: servers.map(serverName).find((name) => name !== undefined),
    judged,
    problem: undefined,
  };
}

/** Losses in the files of a run: in its records or, without records, in its lines of requests. */
async function damageIn({ directory, hasManifest }: RunPlace): Promise<readonly string[]> {
  try {
    if (!hasManifest) return (await openExportedRun(directory)).damage;
    return await readDamage(await openRunFolder(directory));
  } catch (error) {
    if (!(error instanceof RunFolderError || error instanceof TypeError)) throw error;
    // A summary without records or lines is all that some tools keep.
    return error instanceof RunFolderError && !error.isDamage ? [] : [error.message];
  }
}

/** A run under way, or one that was killed: its records say what there is. */
async function withoutSummary(
  { directory, relative }: RunPlace,
  { facts, product, phases }: RunManifest,
): Promise<ListedRun> {
  const { plan, baseEpochNs, servers = [] } = facts;
  const startNs = phases.findLast(({ kind }) => kind === "profiling")?.startNs ?? 0;
  const known = {
    folder: relative,
    startMs: Number(baseEpochNs / 1000n) / 1e3 + startNs / 1e6,
    product,
    ...aboutConfig(inputConfig(plan), {
      hasSessions: hasSessions(plan),
      isRateOfUsers: plan.phases.some(({ load }) =>
        load.loop === "open" && load.users !== undefined
      ),
    }),
    verdict: undefined,
    gatesMet: undefined,
    tags: plan.tags ?? [],
    server: servers.map(serverName).find((name) => name !== undefined),
  };
  if (await isClaimed(directory)) {
    return {
      ...{ ...known, state: "running", endReason: undefined },
      ...{ judged: NOTHING, damage: [], problem: undefined },
    };
  }
  const killed = { ...known, state: "killed", endReason: "killed" } as const;
  try {
    const { damage, judged } = await openStoredRun(directory);
    return { ...killed, damage, judged, problem: undefined };
  } catch (error) {
    return { ...killed, judged: NOTHING, damage: [], problem: (error as Error).message };
  }
}

function unreadable(folder: string, problem: string): ListedRun {
  return {
    ...{ folder, problem, startMs: undefined, product: undefined, model: "", load: "" },
    ...{ state: "unreadable", endReason: undefined, verdict: undefined },
    ...{ gatesMet: undefined, tags: [] },
    ...{ server: undefined, judged: NOTHING, damage: [] },
  };
}

/** Whether a plan has sessions of several requests, as far as that is known before the run. */
function hasSessions({ dataset, phases }: RunPlan): boolean {
  return replaysSessions(dataset) ||
    dataset.source === "synthetic" && dataset.turns !== undefined ||
    phases.some(({ sessionCount }) => sessionCount !== undefined);
}

/** Whether the rate of a summary is that of `--user-centric-rate`. */
function isRateOfUsers(summary: JsonObject): boolean {
  const shapes = objectOf(objectOf(summary["inferometer"])?.["load_shape"]);
  return objectOf(shapes?.["profiling"])?.["users"] !== undefined;
}

function aboutConfig(
  config: JsonObject,
  counted: Parameters<typeof loadText>[1],
): Pick<ListedRun, "model" | "load"> {
  const { phases } = config;
  const phase = (Array.isArray(phases) ? phases : []).map(objectOf)
    .find((one) => one?.["kind"] === "profiling" || one?.["name"] === "profiling");
  return {
    model: modelNames(config),
    load: phase === undefined ? "" : loadText({
      kind: "profiling",
      type: String(phase["type"] ?? ""),
      ...numbersOf(phase, ["requests", "sessions", "duration", "concurrency", "rate"]),
    }, counted),
  };
}

function numbersOf<Name extends string>(
  object: JsonObject,
  names: readonly Name[],
): Partial<Record<Name, number>> {
  return Object.fromEntries(
    names.filter((name) => typeof object[name] === "number").map((name) => [name, object[name]]),
  ) as Partial<Record<Name, number>>;
}

/** By the first request's stamp, which is UTC; AIPerf's text of the start names no zone. */
function startOf(summary: JsonObject, { client }: JudgedRun): number | undefined {
  const text = String(summary["start_time"] ?? "");
  const zoned = /(Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(zoned)) return zoned;
  const stampNs = client.get("min_request_timestamp")?.stats["avg"];
  if (stampNs !== undefined) return stampNs / 1e6;
  const local = Date.parse(text);
  return Number.isNaN(local) ? undefined : local;
}

async function gatesOf(
  directory: string,
  files: ReadonlySet<string>,
): Promise<boolean | undefined> {
  if (!files.has("gate.json")) return undefined;
  const gate = await jsonIn(`${directory}/gate.json`).catch(() => undefined);
  return typeof gate?.["met"] === "boolean" ? gate["met"] : undefined;
}

async function jsonIn(path: string): Promise<JsonObject | undefined> {
  const { size } = await Deno.stat(path);
  return size > MAX_BYTES ? undefined : objectOf(JSON.parse(await Deno.readTextFile(path)));
}
