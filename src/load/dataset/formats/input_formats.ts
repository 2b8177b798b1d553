import { bailianTrace } from "./bailian_trace.ts";
import { burstGptTrace } from "./burst_gpt_trace.ts";
import { customPrompts } from "./custom_prompts.ts";
import type { InputFormat } from "./input_format.ts";
import { inputsJson } from "./inputs_json.ts";
import { mooncakeTrace } from "./mooncake_trace.ts";
import { multiTurn } from "./multi_turn.ts";
import { openAiBatch } from "./openai_batch.ts";
import { randomPool } from "./random_pool.ts";
import { rawPayload } from "./raw_payload.ts";
import { shareGpt } from "./sharegpt.ts";
import { singleTurn } from "./single_turn.ts";

/** All formats of input files by their names. */
export const INPUT_FORMATS: ReadonlyMap<string, InputFormat> = new Map(
  [
    ...[singleTurn, multiTurn, randomPool, mooncakeTrace, bailianTrace, burstGptTrace, shareGpt],
    ...[customPrompts, openAiBatch, rawPayload, inputsJson],
  ].map((format) => [format.name, format]),
);
