// deno-lint-ignore-file no-console
/**
 * Makes synthetic prompts as a run does before its first request, and prints the seconds that it
 * took: `deno run -A scripts/bench/make_prompts.ts COUNT TOKENS [CORPUS]`
 */

import { chat } from "../../src/client/endpoint/openai/chat.ts";
import type { CorpusName } from "../../src/config/plan/prompts_plan.ts";
import { syntheticDataset } from "../../src/load/dataset/synthetic/synthetic_dataset.ts";

const [count = "", tokens = "", corpus = "sonnet"] = Deno.args;
const startMs = performance.now();
const { data } = await syntheticDataset(
  {
    seed: 1,
    models: ["model"],
    body: { streaming: true, legacyMaxTokens: false, extraInputs: {}, perChunkUsage: false },
  },
  {
    source: "synthetic",
    inputTokensMean: Number(tokens),
    inputTokensStddev: 0,
    outputTokensMean: 100,
    outputTokensStddev: 0,
    prompts: { corpus: corpus as CorpusName },
    entries: Number(count),
    warmupEntries: 0,
  },
  chat,
  undefined,
);
const seconds = (performance.now() - startMs) / 1000;
if (data.inputTokens.some((length) => length !== Number(tokens))) {
  throw new Error("A prompt has another length");
}
console.log(seconds);
