import type { PhasePlan, RunPlan } from "../../../config/plan/run_plan.ts";
import type { Conversation } from "./conversation.ts";

/** Numbers of a file's conversations that a run uses. */
export interface ConversationUse {
  /** Number of measured conversations, counted from the first; Infinity if all may be measured. */
  readonly measured: number;
  /** Number of conversations after the measured ones that warm-up would use. */
  readonly warmup: number;
}

/**
 * Returns the conversations that a run uses. With a limit on requests or sessions, a run does not
 * reach the end of a long file, so warm-up uses conversations from there. Without such a limit all
 * may be measured: a schedule depends on the times, and random orders depend on the whole file.
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
