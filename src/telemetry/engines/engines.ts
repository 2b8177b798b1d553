/** Every program whose metrics are known, and what follows from all of them together. */

import { LMCACHE, MOONCAKE } from "./cache_tiers.ts";
import { DYNAMO_FRONTEND, DYNAMO_WORKER, OLD_DYNAMO_FRONTEND } from "./dynamo.ts";
import type { Engine, Question } from "./engine.ts";
import { AMD_EXPORTER, DCGM } from "./gpu_exporters.ts";
import { TEI, TGI } from "./hugging_face.ts";
import { LLAMA_CPP, OLLAMA } from "./llama_cpp.ts";
import { ENVOY_AI_GATEWAY, INFERENCE_EXTENSION, LITELLM, SMG, VLLM_ROUTER } from "./routers.ts";
import { SGLANG } from "./sglang.ts";
import { BARE_NAMES, TENSORRT_LLM } from "./tensorrt_llm.ts";
import { TRITON, TRITON_TENSORRT_LLM } from "./triton.ts";
import { APHRODITE, LMDEPLOY, VLLM } from "./vllm.ts";

/** The table, fronts first: reports list them in this order. */
export const ENGINES: readonly Engine[] = [
  ...[DYNAMO_FRONTEND, OLD_DYNAMO_FRONTEND, SMG, VLLM_ROUTER, INFERENCE_EXTENSION, LITELLM],
  ...[ENVOY_AI_GATEWAY, DYNAMO_WORKER, VLLM, APHRODITE, SGLANG, TENSORRT_LLM, TRITON],
  ...[TRITON_TENSORRT_LLM, LLAMA_CPP, TGI, LMDEPLOY, TEI, OLLAMA, BARE_NAMES],
  ...[LMCACHE, MOONCAKE, DCGM, AMD_EXPORTER],
];

/** The usual path of metrics. */
export const USUAL_PATH = "/metrics";

/** Paths to try where the usual one has no metrics, those of engines first. */
export const OTHER_PATHS: readonly string[] = [
  ...new Set(
    ENGINES.toSorted((a, b) => Number(b.layer === "engine") - Number(a.layer === "engine"))
      .flatMap(({ paths }) => paths),
  ),
].filter((path) => path !== USUAL_PATH);

/** Paths at which servers report what they are; each has some, and returns HTTP 404 for the others. */
export const QUESTIONS: readonly Question[] = ENGINES.flatMap(({ questions = [] }) => questions);

/** Names of all metrics that the table reads, as it has them. */
export const KNOWN_METRICS: readonly string[] = [
  ...new Set(ENGINES.flatMap(({ roles, keyMetrics = [] }) => [
    ...keyMetrics,
    ...Object.values(roles).flatMap((sources) => sources.flatMap(({ names }) => names)),
  ])),
];
