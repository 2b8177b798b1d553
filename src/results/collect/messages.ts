/** Messages between main and the results worker. */

import type { PayloadPage } from "../../load/dataset/payloads/payload_page.ts";
import type { PayloadData } from "../../load/dataset/payloads/payload_table.ts";
import type { DistantTokenizerParts } from "../../load/dataset/tokenizers/distant_tokenizer.ts";
import type { DistantPatternsParts } from "../../measurement/answers/patterns/distant_patterns.ts";
import type { TokenizerSource } from "../../load/dataset/tokenizers/tokenizer_source.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { RunEnd } from "../../core/run_end/end_reason.ts";
import type { LiveLevels, LiveResults } from "../../report/live/live_model.ts";
import type { LoadChange } from "../../report/model/load_change.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import type { ShardFacts } from "../../config/shard/shard_manifest.ts";
import type { ServerInfo } from "../../report/server_info/server_info.ts";
import type { ConsoleStyle } from "../../report/console/console_options.ts";
import type { ExportOutcome } from "../../report/model/export_outcome.ts";
import type { MachineFacts, RunSummary, ThreadFacts } from "./run_manifest.ts";

/** From main to the results worker. */
export type ToResultsWorker =
  | {
    readonly type: "init";
    readonly plan: RunPlan;
    readonly payloads: PayloadData;
    /** Whether conversations come in pages; the payloads have none then. */
    readonly isPaged?: boolean;
    readonly tokenizer: TokenizerSource | DistantTokenizerParts;
    /** Means to test foreign patterns; undefined if the run has none. */
    readonly patterns?: DistantPatternsParts | undefined;
    /** Port of each load worker's records. */
    readonly records: readonly MessagePort[];
    /** Port of the scrape worker's messages; undefined if nothing is scraped. */
    readonly scrapes: MessagePort | undefined;
    /** The same of GPU telemetry. */
    readonly gpuScrapes: MessagePort | undefined;
    readonly machine: MachineFacts;
    readonly threads: readonly ThreadFacts[];
    /** The start of the run's clock, nanoseconds since 1970. */
    readonly baseEpochNs: bigint;
    /** Whether any client watches the run. */
    readonly isWatched: boolean;
  }
  /** The next conversations of a file that is sent while it is read, without their bodies mostly. */
  | { readonly type: "page"; readonly page: PayloadPage }
  /** Facts that the servers reported. */
  | { readonly type: "servers"; readonly servers: readonly ServerInfo[] }
  /** A user changed the load, or set a mark. */
  | { readonly type: "loadChanged"; readonly change: LoadChange }
  | {
    readonly type: "phaseBegun";
    readonly phase: "warmup" | "profiling";
    readonly startNs: number;
    /** Milliseconds by which this machine's clock is ahead of shard 0's; undefined if not measured. */
    readonly clockAheadMs: number | undefined;
  }
  /** A phase is over: `claimed` requests of it were sent; workers in `lost` sent no more records. */
  | {
    readonly type: "phaseOver";
    readonly phase: "warmup" | "profiling";
    readonly claimed: number;
    readonly lost: readonly number[];
    readonly endNs: number;
  }
  | Finish
  /** A shard is over: what it says of itself is the last of its files. */
  | { readonly type: "seal"; readonly facts: ShardFacts }
  /** Nothing came of the run: what was written of it goes. */
  | { readonly type: "discard" }
  /** Outcomes of sending the results to other systems. */
  | { readonly type: "exported"; readonly outcomes: readonly ExportOutcome[] };

/** A run is over. */
export interface Finish {
  readonly type: "finish";
  readonly summary: RunSummary;
  /** Whether the scrape worker came to its end, so that everything it found is on its way. */
  readonly scrapesComplete: boolean;
  /** The same of the worker that reads GPU telemetry. */
  readonly gpuScrapesComplete: boolean;
  /** The screen that the report is to be drawn for; undefined for none. */
  readonly screen: Screen | undefined;
}

/** A screen that text is drawn for. */
export interface Screen {
  readonly width: number;
  readonly color: boolean;
  readonly style: ConsoleStyle;
}

/** Results of the records so far, for the progress line. */
export interface ResultsProgress {
  /** Medians, NaN where there is nothing yet. */
  readonly ttftP50Ms: number;
  readonly itlP50Ms: number;
  /** Output tokens of a content chunk, on average. */
  readonly tokensPerChunk: number;
  /** Requests that failed by what their replies say, which the load workers do not know. */
  readonly unexpected: number;
  /** Why the run should end: an objective is lost, or too many requests have failed. */
  readonly hopeless?: RunEnd | undefined;
  /** For those who watch the run; undefined if nobody does, or nothing has begun. */
  readonly live?: LiveResults | undefined;
  /** Levels of the servers; undefined if their metrics are not collected. */
  readonly levels?: LiveLevels | undefined;
}

/** From the results worker to main. */
export type FromResultsWorker =
  | { readonly type: "ready" }
  /** The worker has its orders. */
  | { readonly type: "initialized" }
  | { readonly type: "progress"; readonly progress: ResultsProgress }
  /** A file cannot be written any more; the run may go on, but its records are not complete. */
  | { readonly type: "exportFailed"; readonly message: string }
  /** All records of the phase are taken in. */
  | { readonly type: "phaseStored"; readonly phase: "warmup" | "profiling" }
  /** The results are known; this number of files is written now. */
  | { readonly type: "writing"; readonly files: number }
  /** Everything is written. */
  | { readonly type: "done"; readonly written: WrittenReport }
  /** The last file of a shard is written, or why it is not. */
  | { readonly type: "sealed"; readonly failure: string | undefined }
  | { readonly type: "discarded" }
  /** The outcomes of sending are recorded, or cannot be. */
  | { readonly type: "exportsNoted" };

/** The report of a run once its files are written. */
export interface WrittenReport {
  readonly report: ProfileReport;
  /** The report as it is shown on the screen that was asked for, else empty. */
  readonly screenText: string;
  /** Why a file could not be written; undefined if all are there. */
  readonly failure: string | undefined;
}
