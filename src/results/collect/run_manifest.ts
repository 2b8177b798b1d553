/**
 * `run/run.json`: what a reader of a run folder must know besides records and server samples. It is
 * written when the run begins, at each phase, and when it is over; one that a killed run left behind
 * has no summary.
 */

import type { NetworkSample } from "../../telemetry/network_latency/network_sample.ts";
import { readStoredJson, storedJson } from "../../report/export/stored_json.ts";
import type { DriftFindings } from "../../measurement/answers/drift_findings.ts";
import type { PrefixIdeal } from "../../measurement/prefix/ideal_hits.ts";
import type { RunPlan, Target } from "../../config/plan/run_plan.ts";
import type { SystemPlace, SystemsPlan } from "../../config/plan/systems_plan.ts";
import type { MetricsEndpoint } from "../../telemetry/scrape/metrics_endpoint.ts";
import type { StolenTime } from "../../report/model/stolen_time.ts";
import type { LoadChange } from "../../report/model/load_change.ts";
import type { EndReason } from "../../core/run_end/end_reason.ts";
import { storedEndReason } from "../../core/run_end/stored_end_reason.ts";
import { canonicalJson } from "../../core/files/canonical_json.ts";
import { redactedFields } from "../../core/secrets/secret_fields.ts";
import { redactedHeaders } from "../../core/secrets/secret_headers.ts";
import type { ServerInfo } from "../../report/server_info/server_info.ts";
import type { Summary } from "../../core/statistics/summarize.ts";
import type { Stall } from "../../core/thread/stall_detector.ts";
import type { PrimingCounts } from "../../report/model/priming_counts.ts";
import { isSealBroken } from "./sealed_json.ts";

/** The layout of the file. */
export const RUN_FORMAT = "inferometer-run";
/** Newest version of the run manifest's format. */
export const RUN_VERSION = 1;

/** The machine that a run was performed on. */
export interface MachineFacts {
  readonly hostname: string;
  readonly os: string;
  readonly arch: string;
  readonly cores: number;
  readonly runtime: string;
  readonly engine: string;
}

