/**
 * The result of a run. Everything that is shown or written derives from this; it is plain data that
 * can be posted from the results worker to main.
 */

import type { PrimingCounts } from "./priming_counts.ts";
import type { Submission } from "./submission.ts";
import type { LengthMismatch } from "./token_check.ts";
import type { TokenSource } from "./token_source.ts";
import type { GpuEfficiency, GpuTelemetryReport } from "../../telemetry/gpu/gpu_report.ts";
import type { GateResult } from "../../config/gate/judge_slos.ts";
import type { ModelResults } from "../../measurement/metrics/model_results.ts";
import type { ItlDialectResult } from "../../measurement/metrics/itl_dialects.ts";
import type { MetricResults } from "../../measurement/metrics/metric_results.ts";
import type { SessionResults } from "../../measurement/metrics/session_results.ts";
import type { MeasurementError } from "../../measurement/own_error/measurement_error.ts";
import type { RunTag } from "../../config/plan/run_plan.ts";
import type { EndReason } from "../../core/run_end/end_reason.ts";
import type { ServerInfo } from "../server_info/server_info.ts";
import type { Summary } from "../../core/statistics/summarize.ts";
import type { SamplingErrors } from "../../measurement/sampling/sampling_errors.ts";
import type { Diagnosis } from "../diagnosis/diagnosis.ts";
import type { Evidence } from "../diagnosis/evidence.ts";
import type { AnswersReport } from "./answers_report.ts";
import type { ErrorDetails } from "./error_details.ts";
import type { LoadReport } from "./load_report.ts";
import type { RequestCounts } from "./request_counts.ts";
import type { ServerTruth } from "./server_truth.ts";
import type { SteadyState } from "./steady_state.ts";

export type { RequestCounts };

/** Requests that failed in the same way. */
export interface ErrorGroup extends ErrorDetails {
  readonly count: number;
  /** When the first of them failed, nanoseconds of the run's clock; NaN or missing if unknown. */
  readonly firstNs?: number;
}

/** The metrics of the requests that started in one slice of time. */
export interface TimeSlice {
  readonly startNs: bigint;
  readonly endNs: bigint;
  /** False for the last slice if the run ended within it. */
  readonly isComplete: boolean;
  readonly results: MetricResults;
  /** See {@linkcode ProfileReport}. */
  readonly measurementError?: MeasurementError | undefined;
  /** Load in the slice, also of requests that started before it; missing where it is not known. */
  readonly load?: LoadReport | undefined;
  /** Bottleneck of the slice; missing under the same conditions as the load. */
  readonly diagnosis?: Diagnosis | undefined;
}

/** Whether the client itself could have distorted the result. */
export interface ClientHealth {
  /** True if none of `problems` was found. */
  readonly ok: boolean;
  /** Problems as one sentence each, with numbers. */
  readonly problems: readonly string[];
  /** Remedies for the problems; none for a problem that includes its remedy. */
  readonly advice: readonly string[];
  /** Loop lag of each load worker, a ready event's wait for its loop, in milliseconds. */
  readonly loopLagMs: readonly Summary[];
  /** Actual start after intended start, waiting for a slot excluded; in milliseconds. */
  readonly sendSlipMs: Summary;
  /** Waiting of arrivals for a free slot; in milliseconds, undefined without an arrival process. */
  readonly queueWaitMs: Summary | undefined;
  /** Share of content chunks that came with the same read as the one before. */
  readonly coalescedShare: number;
  /** CPU time of the whole process over the profiling phase, in cores; NaN if not measured. */
  readonly cpuCores: number;
  /** Cores of this machine. */
  readonly cores: number;
  /** Stalls of the whole process, relative to the start of the profiling phase. */
  readonly stalls: readonly { readonly startSeconds: number; readonly seconds: number }[];
}

