/**
 * Results of `analyze-trace` about recorded agent sessions: its JSON file has these names. Times are
 * milliseconds from the start of a session, with three decimals.
 */

/** One session. */
export interface SessionAnalysis {
  readonly "id": string;
  /** From the start of the file's first session. */
  readonly "offset_ms": number;
  readonly "agents": readonly string[];
  readonly "calls": readonly CallAnalysis[];
  /** Whether a replay with replies as long as recorded starts each call at its recorded time. */
  readonly "replay_with_recorded_reply_times_equals_record"?: boolean;
  /** By the name of the reply times; absent if none were given. */
  readonly "schedules"?: Readonly<Record<string, ScheduleAnalysis>>;
  readonly "totals": SessionTotals;
  readonly "failures"?: readonly FailureAnalysis[];
  readonly "start_position"?: readonly StartAnalysis[];
}

/** One call of a session; calls that only order others have no fields behind `virtual`. */
export interface CallAnalysis {
  readonly "id": string;
  readonly "agent": string;
  readonly "depth": number;
  readonly "after": readonly {
    readonly "call": string;
    readonly "on": string;
    readonly "kind": string;
    readonly "gap_ms": number;
  }[];
  readonly "offset_ms"?: number;
  readonly "not_before_ms"?: number;
  readonly "virtual"?: true;
  readonly "model"?: string | null;
  readonly "gap_class"?: string | null;
  readonly "tool_ms"?: number | null;
  readonly "input_tokens"?: number;
  readonly "output_tokens"?: number;
  readonly "new_tokens"?: number;
  /** Whole blocks that an infinite prefix cache of this session's prompts has. */
  readonly "cached_tokens"?: number;
  readonly "cached_tokens_with_replies"?: number;
  readonly "context_reset"?: boolean;
  /** Absent where earlier sessions make no difference. */
  readonly "cached_tokens_after_earlier_sessions"?: number;
  readonly "recorded_input_tokens"?: number;
  readonly "recorded_start_ms"?: number;
  readonly "recorded_end_ms"?: number;
}

/** Starts of the calls for some reply times. */
export interface ScheduleAnalysis {
  readonly "start_ms": Readonly<Record<string, number>>;
  readonly "critical_path": {
    readonly "calls": readonly string[];
    readonly "model_ms": number;
    /** Gaps: tool, user and agent time. */
    readonly "gap_ms": number;
    readonly "tool_ms": number;
    readonly "user_ms": number;
    readonly "agent_ms": number;
    readonly "wait_ms": number;
    readonly "duration_ms": number;
  };
}

/** Sums over the calls of a session. */
export interface SessionTotals {
  readonly "calls": number;
  readonly "input_tokens": number;
  readonly "output_tokens": number;
  readonly "cached_tokens": number;
  readonly "new_tokens": number;
  readonly "ideal_hit_rate_pct": number;
  readonly "ideal_hit_rate_with_replies_pct": number;
  readonly "peak_parallel_calls_fixed_1000": number;
  readonly "context_resets": number;
  readonly "longest_context_tokens": number;
  readonly "recorded_gap_sum_ms": number;
  readonly "gap_ms_by_class": Readonly<Record<"tool" | "user" | "agent", number>>;
  /** By blocks, as AIPerf's theoretical_prefix_cache_hit; only where prompts are ids of blocks. */
  readonly "ideal_hit_rate_of_whole_blocks_pct"?: number | null;
}

/** Calls that are not sent because one failed. */
export interface FailureAnalysis {
  readonly "failed": string;
  readonly "schedule": string;
  readonly "not_sent": Readonly<Record<"branch" | "session" | "continue", readonly string[]>>;
}

/** How a session is entered in its middle. */
export interface StartAnalysis {
  readonly "ratio": number;
  readonly "t_star_ms": number;
  readonly "primed": readonly string[];
  readonly "skipped": readonly string[];
  readonly "first_of_each_agent": readonly {
    readonly "call": string;
    readonly "offset_ms": number;
  }[];
  readonly "played": readonly string[];
}

/** All sessions of a file. */
export interface SessionsAnalysis {
  readonly "block_size": number;
  /** `joined-text` where texts were counted, `recorded-lengths` where the file has lengths only. */
  readonly "token_rule": "joined-text" | "recorded-lengths";
  readonly "sessions": readonly SessionAnalysis[];
  readonly "totals": {
    readonly "sessions": number;
    readonly "calls": number;
    readonly "agents": number;
    readonly "max_depth": number;
    readonly "input_tokens": number;
    readonly "output_tokens": number;
    readonly "ideal_hit_rate_pct": number;
    readonly "ideal_hit_rate_with_replies_pct": number;
    readonly "longest_context_tokens": number;
    readonly "context_resets": number;
    readonly "peak_parallel_calls_fixed_1000": number;
    readonly "gap_ms_by_class": Readonly<Record<"tool" | "user" | "agent", number>>;
  };
}
