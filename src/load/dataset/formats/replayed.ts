import type { SchedulePlan } from "../../../config/plan/run_plan.ts";
import type { Conversation, ConversationTurn } from "../conversations/conversation.ts";

/**
 * Conversations with the times at which they are sent: those out of the schedule are left out, and
 * the others are sped up. Without a schedule turns have no times, only delays.
 */
export async function* replayed(
  conversations: AsyncIterable<Conversation>,
  schedule: SchedulePlan | undefined,
  speedup: number,
): AsyncGenerator<Conversation> {
  for await (const { id, turns } of conversations) {
    const kept = schedule === undefined ? turns : turnsWithin(turns, schedule);
    if (kept.length === 0) continue;
    yield {
      id,
      turns: kept.map((turn, index) => ({
        ...turn,
        delayMs: index === 0 ? 0 : turn.delayMs / speedup,
        timestampMs: schedule === undefined || turn.timestampMs === undefined
          ? undefined
          : turn.timestampMs / speedup,
      })),
    };
  }
}

/** The turns within a schedule; one without a time of its own comes with the one before. */
function turnsWithin(
  turns: readonly ConversationTurn[],
  { startMs, endMs }: SchedulePlan,
): ConversationTurn[] {
  let isWithin = false;
  return turns.filter(({ timestampMs }) => {
    if (timestampMs !== undefined) isWithin = timestampMs >= startMs && timestampMs <= endMs;
    return isWithin;
  });
}
