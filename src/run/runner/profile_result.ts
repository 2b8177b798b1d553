import type { ClientHealth, ErrorGroup, RequestCounts } from "../../report/model/profile_report.ts";
import type { EndReason } from "../../core/run_end/end_reason.ts";
import type { ExportOutcome } from "../../report/model/export_outcome.ts";
import type { RunProgress } from "../../report/model/run_progress.ts";

/** Statistics of a metric; a single value is in `avg`. */
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
  /** Outcome of each export to another system; empty if none was named. */
  readonly exports: readonly ExportOutcome[];
}

/** Callbacks of a benchmark in progress. */
export interface ProfileHooks {
  /** Ends the run early; its result is partial. */
  readonly signal?: AbortSignal;
  /** Called a few times per second. */
  onProgress?(progress: RunProgress): void;
  /** Called with a sentence about something unexpected. */
  onWarning?(text: string): void;
}
