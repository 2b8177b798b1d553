/**
 * A run, fully described: every option resolved and checked. It is immutable and holds plain data
 * only, so that it can be posted to the workers as it is.
 */

import type { AgentsPlan } from "./agents_plan.ts";
import type { NetworkLatencyPlan } from "./network_latency_plan.ts";
import type { ModelSelectionPlan } from "./model_selection_plan.ts";
import type { GpuCounts } from "./gpu_counts.ts";
import type { GpuTelemetryPlan } from "./gpu_telemetry_plan.ts";
import type {
  BodySettings,
  EndpointSettings,
} from "../../client/endpoint/protocol/endpoint_type.ts";
import type {
  ClientCertificate,
  ConnectionReuse,
  Origin,
  RetryRule,
} from "../../client/http/transport.ts";
import type { RequiredValidity } from "../gate/required_validity.ts";
import type { Slo } from "../gate/slo.ts";
import type { ItlDialectName } from "../../measurement/metrics/itl_dialect_name.ts";
import type { RecordMetricTag } from "../../measurement/metrics/record_metrics.ts";
import type { Thresholds } from "../../measurement/metrics/thresholds.ts";
import type { RampShapeName } from "../options/ramp_shapes.ts";
import type { Shard } from "../shard/shard.ts";
import type { CacheBustTarget, PromptsPlan } from "./prompts_plan.ts";
import type { PublicDatasetPlan } from "./public_dataset_plan.ts";
import type { ServerMetricsPlan } from "./server_metrics_plan.ts";
import type { StartPlan } from "./start_plan.ts";
import type { VerifyPlan } from "./verify_plan.ts";
import type { SystemsPlan } from "./systems_plan.ts";

/** Target of requests: a server and the path of its endpoint. */
export interface Target {
  readonly origin: Origin;
  /** Path and query of the endpoint. */
  readonly path: string;
  /** The URL as it may be shown: credentials replaced. */
  readonly redactedUrl: string;
  /** Authorization from the URL's user and password, if it had them. */
  readonly authorization: string | undefined;
}

/** Schedule of the requests of a phase. */
export type LoadPlan =
  | {
    /** Closed loop: a fixed number of users, each of whom sends when its last reply is complete. */
    readonly loop: "closed";
    readonly concurrency: number;
    /** How the number of users grows to that; undefined if they are all there at once. */
    readonly concurrencyRamp?: RampPlan | undefined;
  }
  | {
    /** Open loop: an arrival process that does not wait for replies. */
    readonly loop: "open";
    /** Mean requests per second; of a series the highest; 0 for a schedule, which has none. */
    readonly ratePerSecond: number;
    /** Whether requests arrive at the times of the input file, and not at a rate. */
    readonly isSchedule?: true;
    /** How the rate grows from nothing at the beginning. */
    readonly rateRamp?: RampPlan | undefined;
    /** The rate over time; undefined if it does not change after the ramp. */
    readonly rateSeries?: readonly RatePoint[] | undefined;
    /** Users who take turns, each with the same time between two requests; undefined for none. */
    readonly users?: number | undefined;
    readonly arrivalPattern: ArrivalPattern;
    /** Shape of the gamma distribution; 1 is Poisson, larger is smoother. */
    readonly smoothness: number;
    /** Maximum number of requests in flight; arrivals wait for a slot. Infinity for no cap. */
    readonly concurrency: number;
    /** How the cap grows to that. */
    readonly concurrencyRamp?: RampPlan | undefined;
  };

/** Growth of a limit or a rate from the beginning of a phase to its target. */
export interface RampPlan {
  readonly shape: RampShapeName;
  readonly durationNs: number;
  /** Number of the steps of that shape. */
  readonly steps: number;
}

/** The rate at a time of a phase. */
export interface RatePoint {
  readonly seconds: number;
  readonly ratePerSecond: number;
}

/** Limit of the requests that have not had their first token. */
export interface PrefillPlan {
  readonly limit: number;
  readonly ramp: RampPlan | undefined;
}

/** Requests that are ended from this side on purpose. */
export interface CancellationPlan {
  /** Share of the requests, 0 to 1. */
  readonly share: number;
  /** From the moment a request is written completely. */
  readonly delayNs: number;
}

