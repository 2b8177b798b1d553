import type { ModelSelectionPlan } from "../../config/plan/model_selection_plan.ts";
import { randomStream } from "../../core/statistics/random_stream.ts";

/** What a {@linkcode ModelSelector} is made from. */
export interface ModelSelectorSource {
  readonly seed: number;
  readonly modelCount: number;
  /** undefined for models in turn. */
  readonly modelSelection?: ModelSelectionPlan | undefined;
}

/**
 * Which model, or adapter, each session of a phase asks; it stays with it for all of its turns. It
 * depends on the numbers of session and conversation and on the seed alone, so every thread comes to
 * the same answer.
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
   * Number of the model.
   * @param session number of the session
   * @param conversation number of what it plays, or of its prompt
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
