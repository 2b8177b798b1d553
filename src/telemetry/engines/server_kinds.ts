/** Inference servers by the names of their metrics, and what to look at in each. */

/** The most informative figure of a metric. */
export type KeyFigure = "avg" | "max" | "rate" | "total" | "p99_estimate";

/** A metric worth showing. */
export interface KeyMetric {
  readonly name: string;
  readonly figure: KeyFigure;
}

/** A row of the short report: the first of these metrics that the server reports. */
export interface BriefRow {
  readonly label: string;
  readonly metrics: readonly string[];
  /** A share is from 0 to 1, a time has a histogram. */
  readonly of: "count" | "share" | "time";
  /** Bad news: shown only where there was any. */
  readonly ifAny?: true;
}

/** A share that follows from two totals: of counters, or of histograms' sums. */
export interface KeyShare {
  readonly name: string;
  /** Its name in the short report. */
  readonly label: string;
  readonly part: readonly string[];
  readonly whole: readonly string[];
}

/** Metrics that say of the server what the client measures, too; the first one that is there counts. */
export interface ServerCounterparts {
  /** Counters, or histograms whose number of observations it is. */
  readonly requests: readonly string[];
  /** Counters, or histograms whose sum it is; those that stand together are added up. */
  readonly promptTokens: readonly (readonly string[])[];
  /** Counters, or histograms whose sum it is. */
  readonly generationTokens: readonly string[];
  /** Histograms in seconds. */
  readonly ttft: readonly string[];
  readonly itl: readonly string[];
  readonly latency: readonly string[];
}

/** A kind of inference server. */
export interface ServerKind {
  readonly name: string;
  /** Prefixes of the names of its metrics. */
  readonly prefixes: readonly string[];
  readonly keyMetrics: readonly KeyMetric[];
  readonly brief: readonly BriefRow[];
  readonly keyShares: readonly KeyShare[];
  readonly counterparts: ServerCounterparts;
}

function keyMetrics(prefix: string, figures: Readonly<Record<string, KeyFigure>>): KeyMetric[] {
  return Object.entries(figures).map(([name, figure]) => ({ name: `${prefix}${name}`, figure }));
}

function briefRows(
  prefix: string,
  rows: Readonly<Record<string, readonly [BriefRow["of"], ...string[]]>>,
): BriefRow[] {
  return Object.entries(rows).map(([label, [of, ...names]]) => ({
    label,
    of,
    metrics: names.map((name) => `${prefix}${name}`),
    ...(BAD_NEWS.has(label) ? { ifAny: true } : {}),
  }));
}

const BAD_NEWS: ReadonlySet<string> = new Set(["preemptions", "rejections", "failures"]);

