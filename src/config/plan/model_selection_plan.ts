import type { ProfileSettings } from "../options/profile/profile_options.ts";
import { UsageError } from "../options/usage_error.ts";

/** How one of several models is chosen for a session. */
export interface ModelSelectionPlan {
  readonly strategy: "random" | "weighted" | "sticky";
  /** Weight of each model, adding up to 1; undefined except for `weighted`. */
  readonly weights?: readonly number[];
}

/**
 * How models are chosen.
 * @returns undefined for models in turn
 * @throws {UsageError} for weights that do not fit the models
 */
export function resolveModelSelection(
  { modelSelectionStrategy: strategy, modelWeights: given }: ProfileSettings,
  modelCount: number,
): ModelSelectionPlan | undefined {
  if (strategy !== "weighted") {
    if (given !== undefined) {
      throw new UsageError("--model-weights", "Needs --model-selection-strategy weighted");
    }
    return strategy === "round-robin" ? undefined : { strategy };
  }
  if (given === undefined) {
    throw new UsageError("--model-selection-strategy", "weighted needs --model-weights");
  }
  const weights = given.flatMap((text) => text.split(",")).map((text) => text.trim());
  const numbers = weights.map((text) => /^\d*\.?\d+$|^\d+\.$/.test(text) ? Number(text) : NaN);
  const wrong = numbers.findIndex((weight) => Number.isNaN(weight));
  if (wrong >= 0) {
    throw new UsageError(
      "--model-weights",
      `Expected numbers, none below 0, with commas between: got "${weights[wrong]}"`,
    );
  }
  if (numbers.length !== modelCount) {
    throw new UsageError(
      "--model-weights",
      `Expected one for each of the ${modelCount} models: got ${numbers.length}`,
    );
  }
  const sum = numbers.reduce((sum, weight) => sum + weight, 0);
  if (!(sum > 0)) throw new UsageError("--model-weights", "One at least must be above 0");
  return { strategy, weights: numbers.map((weight) => weight / sum) };
}