/** A thread of a run and what it may do. */
export interface ThreadFacts {
  readonly name: string;
  readonly net: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** A phase as it went; times are nanoseconds of the run's clock. */
export interface PhaseFacts {
  readonly kind: "warmup" | "profiling";
  readonly startNs: number;
  /** End of the phase, in nanoseconds; undefined while it is in progress. */
  readonly endNs: number | undefined;
  /** Milliseconds by which this machine's clock was ahead of shard 0's; absent if not measured. */
  readonly clockAheadMs?: number;
}

/** Facts of a run that are known at its start. */
export interface RunFacts {
  /** Without secrets where it was read from a file. */
  readonly plan: RunPlan;
  /** The start of the run's clock, nanoseconds since 1970. */
  readonly baseEpochNs: bigint;
  /** Name of the tokenizer that counted. */
  readonly tokenizer: string;
  /** Whether any prompt carried images, or replies are images. */
  readonly hasImages: boolean;
  readonly machine: MachineFacts;
  readonly threads: readonly ThreadFacts[];
  /** Number of processes, each with its configured number of load workers; absent for one. */
  readonly processes?: number;
  /** Facts that the servers reported before the run; absent in folders of older versions. */
  readonly servers?: readonly ServerInfo[];
}

/** Facts of a run that are known at its end. */
export interface RunSummary {
  readonly wasCancelled: boolean;
  readonly isComplete: boolean;
  /** Reason for an early end; absent if the run was completed or interrupted. */
  readonly endedEarly?: string | undefined;
  /** Code of why it did not do all that was planned; absent if it did. */
  readonly endReason?: EndReason | undefined;
  /** The profiling phase on the run's clock. */
  readonly startNs: number;
  readonly endNs: number;
  /** When the first user had no session left, on the run's clock; absent unless that ended the run. */
  readonly firstIdleNs?: number | undefined;
  readonly sent: number;
  readonly unsentArrivals: number;
  /** Loop lag of each load worker in the profiling phase, in milliseconds. */
  readonly loopLagMs: readonly Summary[];
  /** CPU time of the process over the profiling phase, in cores; NaN if it was not measured. */
  readonly cpuCores: number;
  readonly notes: readonly string[];
  /** Stalls of the process during the profiling phase, on the run's clock. */
  readonly stalls?: readonly Stall[];
  /** Periods of CPU time stolen by the machine's host; absent if there were none or it is unknown. */
  readonly stolen?: readonly StolenTime[] | undefined;
  /** Server configurations, as reported by the metrics endpoints. */
  readonly metricsInfo?: readonly ServerInfo[];
  /** Probes of the network; absent if there were none to be. */
  readonly networkSamples?: readonly NetworkSample[] | undefined;
  /** Changes that a user made to the load; absent if there were none. */
  readonly changes?: readonly LoadChange[] | undefined;
  /** Hits that prefix caches could have had; absent where none were reported. */
  readonly prefix?: PrefixIdeal | undefined;
  /** Calls that filled the servers' caches and are in no result; absent for none. */
  readonly priming?: PrimingCounts | undefined;
  /** Results of --verify drift; absent without it. */
  readonly drift?: DriftFindings | undefined;
  /** Only some of the run's requests are looked at, which servers cannot tell from the others. */
  readonly isPart?: true;
  /** The part of the run that is looked at, in which completions are counted; missing for all of it. */
  readonly within?: { readonly startNs: number; readonly endNs: number };
  /** The run went on after `endNs`. */
  readonly goesOn?: boolean;
}

/** A shard whose records are a part of a merged run. */
export interface PartFacts {
  /** Name of its folder, next to `run/`. */
  readonly folder: string;
  /** From the clock of that shard to that of the run, in nanoseconds. */
  readonly shiftNs: number;
}

/** See the module's comment. */
export interface RunManifest {
  readonly format: typeof RUN_FORMAT;
  readonly version: number;
  /** The program that wrote it, as `inferometer/0.1.0`. */
  readonly product: string;
  /** Hash of everything in the plan that decides what is sent and how it is evaluated. */
  readonly planHash: string;
  readonly facts: RunFacts;
  readonly phases: readonly PhaseFacts[];
  /** Changes that a user has made to the load so far; absent if there were none. */
  readonly changes?: readonly LoadChange[] | undefined;
  /** Locations of a merged run's records; absent where they are stored next to this file. */
  readonly parts?: readonly PartFacts[] | undefined;
  /** undefined for a run that was killed. */
  readonly summary: RunSummary | undefined;
  /** Whether the file was changed after it was written; absent if not, or if that is unknown. */
  readonly isChanged?: true | undefined;
}

/** A file that is no `run.json`, or one of a newer version. */
export class RunManifestError extends Error {
  override readonly name = "RunManifestError";
}

/** The text of the file, without its checksum. */
export function manifestText(manifest: RunManifest): string {
  const { facts } = manifest;
  const shownFacts = { ...facts, plan: withoutSecrets(facts.plan) };
  const summary = manifest.summary && storedSummary(manifest.summary);
  const shown = { ...manifest, isChanged: undefined, facts: shownFacts, summary };
  return `${storedJson(shown)}\n`;
}

/**
 * Reads the text of the file.
 * @throws {RunManifestError} if it is not a run manifest, or has a newer version
 */
export function readManifest(text: string): RunManifest {
  let manifest: Partial<RunManifest> & { checksum?: unknown } | null;
  try {
    manifest = readStoredJson(text) as typeof manifest;
  } catch {
    throw new RunManifestError("Not valid JSON");
  }
  const { format, version, facts, phases } = manifest ?? {};
  if (format !== RUN_FORMAT || typeof version !== "number") {
    throw new RunManifestError(`Not a file of format "${RUN_FORMAT}"`);
  }
  if (version > RUN_VERSION) {
    throw new RunManifestError(`Version ${version} is newer than this program`);
  }
  if (typeof facts?.plan !== "object" || typeof facts.baseEpochNs !== "bigint" || !phases) {
    throw new RunManifestError("Is not complete");
  }
  const { checksum: _, summary, ...others } = manifest as StoredManifest;
  const known = { ...others, summary: summary && summaryOf(summary) };
  return isSealBroken(text) ? { ...known, isChanged: true } : known;
}

/** Summary as written to the file, where the code has the name that other files use. */
type StoredSummary = Omit<RunSummary, "endReason"> & { readonly "ended_early_reason"?: unknown };

interface StoredManifest extends Omit<RunManifest, "summary"> {
  readonly checksum?: unknown;
  readonly summary?: StoredSummary;
}

function storedSummary({ endReason, ...summary }: RunSummary): StoredSummary {
  return { ...summary, "ended_early_reason": endReason ?? null };
}

function summaryOf({ "ended_early_reason": code, ...summary }: StoredSummary): RunSummary {
  const { endedEarly: text, wasCancelled } = summary;
  return { ...summary, endReason: storedEndReason({ code, text, wasCancelled }) };
}

/** Returns a plan without the values that must not be stored on disk, and with redacted texts. */
function withoutSecrets(plan: RunPlan): RunPlan {
  const { gpuTelemetry, serverMetrics, systems } = plan;
  return {
    ...plan,
    targets: plan.targets.map(withoutKey),
    headers: redactedHeaders(plan.headers),
    body: { ...plan.body, extraInputs: redactedFields(plan.body.extraInputs) },
    caCerts: [],
    systemCerts: [],
    clientCert: undefined,
    secrets: [],
    ...(plan.start?.by === "rendezvous" ? { start: { ...plan.start, token: "" } } : {}),
    serverMetrics: serverMetrics && {
      ...serverMetrics,
      endpoints: serverMetrics.endpoints.map(withoutKey),
    },
    gpuTelemetry: gpuTelemetry && {
      ...gpuTelemetry,
      endpoints: gpuTelemetry.endpoints.map(withoutKey),
    },
    systems: systems && systemsWithoutSecrets(systems),
  };
}

function systemsWithoutSecrets(systems: SystemsPlan): SystemsPlan {
  const { otlp, mlflow } = systems;
  return {
    ...systems,
    otlp: otlp && { ...otlp, place: placeWithoutKey(otlp.place) },
    mlflow: mlflow && {
      ...mlflow,
      place: placeWithoutKey(mlflow.place),
      tags: Object.entries(redactedFields(Object.fromEntries(mlflow.tags))).map(
        ([key, value]) => [key, String(value)],
      ),
    },
    caCerts: [],
  };
}

function placeWithoutKey(place: SystemPlace): SystemPlace {
  const { search } = new URL(place.redactedUrl);
  return { ...place, query: search, headers: [] };
}

/** A place to send requests to, its path as it may be shown. */
function withoutKey<T extends Target | MetricsEndpoint>(place: T): T {
  const { pathname, search } = new URL(place.redactedUrl);
  const shown = { ...place, path: pathname + search, authorization: undefined };
  return "headers" in shown
    ? { ...shown, headers: redactedHeaders(shown.headers as MetricsEndpoint["headers"] ?? []) }
    : shown;
}

/**
 * Hash of what decides which requests a plan sends, where to, and how they are evaluated: not the
 * folder, the command line, the threads, the credentials, nor the collection of metrics.
 */
export async function planHash(plan: RunPlan): Promise<string> {
  const text = canonicalJson({
    ...withoutSecrets(plan),
    targets: plan.targets.map(({ redactedUrl }) => redactedUrl),
    output: { ...plan.output, directory: undefined, existing: undefined, page: undefined },
    benchmarkId: undefined,
    shard: undefined,
    start: undefined,
    cliCommand: undefined,
    workers: undefined,
    canaries: undefined,
    canaryPort: undefined,
    canaryTransport: undefined,
    headers: undefined,
    serverMetrics: undefined,
    gpuTelemetry: undefined,
    networkLatency: undefined,
    systems: undefined,
    slos: undefined,
    abortOnSlo: undefined,
    requireValid: undefined,
    failsInconclusive: undefined,
    shownWindow: undefined,
    costPerHour: undefined,
    gpus: undefined,
    tags: undefined,
    serverInfo: undefined,
  });
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
