/** What AIPerf's files have and ours do not, and why. */

/** Names that are left out for one reason. */
export interface LeftOut {
  /** A star stands for any rest of a name. */
  readonly names: readonly string[];
  readonly why: string;
}

/** Metrics that AIPerf 0.13.0 may write. */
export const LEFT_OUT_METRICS: readonly LeftOut[] = [
  {
    names: ["tokens_in_flight"],
    why: "a client cannot see what a server holds in memory, and when each token was stored; the " +
      "server metrics have KV cache utilization",
  },
  {
    names: ["adj_*"],
    why:
      "failed requests count as endless there, so that the mean and the largest percentiles are " +
      "infinite; `request_error_rate` and `good_request_fraction` count failures",
  },
  {
    names: ["context_overflow_count"],
    why: "guessed from the wording of errors; `error_summary` has the errors with their wording",
  },
  {
    names: [
      ...["usage_prompt_cache_write_tokens", "usage_prompt_cache_miss_tokens"],
      ...["usage_prompt_audio_*", "usage_completion_audio_tokens", "usage_tool_use_prompt_tokens"],
      ...["usage_accepted_prediction_tokens", "usage_rejected_prediction_tokens"],
    ],
    why:
      "usage that only some hosted services report, and its totals; `--export-level raw` keeps it",
  },
  {
    names: ["spec_decode_*", "total_accepted_draft_tokens", "total_draft_tokens"],
    why:
      "read from fields that few servers add to their replies; server metrics have the acceptance rate",
  },
  {
    names: ["replay_*"],
    why: "traces are sent at their own times (`--fixed-schedule`); `send_slip` shows how late",
  },
  {
    names: ["audio_duration", "rtfx", "video_*"],
    why: "recordings and video have latency, throughput and errors only",
  },
  {
    names: [
      ...["credit_drop_latency", "requested_osl"],
      ...["stream_setup_latency", "stream_prefill_latency"],
      ...["thinking_efficiency", "overall_thinking_efficiency"],
    ],
    why: "internal or experimental there: no file of AIPerf has them either",
  },
];

/** Keys of the other files, and files. */
export const LEFT_OUT_KEYS: readonly LeftOut[] = [
  {
    names: ["cause", "cause_chain"],
    why:
      "in errors, the classes of Python exceptions; `kind` names the error by one of a few codes",
  },
  {
    names: ["context_overflow_skip", "agent_depth", "root_correlation_id"],
    why: "in records, about sessions of agents, which are not run",
  },
  {
    names: ["request_headers", "response_headers", "request_chunks", "response_chunks"],
    why: "in traces; `--export-level raw` has the headers that were given and the time of every " +
      "event; headers of replies are not kept",
  },
  {
    names: ["request_headers_sent_ns", "response_reason"],
    why: "in traces; the head goes out together with the body; the status code is kept",
  },
  {
    names: ["local_ip", "local_port", "remote_ip", "remote_port"],
    why: "in traces; `url` in the record's `metadata` names the server",
  },
  {
    names: ["connection_pool_wait_*", "dns_cache_*", "dns_lookup_start_ns", "dns_lookup_end_ns"],
    why: "in traces; `blocked_ns` is the wait; names are looked up before the run",
  },
  {
    names: ["phases/", "phase_manifest.json"],
    why: "a run has one profiling phase; warm-up is in `warmup_metrics`",
  },
];