/** Distribution of the times between arrivals. */
export type ArrivalPattern = "poisson" | "constant" | "gamma";

/** One phase of a run. The first stop that is reached ends it. */
export interface PhasePlan {
  readonly kind: "warmup" | "profiling";
  /** Whether it only sends calls of one token that are in no result: see primingPhase. */
  readonly isPriming?: true;
  /** Whether these are whole sessions, whose calls have no gaps: see cacheWarmupPhase. */
  readonly fillsCaches?: true;
  /** Whether it ends when the first user of a closed loop has no session left. */
  readonly endsWithFirstIdle?: true;
  readonly load: LoadPlan;
  /** Requests to send; Infinity for no limit. */
  readonly requestCount: number;
  /** Number of sessions to start; started sessions are completed. Absent for no limit. */
  readonly sessionCount?: number;
  /** Nanoseconds in which requests are sent; Infinity for no limit. */
  readonly durationNs: number;
  /** Nanoseconds that running requests get after that; Infinity to wait for them. */
  readonly graceNs: number;
  /** undefined for no limit; absent in run folders of older versions, as the next. */
  readonly prefill?: PrefillPlan | undefined;
  /** undefined for none. */
  readonly cancellation?: CancellationPlan | undefined;
}

/** Turns of synthetic conversations. */
export interface TurnsPlan {
  readonly mean: number;
  readonly stddev: number;
  /** Time from a reply to the next turn. */
  readonly delayMeanMs: number;
  readonly delayStddevMs: number;
  /** Factor of all these times. */
  readonly delayRatio: number;
}

/** Use of the times between turns in a dataset. */
export interface TurnDelayPlan {
  readonly ignored: boolean;
  /** Infinity for no limit. */
  readonly maxMs: number;
}

/** Source of prompts. */
export type DatasetPlan =
  | {
    readonly source: "synthetic";
    readonly inputTokensMean: number;
    readonly inputTokensStddev: number;
    /** undefined: the server decides. */
    readonly outputTokensMean: number | undefined;
    readonly outputTokensStddev: number;
    /** Turns of a conversation; absent where each is one prompt. */
    readonly turns?: TurnsPlan;
    /** Absent where prompts are a length of prose and nothing else. */
    readonly prompts?: PromptsPlan;
    /** Different prompts, or conversations, of the profiling phase. */
    readonly entries: number;
    /** Different prompts, or conversations, of the warm-up. */
    readonly warmupEntries: number;
    /**
     * Number that sets the prompts of this run apart from those of other runs; absent where prompts
     * may repeat.
     */
    readonly salt?: number;
  }
  | FileDatasetPlan;

/** Prompts from a file. */
export interface FileDatasetPlan {
  readonly source: "file";
  /** `-` for standard input. */
  readonly path: string;
  /** Name of the file's format; undefined to detect it from the content. */
  readonly format: string | undefined;
  /** Folders whose files its rows may name, besides its own. */
  readonly allowedFolders: readonly string[];
  /** Used where a row says nothing about the length of its output. */
  readonly outputTokensMean: number | undefined;
  readonly outputTokensStddev: number;
  /** Prompts that are drawn from a pool. */
  readonly draws: number;
  /** Tokens of a block of `hash_ids`; undefined for those of the format. */
  readonly blockSize: number | undefined;
  readonly synthesis: SynthesisPlan;
  /** The times of the file that are replayed; undefined if they are not. */
  readonly schedule: SchedulePlan | undefined;
  /** How recorded agent sessions are replayed; absent for files of other formats. */
  readonly agents?: AgentsPlan;
  /** The dataset that replaces the file; `path` is then its name. Absent for none. */
  readonly public?: PublicDatasetPlan;
}

/** How a trace is changed before it is sent; factors of 1 leave it as it is. */
export interface SynthesisPlan {
  /** Times are divided by it. */
  readonly speedup: number;
  /** Factor of the blocks that several prompts begin with. */
  readonly prefixLength: number;
  /** Copies of the tree of prefixes among which conversations are divided. */
  readonly prefixRoots: number;
  /** Factor of the tokens of each prompt that no other has. */
  readonly promptLength: number;
  readonly outputLength: number;
  /** Rows of longer prompts are left out; Infinity for none. */
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
}

