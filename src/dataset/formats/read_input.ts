import type { FileDatasetPlan } from "../../plan/run_plan.ts";
import type { Conversation } from "../conversation.ts";
import type { InputContext } from "../load_dataset.ts";
import { openInput } from "./open_input.ts";

/**
 * The conversations of an input file, as they are to be sent.
 * @throws {DatasetError} naming file, line and column of what is wrong
 */
export async function* readInput(
  dataset: FileDatasetPlan,
  context: InputContext,
): AsyncGenerator<Conversation> {
  yield* (await openInput(dataset, context)).conversations();
}
