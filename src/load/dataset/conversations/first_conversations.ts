import type { PhasePlan, RunPlan } from "../../../config/plan/run_plan.ts";
import type { Conversation } from "./conversation.ts";

/** What of a file's conversations a run uses. */
export interface ConversationUse {
  /** Those that are measured, from the first one; Infinity where it may be all. */
  readonly measured: number;
  /** Those behind them that warm-up would take for its own. */
  readonly warmup: number;
}

/**
 * What a run uses: with a number of requests or sessions it does not come to the conversations at
 * the end of a long file, so warm-up takes its own from there. All may be measured where there is no
 * such number: a schedule goes by the times, and random orders by the whole.
 */
export function conversationUse(
  { phases, samplingStrategy }: Pick<RunPlan, "phases" | "samplingStrategy">,
): ConversationUse {
  const goesByAll = samplingStrategy !== "sequential" ||
    phases.some(({ load }) => load.loop === "open" && load.isSchedule);
  const sessionsOf = (kind: PhasePlan["kind"]): number => {
    const phase = phases.find((phase) => phase.kind === kind);
    return phase === undefined ? 0 : Math.min(phase.requestCount, phase.sessionCount ?? Infinity);
  };
  return { measured: goesByAll ? Infinity : sessionsOf("profiling"), warmup: sessionsOf("warmup") };
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
