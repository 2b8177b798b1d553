import { inspectInput } from "../../load/dataset/formats/inspect_input.ts";
import { metricObjects } from "../../report/export/metric_object.ts";
import { ExportError } from "../../report/export/export_error.ts";
import type { ProfileOptions } from "../../config/options/profile/profile_types.ts";
import { resolvePlan } from "../../config/plan/resolve/resolve_plan.ts";
import type { ClientHealth, ErrorGroup, RequestCounts } from "../../report/model/profile_report.ts";
import type { EndReason } from "../../core/run_end/end_reason.ts";
import type { ExportOutcome } from "../../report/model/export_outcome.ts";
import { runProfile } from "./run_profile.ts";
import type { RunProgress } from "../../report/model/run_progress.ts";
import { findModel } from "./server_probe.ts";
import { waitForReadiness } from "./inference_probe.ts";

/** The statistics of a metric; a single value stands in `avg`. */
export interface MetricStatistics {
  readonly unit: string;
  readonly avg: number;
  readonly min?: number;
  readonly max?: number;
  readonly sum?: number;
  readonly std?: number;
  readonly count?: number;
  readonly p1?: number;
  readonly p5?: number;
  readonly p10?: number;
  readonly p25?: number;
  readonly p50?: number;
  readonly p75?: number;
  readonly p90?: number;
  readonly p95?: number;
  readonly p99?: number;
}

/** Result of a benchmark. */
export interface ProfileResult {
  /** Metrics of the profiling phase by their tags; see the metrics reference. */
  readonly metrics: Readonly<Record<string, MetricStatistics>>;
  readonly requests: RequestCounts;
  readonly errors: readonly ErrorGroup[];
  readonly clientHealth: ClientHealth;
  readonly wasCancelled: boolean;
  readonly isComplete: boolean;
  /** Code of why the run did not do all that was planned; undefined if it did. */
  readonly endReason: EndReason | undefined;
  /** Remarks that readers of the results need. */
  readonly notes: readonly string[];
  /** Folder of the result files. */
  readonly directory: string;
  /** Names of the files in it. */
  readonly files: readonly string[];
  /** What other systems got of the run; empty if none was named. */
  readonly exports: readonly ExportOutcome[];
}

/** Callbacks of a benchmark under way. */
export interface ProfileHooks {
  /** Ends the run early; its result is partial. */
  readonly signal?: AbortSignal;
  /** Called a few times a second. */
  onProgress?(progress: RunProgress): void;
  /** Called with a sentence about something unexpected. */
  onWarning?(text: string): void;
}

/**
 * Runs a benchmark in this process, as `inferometer profile` does: the same options, the same files.
 *
 * It needs the flag `--unstable-worker-options`, and the permissions to reach the servers, to read
 * what the options name, and to write the artifact folder. Its threads get no more than each one
 * needs; this thread keeps what it has.
 *
 * @example
 * ```ts ignore
 * import { profile } from "@inferometer/inferometer";
 * const { metrics } = await profile({
 *   url: ["http://127.0.0.1:8000"],
 *   streaming: true,
 *   concurrency: 16,
 *   requestCount: 200,
 * });
 * console.log(metrics["time_to_first_token"]?.p50, "ms");
 * ```
 *
 * @throws {UsageError} naming the option that cannot be used
 * @throws {DatasetError} if prompts or tokenizer cannot be read
 * @throws {ServerUnavailableError} if the server does not get ready, or does not name its model
 * @throws {ExportError} if a result cannot be written
 */
export async function profile(
  options: ProfileOptions,
  hooks: ProfileHooks = {},
): Promise<ProfileResult> {
  if (!("Deno" in globalThis)) {
    throw new Error("profile() needs Deno, whose permissions confine its threads; see deno.com");
  }
  const interrupt = hooks.signal ?? new AbortController().signal;
  const plan = await resolvePlan(options, {
    cores: navigator.hardwareConcurrency,
    cliCommand: "profile()",
    ...(hooks.onWarning === undefined ? {} : { onWarning: hooks.onWarning }),
    inspectInput,
    findModel: (targets, access) => findModel(targets, access, interrupt),
  });
  await waitForReadiness(plan, options.model === undefined, interrupt);
  const { report, directory, exportFailure, exports } = await runProfile(plan, {
    interrupt,
    ...(hooks.onProgress === undefined ? {} : { onProgress: hooks.onProgress }),
    ...(hooks.onWarning === undefined ? {} : { onWarning: hooks.onWarning }),
  });
  if (exportFailure !== undefined) throw new ExportError(directory, exportFailure);
  const { requests, errors, clientHealth, wasCancelled, isComplete, endReason } = report;
  return {
    metrics: metricObjects(report.results) as Record<string, MetricStatistics>,
    requests,
    errors,
    clientHealth,
    wasCancelled,
    isComplete,
    endReason,
    notes: report.notes,
    directory,
    files: report.files,
    exports,
  };
}
