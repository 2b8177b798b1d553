// Made from the option tables by scripts/build_generated.ts, not by hand.

/** Options of recorded agent sessions. */
export interface AgentOptions {
  /** Gaps in which tools work: recorded, none, scale:FACTOR or cap:TIME. @default recorded */
  readonly toolTime?: string;
  /** Gaps in which a user works: recorded, none, scale:FACTOR or cap:TIME. @default recorded */
  readonly userTime?: string;
  /** Maximum number of calls of one session in flight. @default unlimited */
  readonly maxParallelCalls?: number;
  /**
   * Replies in later prompts: those of the server, or recorded ones.
   * @default recorded where the file has replies or blocks
   */
  readonly history?: string;
  /**
   * Calls that are not sent after a failed call: those that depend on it, all, or none.
   * @default "branch"
   */
  readonly onFailedCall?: string;
  /** Whether agents without a join between them keep their recorded order. @default "recorded" */
  readonly callOrder?: string;
  /** Smallest part of a session's recorded time to skip; drawn for each session. @default 0 */
  readonly trajectoryStartMinRatio?: number;
  /**
   * Largest part of a session's recorded time to skip.
   * @default the value of --trajectory-start-min-ratio
   */
  readonly trajectoryStartMaxRatio?: number;
  /** Send the first call of each session at once, not at its recorded time. @default false */
  readonly burstPhaseStarts?: boolean;
  /**
   * Time before the measurement in which sessions without gaps, with replies of one token, fill the
   * caches. In seconds.
   * @default none
   */
  readonly agenticCacheWarmupDuration?: number;
  /**
   * Maximum time of the priming calls before the measurement, and of the last calls of the cache
   * warm-up. In seconds.
   * @default unlimited
   */
  readonly agenticWarmupGracePeriod?: number;
  /** Gaps of a Weka trace: its think_time where it has one. @default false */
  readonly useThinkTimeOnly?: boolean;
  /** Maximum time in which no call of a session is in flight. In seconds. @default unlimited */
  readonly traceIdleGapCapSeconds?: number;
  /**
   * Longest input plus output of a call; sessions with longer ones are left out. In tokens.
   * @default unlimited
   */
  readonly maxContextLength?: number;
  /**
   * Maximum time in which no call of the run is in flight. In seconds.
   * @default unlimited; 10 s with --scenario
   */
  readonly systemIdleGapCapSeconds?: number;
  /** Named set of locked settings for comparable agent runs. @default none */
  readonly scenario?: string;
  /**
   * Run with settings that --scenario forbids; the result is no valid submission.
   * @default false
   */
  readonly unsafeOverride?: boolean;
  /** Replay recorded sessions more than once each. @default false */
  readonly allowDatasetWrap?: boolean;
}
