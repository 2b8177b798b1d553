import type { GapRule } from "../../core/session_graph/session_graph.ts";
import type { StartRatios } from "../../core/session_graph/start_ratio.ts";
import type { FailurePolicy } from "../../core/session_graph/unsent_calls.ts";

/** Replay of recorded agent sessions. */
export interface AgentsPlan {
  /** Change of gaps in which tools work, and programs that start agents. */
  readonly toolTime: GapRule;
  /** Change of gaps in which a user works. */
  readonly userTime: GapRule;
  /** Calls of one session in flight at most; absent for no limit. */
  readonly maxParallelCalls?: number;
  /** Whether recorded or live replies are in later prompts. */
  readonly history: "live" | "recorded";
  readonly onFailedCall: FailurePolicy;
  /** Whether agents without a join between them keep their recorded order. */
  readonly keepsOrder: boolean;
  /** Longest time in which nothing of a session is in flight, in nanoseconds; absent for no limit. */
  readonly idleCapNs?: number;
  /** Longest time in which nothing of the run is in flight, in nanoseconds; absent for no limit. */
  readonly systemIdleCapNs?: number;
  /** Named set of locked settings; absent for none. */
  readonly scenario?: ScenarioPlan;
  /** Whether sessions are replayed again when all have been. */
  readonly wraps: boolean;
  /** Where in their recorded time sessions are entered, each at a drawn ratio; absent for the start. */
  readonly startRatios?: StartRatios;
  /** Whether gaps are the time of the client before a request, where the file has that. */
  readonly usesThinkTime?: true;
  /** Longest time of the priming calls before the profiling phase, in nanoseconds; absent for no limit. */
  readonly primingGraceNs?: number;
  /** Time in which sessions with replies of one token fill the caches before that; absent for none. */
  readonly cacheWarmupNs?: number;
  /** Whether the first calls of sessions are sent at once, and not at their recorded times. */
  readonly burstsStarts: boolean;
  /** Sessions with a longer context are left out, in tokens; absent for no limit. */
  readonly maxContextTokens?: number;
}

/** A named set of locked settings. */
export interface ScenarioPlan {
  readonly name: string;
  /** Version of the benchmark whose locks they are. */
  readonly version: string;
  /** Whether settings differ from the locks. */
  readonly isOverridden: boolean;
  /** Whether the input has the format of the scenario. */
  readonly isDatasetApproved: boolean;
  readonly limits: ScenarioLimits;
  /** Longest reply where its length is free, in tokens; absent if replies have recorded lengths. */
  readonly freeLengthTokens?: number;
  /** Whether all sessions of a run have the same marker. */
  readonly marksRuns?: true;
  /** Whether the run ends when the first user has no session left. */
  readonly endsWithFirstIdle?: true;
}

/** Limits of the results of a scenario; absent for no limit. */
export interface ScenarioLimits {
  readonly leastSeconds?: number;
  /** Share of requests that may exceed the longest context. */
  readonly maxOverflowShare?: number;
  /** Share of requests that may fail. */
  readonly maxFailedShare?: number;
  /** Whether sessions may be replayed more than once each. */
  readonly mayWrap: boolean;
  /** Whether replies must be as long as recorded. */
  readonly hasExactLengths: boolean;
  /** Mean length of the replies, divided by that of the recorded ones. */
  readonly outputBand?: { readonly min: number; readonly max: number };
}