/** Times of a trace that are replayed, in milliseconds of the trace. */
export interface SchedulePlan {
  /** Time at which the phase begins; undefined for that of the first request. */
  readonly zeroMs: number | undefined;
  /** Requests of earlier and later times are left out; at these times they are not. */
  readonly startMs: number;
  readonly endMs: number;
}

/** The tokenizer that counts tokens. */
export type TokenizerPlan =
  | { readonly kind: "builtin" }
  /** A local one; `name` is what it is called on a hub, if that is how it was found. */
  | { readonly kind: "file"; readonly path: string; readonly name: string | undefined }
  /** One that main fetches before it is confined. */
  | {
    readonly kind: "hub";
    readonly name: string;
    readonly endpoint: string;
    /** Absent for `main`. */
    readonly revision?: string;
  };

/** A service level objective: a metric and the value it must not miss, in the metric's own unit. */
export interface Objective {
  readonly tag: RecordMetricTag;
  readonly threshold: number;
}

/**
 * Treatment of a folder that is not empty: a numbered one is created next to it, a finished run in
 * it is replaced, it is written into regardless of its content, or the run is refused.
 */
export type ExistingFolder = "number" | "replace" | "overwrite" | "refuse";

/** Required content of replies. */
export interface ExpectationPlan {
  /** Pattern that the answer must match, in RE2's syntax; undefined for any. */
  readonly pattern: string | undefined;
  /** Least output tokens, reasoning included; 0 for any. */
  readonly minTokens: number;
}

/** Files of a run and their folder. */
export interface OutputPlan {
  /** Folder of this run's files, created before the run starts. */
  readonly directory: string;
  /** Names of the files without their endings. */
  readonly prefix: string | undefined;
  readonly exportLevel: "summary" | "records" | "raw";
  /** Width of the time slices; undefined for none. */
  readonly sliceNs: number | undefined;
  readonly exportHttpTrace: boolean;
  /** Whether the run folder is written, from which results can be regenerated. */
  readonly keepRecords: boolean;
  readonly showTraceTiming: boolean;
  /** Whether the time between tokens is also reported by the definitions of other tools. */
  readonly itlDialects?: boolean;
  /** Whether the report is also written as a page. */
  readonly page: boolean;
  readonly existing: ExistingFolder;
}

/** A label that a user gave a run. */
export type RunTag = readonly [name: string, value: string];

