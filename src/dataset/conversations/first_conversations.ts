import type { RunPlan } from "../../plan/run_plan.ts";
import type { Conversation } from "./conversation.ts";

/**
 * Conversations that a run can use at most: with a number of requests or sessions it does not come
 * to those at the end of a long file. Infinity where it may need all: a schedule goes by the times,
 * and random orders by the whole.
 */
export function neededConversations(
  { phases, samplingStrategy }: Pick<RunPlan, "phases" | "samplingStrategy">,
): number {
  const goesByAll = samplingStrategy !== "sequential" ||
    phases.some(({ load }) => load.loop === "open" && load.isSchedule);
  if (goesByAll) return Infinity;
  return Math.max(
    ...phases.map(({ requestCount, sessionCount = Infinity }) =>
      Math.min(requestCount, sessionCount)
    ),
  );
}

/** The first conversations; what comes after them is not read. */
export async function* firstConversations(
  conversations: AsyncIterable<Conversation>,
  count: number,
): AsyncGenerator<Conversation> {
  let taken = 0;
  for await (const conversation of conversations) {
    yield conversation;
    if (++taken >= count) return;
  }
}
