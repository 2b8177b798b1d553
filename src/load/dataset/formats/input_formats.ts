import { bailianTrace } from "./bailian_trace.ts";
import { burstGptTrace } from "./burst_gpt_trace.ts";
import { csvPrompts } from "./csv_prompts.ts";
import { customPrompts } from "./custom_prompts.ts";
import type { InputFormat } from "./input_format.ts";
import { inputsJson } from "./inputs_json.ts";
import { messageRows } from "./message_rows.ts";
import { mooncakeTrace } from "./mooncake_trace.ts";
import { multiTurn } from "./multi_turn.ts";
import { openAiBatch } from "./openai_batch.ts";
import { randomPool } from "./random_pool.ts";
import { rawPayload } from "./raw_payload.ts";
import { shareGpt } from "./sharegpt.ts";
import { singleTurn } from "./single_turn.ts";
import { TEXT_FORMATS } from "./text_prompts.ts";

/** All formats of input files by their names. */
export const INPUT_FORMATS: ReadonlyMap<string, InputFormat> = new Map(
  [
    ...[singleTurn, multiTurn, randomPool, mooncakeTrace, bailianTrace, burstGptTrace, shareGpt],
    ...[customPrompts, messageRows, csvPrompts, ...TEXT_FORMATS, openAiBatch, rawPayload],
    inputsJson,
  ].map((format) => [format.name, format]),
);
