import type { ForeignTool } from "./foreign_tool.ts";
import { GENAI_PERF } from "./genai_perf.ts";
import { GUIDELLM_BENCHMARK, GUIDELLM_RUN } from "./guidellm.ts";
import { SGLANG_BENCH } from "./sglang_bench.ts";
import { VLLM_BENCH } from "./vllm_bench.ts";

/** The tools whose command lines are translated. */
export const FOREIGN_TOOLS: readonly ForeignTool[] = [
  VLLM_BENCH,
  GENAI_PERF,
  GUIDELLM_BENCHMARK,
  GUIDELLM_RUN,
  SGLANG_BENCH,
];
