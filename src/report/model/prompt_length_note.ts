import type { RunPlan } from "../../config/plan/run_plan.ts";
import { distributionOf, type MetricResults } from "../../measurement/metrics/metric_results.ts";

/** Difference from the planned length that needs no note, as a fraction. */
const TOLERANCE = 0.2;
/** Tokens that a chat template may add. */
const TEMPLATE_TOKENS = 50;

/**
 * Returns a sentence if servers count prompts of one planned length much longer or shorter than
 * `--isl`, because the built-in tokenizer is not the model's. Undefined if the lengths agree, or are
 * not planned.
 */
export function promptLengthNote(
  { dataset, systemPrompt, tokenizer }: Pick<RunPlan, "dataset" | "systemPrompt" | "tokenizer">,
  results: MetricResults,
): string | undefined {
  if (tokenizer.kind !== "builtin" || systemPrompt !== undefined) return undefined;
  if (dataset.source !== "synthetic" || dataset.turns !== undefined) return undefined;
  // Prefixes, mixtures and passages have lengths of their own.
  if (dataset.prompts !== undefined) return undefined;
  const counted = distributionOf(results, "usage_prompt_tokens")?.avg;
  const planned = dataset.inputTokensMean;
  if (counted === undefined || planned <= 0) return undefined;
  const isLonger = counted > planned * (1 + TOLERANCE) && counted > planned + TEMPLATE_TOKENS;
  if (!isLonger && counted >= planned * (1 - TOLERANCE)) return undefined;
  return `The server counts ${
    counted.toPrecision(3)
  } tokens per prompt where --isl is ${planned}: ` +
    "set --tokenizer to the model's for exact lengths";
}
