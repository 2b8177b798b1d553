import type { SchedulePlan } from "../../plan/run_plan.ts";
import type { Conversation, ConversationTurn } from "../conversations/conversation.ts";
import { DatasetError } from "../../files/dataset_error.ts";

/** How conversations are replayed. */
export interface Replay {
  /** undefined if their times are not. */
  readonly schedule: SchedulePlan | undefined;
  /** Factor by which times pass faster. */
  readonly speedup: number;
  /** The file, and its format, for messages. */
  readonly path: string;
  readonly format: string;
}

/**
 * Conversations with the times at which they are sent: those out of the schedule are left out, and
 * the others are sped up. Without a schedule turns have no times, only delays.
 * @throws {DatasetError} if a schedule meets a conversation that begins without a time
 */
export async function* replayed(
  conversations: AsyncIterable<Conversation>,
  { schedule, speedup, path, format }: Replay,
): AsyncGenerator<Conversation> {
  for await (const { id, turns } of conversations) {
    // Readers name the row where theirs may have times; not all formats have them.
    if (schedule !== undefined && turns[0]?.timestampMs === undefined) {
      throw new DatasetError(
        path,
        undefined,
        `Rows of ${format} have no times, which --fixed-schedule needs`,
      );
    }
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

/** The turns within a schedule; one without a time of its own comes with the one before, or goes. */
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
