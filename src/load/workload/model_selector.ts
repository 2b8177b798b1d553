import type { ModelSelectionPlan } from "../../config/plan/model_selection_plan.ts";
import { randomStream } from "../../core/statistics/random_stream.ts";

/** Data from which a {@linkcode ModelSelector} is built. */
export interface ModelSelectorSource {
  readonly seed: number;
  readonly modelCount: number;
  /** undefined for models in turn. */
  readonly modelSelection?: ModelSelectionPlan | undefined;
}

/**
 * Selects the model, or adapter, of each session of a phase; all turns of a session use it. The
 * choice depends only on the numbers of session and conversation and on the seed, so every thread
 * gets the same result.
 */
export class ModelSelector {
  readonly #source: ModelSelectorSource;
  readonly #name: string;
  /** Sums of the weights up to each model. */
  readonly #sums: readonly number[];

  constructor(source: ModelSelectorSource, phase: "warmup" | "profiling") {
    this.#source = source;
    this.#name = `model.${phase}`;
    let sum = 0;
    this.#sums = (source.modelSelection?.weights ?? []).map((weight) => sum += weight);
  }

  /**
   * Returns the number of the model.
   * @param session number of the session
   * @param conversation number of its conversation or prompt
   */
  modelOf(session: number, conversation: number): number {
    const { modelCount, modelSelection, seed } = this.#source;
    if (modelCount < 2) return 0;
    const random = (): number => randomStream(seed, this.#name, session)();
    switch (modelSelection?.strategy) {
      case "random":
        return Math.floor(random() * modelCount);
      case "weighted": {
        const at = random() * (this.#sums.at(-1) as number);
        return this.#sums.findIndex((sum) => at < sum);
      }
      case "sticky":
        return conversation % modelCount;
      default:
        return session % modelCount;
    }
  }
}