/** See the module's comment. */
export interface ProfileReport {
  readonly benchmarkId: string;
  readonly model: string;
  readonly endpointType: string;
  readonly results: MetricResults;
  /** undefined if there was no warm-up. */
  readonly warmupResults: MetricResults | undefined;
  readonly slices: readonly TimeSlice[];
  /** Outcome of the sessions, and of each of their turns; absent if they have one each. */
  readonly sessions?: SessionResults | undefined;
  /** Confidence intervals of the requests of agents, by `depth0` and `agent.KIND`. */
  readonly agentSampling?: ReadonlyMap<string, SamplingErrors> | undefined;
  readonly errors: readonly ErrorGroup[];
  readonly requests: RequestCounts;
  readonly clientHealth: ClientHealth;
  /** By how much the client itself may have shifted the results; undefined if not measured. */
  readonly measurementError?: MeasurementError | undefined;
  /** Sampling errors of the results; missing where requests are not known one by one. */
  readonly sampling?: SamplingErrors | undefined;
  /** The steady state, or why there is none; missing where requests are not known one by one. */
  readonly steady?: SteadyState | undefined;
  /** Whether the whole run is shown and evaluated although there is a steady state. */
  readonly isWholeRunShown?: boolean | undefined;
  /** Offered and served load; missing if single requests are unknown. */
  readonly load?: LoadReport | undefined;
  /** Length of the part of the run that recompute selected; missing for a whole run. */
  readonly chosenSeconds?: number | undefined;
  /** Measurements from which the diagnosis follows; missing where there is none. */
  readonly evidence?: Evidence | undefined;
  /** Bottleneck of the run; missing under the same conditions as the load. */
  readonly diagnosis?: Diagnosis | undefined;
  /** Comparison of the client's metrics with the server's; empty if the server reports none. */
  readonly reconciliation: readonly Reconciliation[];
  /** Values that only servers know; missing where only the files of a run are known. */
  readonly serverTruth?: ServerTruth | undefined;
  /** Checks of the answers; missing where replies have no text, or only files of others are known. */
  readonly answers?: AnswersReport | undefined;
  /** Outcome of the run's objectives, in their order. */
  readonly gates: readonly GateResult[];
  /** Whether the run meets the locks of its scenario; absent without one. */
  /** null for recorded sessions without a scenario; absent for other prompts. */
  readonly submission?: Submission | null | undefined;
  /** Replies that are not as long as recorded; absent if lengths are free, or not known. */
  readonly lengthMismatch?: LengthMismatch | undefined;
  /** Calls that filled the servers' caches and are in no result; absent for none. */
  readonly priming?: PrimingCounts | undefined;
  /** The run was interrupted. */
  readonly wasCancelled: boolean;
  /** Reason why the run ended early; undefined if it completed, or was interrupted. */
  readonly endedEarly: string | undefined;
  /** Code of why the run did not do all that was planned; undefined if it did. */
  readonly endReason: EndReason | undefined;
  /** Whether every planned request was sent and ended. */
  readonly isComplete: boolean;
  /** The profiling phase, nanoseconds since 1970. */
  readonly startEpochNs: bigint;
  readonly endEpochNs: bigint;
  readonly tokenizer: string;
  /** Source of the token counts; absent if only the files of a run are known. */
  readonly tokenSource?: TokenSource;
  /** Remarks that readers of the results need. */
  readonly notes: readonly string[];
  readonly cliCommand: string;
  /** Repeats prompts, lengths and arrivals. */
  readonly seed: number;
  /** The user's labels, by ascending names. */
  readonly tags: readonly RunTag[];
  /** Facts that the servers reported, and their configurations from the metrics. */
  readonly servers: readonly ServerInfo[];
  /** The settings under AIPerf's names, and those that it has no name for. */
  readonly inputConfig: Readonly<Record<string, unknown>>;
  readonly ownConfig: Readonly<Record<string, unknown>>;
  /** Outcome of the requests to each model; undefined if there is one. */
  readonly models?: readonly ModelResults[] | undefined;
  /** ITL by several definitions; undefined if they were not requested. */
  readonly itlDialects?: readonly ItlDialectResult[] | undefined;
  /** Metrics of the GPUs, and the energy cost of the results; undefined if there were none. */
  readonly gpu?: {
    readonly report: GpuTelemetryReport;
    readonly efficiency: readonly GpuEfficiency[];
  } | undefined;
  /** Names of the files written, in the artifact folder. */
  readonly files: readonly string[];
}

/** A quantity that both sides know. */
export interface Reconciliation {
  readonly quantity: string;
  readonly unit: string;
  readonly client: number;
  readonly server: number;
  /** Sources of the two, unless they are the client's measurement and the server's metrics. */
  readonly sources?: readonly [client: string, server: string];
  /** Whether the server's value is an estimate from a histogram. */
  readonly estimated: boolean;
  /** Bounds of the exact value that `server` estimates; missing if unknown. */
  readonly serverBounds?: readonly [lower: number, upper: number];
  /** Why the difference does not explain itself; undefined if it does. */
  readonly doubt: string | undefined;
}