/** Every kind that is known, in the order in which they are looked for. */
export const SERVER_KINDS: readonly ServerKind[] = [
  {
    name: "Dynamo",
    prefixes: ["dynamo_"],
    keyMetrics: keyMetrics("dynamo_", {
      frontend_active_requests: "avg",
      frontend_inflight_requests: "avg",
      frontend_queued_requests: "avg",
      frontend_request_duration_seconds: "p99_estimate",
      frontend_time_to_first_token_seconds: "p99_estimate",
      frontend_inter_token_latency_seconds: "p99_estimate",
      frontend_requests: "rate",
      frontend_output_tokens: "rate",
      component_gpu_cache_usage_percent: "max",
      frontend_stage_duration_seconds: "p99_estimate",
      frontend_cached_tokens: "p99_estimate",
      component_router_kv_hit_rate: "avg",
      component_router_shared_cache_hit_rate: "avg",
      request_plane_queue_seconds: "p99_estimate",
      request_queue: "max",
      work_handler_queue_depth: "max",
      tokio_global_queue_depth: "max",
      frontend_failures: "total",
      rejection_request: "total",
    }),
    brief: briefRows("dynamo_", {
      running: [
        "count",
        "frontend_active_requests",
        "frontend_inflight_requests",
        "component_inflight_requests",
      ],
      waiting: ["count", "frontend_queued_requests"],
      "KV cache": ["share", "component_gpu_cache_usage_percent"],
      "queue time": ["time", "request_plane_queue_seconds"],
      TTFT: ["time", "frontend_time_to_first_token_seconds"],
      failures: ["count", "frontend_failures"],
      rejections: ["count", "rejection_request"],
    }),
    keyShares: [{
      name: "prompt cache hit rate",
      label: "cache hits",
      part: ["dynamo_frontend_cached_tokens"],
      whole: ["dynamo_frontend_input_sequence_tokens"],
    }],
    counterparts: {
      requests: ["dynamo_frontend_requests"],
      promptTokens: [["dynamo_frontend_input_sequence_tokens"]],
      generationTokens: ["dynamo_frontend_output_tokens", "dynamo_frontend_output_sequence_tokens"],
      ttft: ["dynamo_frontend_time_to_first_token_seconds"],
      itl: ["dynamo_frontend_inter_token_latency_seconds"],
      latency: ["dynamo_frontend_request_duration_seconds"],
    },
  },
  {
    name: "vLLM",
    prefixes: ["vllm:", "vllm_"],
    keyMetrics: keyMetrics("vllm:", {
      num_requests_running: "avg",
      num_requests_waiting: "max",
      num_requests_waiting_by_reason: "max",
      kv_cache_usage_perc: "max",
      num_preemptions: "total",
      e2e_request_latency_seconds: "p99_estimate",
      time_to_first_token_seconds: "p99_estimate",
      inter_token_latency_seconds: "p99_estimate",
      prompt_tokens_by_source: "total",
      generation_tokens: "rate",
      request_queue_time_seconds: "p99_estimate",
      request_prefill_time_seconds: "p99_estimate",
      request_decode_time_seconds: "p99_estimate",
      request_inference_time_seconds: "p99_estimate",
      prompt_tokens_cached_by_source: "total",
      admission_rejections: "total",
      estimated_flops_per_gpu: "rate",
      estimated_read_bytes_per_gpu: "rate",
      estimated_write_bytes_per_gpu: "rate",
    }),
    brief: briefRows("vllm:", {
      running: ["count", "num_requests_running"],
      waiting: ["count", "num_requests_waiting"],
      "KV cache": ["share", "kv_cache_usage_perc", "gpu_cache_usage_perc"],
      "queue time": ["time", "request_queue_time_seconds"],
      prefill: ["time", "request_prefill_time_seconds"],
      preemptions: ["count", "num_preemptions"],
      rejections: ["count", "admission_rejections"],
    }),
    keyShares: [
      {
        name: "prefix cache hit rate",
        label: "prefix hits",
        part: ["vllm:prefix_cache_hits"],
        whole: ["vllm:prefix_cache_queries"],
      },
      {
        name: "external prefix cache hit rate",
        label: "external hits",
        part: ["vllm:external_prefix_cache_hits"],
        whole: ["vllm:external_prefix_cache_queries"],
      },
    ],
    counterparts: {
      requests: ["vllm:request_success", "vllm:e2e_request_latency_seconds"],
      promptTokens: [["vllm:prompt_tokens"], ["vllm:request_prompt_tokens"]],
      generationTokens: ["vllm:generation_tokens", "vllm:request_generation_tokens"],
      ttft: ["vllm:time_to_first_token_seconds"],
      itl: ["vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds"],
      latency: ["vllm:e2e_request_latency_seconds"],
    },
  },
  {
    name: "SGLang",
    prefixes: ["sglang:", "sglang_"],
    keyMetrics: keyMetrics("sglang:", {
      num_running_reqs: "avg",
      num_queue_reqs: "max",
      token_usage: "max",
      cache_hit_rate: "avg",
      gen_throughput: "avg",
      time_to_first_token_seconds: "p99_estimate",
      inter_token_latency_seconds: "p99_estimate",
      e2e_request_latency_seconds: "p99_estimate",
      queue_time_seconds: "p99_estimate",
      prompt_tokens: "rate",
      generation_tokens: "rate",
    }),
    brief: briefRows("sglang:", {
      running: ["count", "num_running_reqs"],
      waiting: ["count", "num_queue_reqs"],
      "KV cache": ["share", "token_usage"],
      "cache hits": ["share", "cache_hit_rate"],
      "queue time": ["time", "queue_time_seconds"],
      TTFT: ["time", "time_to_first_token_seconds"],
      preemptions: ["count", "num_retracted_reqs_total"],
    }),
    keyShares: [],
    counterparts: {
      requests: ["sglang:num_requests", "sglang:e2e_request_latency_seconds"],
      promptTokens: [["sglang:prompt_tokens"]],
      generationTokens: ["sglang:generation_tokens"],
      ttft: ["sglang:time_to_first_token_seconds"],
      itl: ["sglang:inter_token_latency_seconds"],
      latency: ["sglang:e2e_request_latency_seconds"],
    },
  },
  {
    name: "TensorRT-LLM",
    prefixes: ["trtllm_", "trtllm:"],
    keyMetrics: keyMetrics("trtllm_", {
      e2e_request_latency_seconds: "p99_estimate",
      time_to_first_token_seconds: "p99_estimate",
      time_per_output_token_seconds: "p99_estimate",
      request_queue_time_seconds: "p99_estimate",
      request_prefill_time_seconds: "p99_estimate",
      request_decode_time_seconds: "p99_estimate",
      request_success: "rate",
      prompt_tokens: "rate",
      generation_tokens: "rate",
      num_requests_running: "avg",
      num_requests_waiting: "max",
      kv_cache_utilization: "max",
      kv_cache_hit_rate: "avg",
    }),
    brief: briefRows("trtllm_", {
      running: ["count", "num_requests_running"],
      waiting: ["count", "num_requests_waiting"],
      "KV cache": ["share", "kv_cache_utilization"],
      "cache hits": ["share", "kv_cache_hit_rate"],
      "queue time": ["time", "request_queue_time_seconds"],
      prefill: ["time", "request_prefill_time_seconds"],
      TTFT: ["time", "time_to_first_token_seconds"],
    }),
    keyShares: [],
    counterparts: {
      requests: ["trtllm_request_success", "trtllm_e2e_request_latency_seconds"],
      promptTokens: [["trtllm_prompt_tokens"]],
      generationTokens: ["trtllm_generation_tokens"],
      ttft: ["trtllm_time_to_first_token_seconds"],
      itl: ["trtllm_time_per_output_token_seconds"],
      latency: ["trtllm_e2e_request_latency_seconds"],
    },
  },
  {
    name: "Triton",
    prefixes: ["nv_"],
    keyMetrics: keyMetrics("nv_", {
      inference_request_success: "rate",
      inference_request_failure: "total",
      inference_count: "rate",
      inference_exec_count: "rate",
      inference_pending_request_count: "max",
      inference_request_duration_us: "total",
      inference_queue_duration_us: "total",
      inference_first_response_histogram_ms: "p99_estimate",
      gpu_utilization: "avg",
      gpu_memory_used_bytes: "max",
      cache_num_hits_per_model: "total",
      cache_num_misses_per_model: "total",
    }),
    brief: briefRows("nv_", {
      requests: ["count", "inference_request_success"],
      waiting: ["count", "inference_pending_request_count"],
      "first reply": ["time", "inference_first_response_histogram_ms"],
      GPU: ["share", "gpu_utilization"],
      failures: ["count", "inference_request_failure"],
    }),
    keyShares: [],
    counterparts: {
      requests: ["nv_inference_request_success"],
      promptTokens: [],
      generationTokens: [],
      ttft: [],
      itl: [],
      latency: [],
    },
  },
  {
    name: "llama.cpp",
    prefixes: ["llamacpp:"],
    keyMetrics: keyMetrics("llamacpp:", {
      requests_processing: "avg",
      requests_deferred: "max",
      n_busy_slots_per_decode: "avg",
      tokens_predicted: "rate",
      prompt_tokens: "rate",
      prompt_tokens_cached: "total",
      predicted_tokens_seconds: "avg",
      prompt_tokens_seconds: "avg",
    }),
    brief: briefRows("llamacpp:", {
      running: ["count", "requests_processing"],
      waiting: ["count", "requests_deferred"],
      "busy slots": ["count", "n_busy_slots_per_decode"],
      "tokens in": ["count", "prompt_tokens"],
      "tokens out": ["count", "tokens_predicted"],
    }),
    keyShares: [{
      name: "prompt cache hit rate",
      label: "cache hits",
      part: ["llamacpp:prompt_tokens_cached"],
      whole: ["llamacpp:prompt_tokens", "llamacpp:prompt_tokens_cached"],
    }],
    counterparts: {
      requests: [],
      // What is read from the cache is not counted as processed.
      promptTokens: [["llamacpp:prompt_tokens", "llamacpp:prompt_tokens_cached"]],
      generationTokens: ["llamacpp:tokens_predicted"],
      ttft: [],
      itl: [],
      latency: [],
    },
  },
];

/** The kinds of servers that report metrics of these names. */
export function serverKinds(names: Iterable<string>): ServerKind[] {
  const all = [...names];
  return SERVER_KINDS.filter(({ prefixes }) =>
    all.some((name) => prefixes.some((prefix) => name.startsWith(prefix)))
  );
}