/** See the module's comment. */
export interface RunPlan {
  readonly benchmarkId: string;
  /** Names that the requests carry, one each; none where the server has yet to be asked for it. */
  readonly models: readonly string[];
  /** How one of them is chosen for each session; undefined for each in turn. */
  readonly modelSelection?: ModelSelectionPlan | undefined;
  readonly endpointType: string;
  /** Settings of the endpoint type, such as a template; missing for none. */
  readonly endpointSettings?: EndpointSettings;
  /** Fields that the run removes from bodies; missing for none. */
  readonly omittedInputs?: readonly string[];
  readonly targets: readonly Target[];
  /** Settings of every body, apart from its model. */
  readonly body: Omit<BodySettings, "model">;
  /** Lines that every request carries besides those the product adds. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Header with the ID of a request's session; absent for X-Correlation-ID. */
  readonly sessionHeader?: string;
  readonly transport: "socket" | "fetch";
  readonly reuse: ConnectionReuse;
  readonly caCerts: readonly string[];
  readonly systemCerts: readonly string[];
  readonly clientCert: ClientCertificate | undefined;
  /** @default "strict" */
  readonly retries?: RetryRule;
  readonly requestTimeoutNs: number;
  /** Maximum time without a byte of a reply; absent for no limit. */
  readonly stallTimeoutNs?: number;
  readonly readinessTimeoutNs: number;
  /** Requirement for a server to be ready; absent for listing a model. */
  readonly readinessMode?: "inference" | "both" | undefined;
  /** Interval between readiness checks in nanoseconds; absent for half a second. */
  readonly readinessIntervalNs?: number | undefined;
  readonly useServerTokenCount: boolean;
  /**
   * Whether the usage of replies is used where they hold it, and the tokenizer, which is not the
   * model's, elsewhere; absent if one of them counts everything.
   */
  readonly prefersUsage?: true;
  readonly tokenizer: TokenizerPlan;
  readonly dataset: DatasetPlan;
  /** System message of every conversation; absent for none, or a synthetic one. */
  readonly systemPrompt?: string;
  /** Marker of each session; absent for none. */
  readonly cacheBust?: CacheBustTarget;
  /** Whether all sessions of the run have the same marker; absent for one each. */
  readonly marksRun?: true;
  /** Whether input tokens are counted with the tokenizer's chat template. */
  readonly appliesChatTemplate?: true;
  /** Absent where the times between turns are left as they are. */
  readonly turnDelays?: TurnDelayPlan;
  readonly samplingStrategy: "sequential" | "random" | "shuffle";
  readonly phases: readonly PhasePlan[];
  readonly workers: number;
  /** Whether the client's own error is measured by canary streams. */
  readonly canaries: boolean;
  /** Port of this machine that they run over; undefined for one that is free. */
  readonly canaryPort: number | undefined;
  /** How they are read; absent for as the requests are. */
  readonly canaryTransport?: "socket";
  readonly seed: number;
  readonly objectives: readonly Objective[];
  readonly thresholds: Thresholds;
  /** Objectives that the whole run must meet; absent in run folders of older versions. */
  readonly slos?: readonly Slo[];
  /** Whether the run ends as soon as an objective can no longer be met. */
  readonly abortOnSlo?: boolean;
  /** Statistics that must be valid; absent for none. */
  readonly requireValid?: RequiredValidity | undefined;
  /** Whether an inconclusive objective fails the run. */
  readonly failsInconclusive?: boolean;
  /** Window that is shown and evaluated; absent for the steady state if there is one. */
  readonly shownWindow?: "run" | undefined;
  /** Price per hour of all servers, in the user's currency; undefined if not specified. */
  readonly costPerHour?: number | undefined;
  /** Fraction of each prompt that prefix caches can have; absent if none was planned. */
  readonly prefixHitRate?: number | undefined;
  /** GPUs that serve the load; absent if the user did not state them. */
  readonly gpus?: GpuCounts | undefined;
  /** Labels of the run by ascending names; absent in run folders of older versions. */
  readonly tags?: readonly RunTag[];
  /** Whether the servers are asked for their versions and configurations before the run. */
  readonly serverInfo?: boolean;
  /** The definition of the time between tokens; undefined for this program's own. */
  readonly itlDialect?: ItlDialectName | undefined;
  /** Maximum fraction of failed requests with which a run counts as complete, and continues. */
  readonly maxErrorRate: number;
  /** Whether a request that receives status 429 is resent later. */
  readonly waitOn429?: boolean;
  /** Required content of valid replies; undefined if nothing is required. */
  readonly expectation?: ExpectationPlan | undefined;
  /** Checks of answers besides those of every reply; absent for none. */
  readonly verify?: VerifyPlan | undefined;
  /** Collection of the servers' metrics; undefined if it is switched off. */
  readonly serverMetrics: ServerMetricsPlan | undefined;
  /** Collection of what GPUs say; undefined if it is off, and in folders of older versions. */
  readonly gpuTelemetry?: GpuTelemetryPlan | undefined;
  /** How the network's share is known; undefined for not, and in folders of older versions. */
  readonly networkLatency?: NetworkLatencyPlan | undefined;
  readonly output: OutputPlan;
  /**
   * The part of the run that this process has, where several have one each; undefined for the whole.
   * The rest of the plan is that of the whole run: see {@linkcode phaseOfShard}.
   */
  readonly shard?: Shard | undefined;
  /** When the first phase begins; undefined for at once. */
  readonly start?: StartPlan | undefined;
  /**
   * Systems that also receive the results; undefined for none, and in folders of older versions.
   */
  readonly systems?: SystemsPlan | undefined;
  /** Texts that must never appear: keys, passwords, tokens. */
  readonly secrets: readonly string[];
  /** The command line as it may be shown. */
  readonly cliCommand: string;
}
