/** The servers of Hugging Face. */

import type { Engine } from "./engine.ts";
import { by, histogram, prefixed, sum } from "./role_source.ts";

/** Text Generation Inference. Its durations are seconds, which no name says. */
export const TGI: Engine = {
  name: "TGI",
  layer: "engine",
  prefixes: ["tgi_"],
  paths: ["/metrics"],
  roles: prefixed("tgi_", {
    running: [sum("requests", "batch_current_size")],
    waiting: [sum("requests", "queue_size")],
    requests: [sum("requests", "request_success"), sum("requests", "request_count")],
    failures: [sum("requests", "request_failure")],
    "prompt_tokens": [histogram("tokens", "request_input_length")],
    "generation_tokens": [histogram("tokens", "request_generated_tokens")],
    e2e: [histogram("seconds", "request_duration")],
    queue: [histogram("seconds", "request_queue_duration")],
    inference: [histogram("seconds", "request_inference_duration")],
    tpot: [histogram("seconds", "request_mean_time_per_token_duration")],
    "spec_accepted": [histogram("tokens", "request_skipped_tokens")],
    forward: [by("method", "seconds", "batch_forward_duration")],
  }),
  questions: [{ path: "/info", prefix: "info." }],
};

/** Text Embeddings Inference. */
export const TEI: Engine = {
  name: "TEI",
  layer: "engine",
  prefixes: ["te_"],
  paths: ["/metrics"],
  roles: prefixed("te_", {
    waiting: [sum("requests", "queue_size")],
    requests: [sum("requests", "request_success"), sum("requests", "request_count")],
    failures: [sum("requests", "request_failure")],
    "prompt_tokens": [histogram("tokens", "request_input_length")],
    e2e: [histogram("seconds", "request_duration")],
    queue: [histogram("seconds", "request_queue_duration")],
    inference: [histogram("seconds", "request_inference_duration")],
    tokenize: [histogram("seconds", "request_tokenization_duration")],
  }),
};
