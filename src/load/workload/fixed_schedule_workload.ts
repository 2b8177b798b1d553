import type { PhasePlan } from "../../config/plan/run_plan.ts";
import type { ConversationColumns } from "../dataset/payloads/conversation_columns.ts";
import { ModelSelector } from "./model_selector.ts";
import type { Session, Turn, Workload, WorkloadSource } from "./workload.ts";

/**
 * Conversations of a trace, each once, at the times of their first turns and in that order;
 * conversations of equal times keep the order of the file. Later turns with times are sent at these
 * times, the others after their delays.
 */
export class FixedScheduleWorkload implements Workload {
  readonly sessionCount: number;
  readonly turnLimit: number;
  readonly #source: WorkloadSource;
  readonly #models: ModelSelector;
  readonly #conversations: ConversationColumns;
  /** Conversations in the order of their times. */
  readonly #order: Uint32Array;
  readonly #zeroNs: number;

  constructor(
    source: WorkloadSource,
    conversations: ConversationColumns,
    { kind, requestCount, sessionCount = Infinity }: PhasePlan,
  ) {
    const { profilingConversations, conversationStart, timestampNs } = conversations;
    const firstNs = Float64Array.from(
      { length: profilingConversations },
      (_, index) => timestampNs[conversationStart[index] as number] as number,
    );
    this.#source = source;
    this.#models = new ModelSelector(source, kind);
    this.#conversations = conversations;
    this.#order = timeOrder(firstNs);
    this.sessionCount = Math.min(requestCount, sessionCount, profilingConversations);
    this.turnLimit = requestCount;
    this.#zeroNs = source.scheduleZeroNs ?? firstNs[this.#order[0] ?? 0] ?? 0;
  }

  session(index: number): Session {
    const { conversationStart, turnDelayNs, timestampNs } = this.#conversations;
    const conversation = this.#order[index] as number;
    const start = conversationStart[conversation] as number;
    const end = conversationStart[conversation + 1] as number;
    const target = index % this.#source.targetCount;
    const model = this.#models.modelOf(index, conversation);
    const turnOf = (entry: number): Turn => {
      const atNs = (timestampNs[entry] as number) - this.#zeroNs;
      const turn = { entry, target, model, delayNs: turnDelayNs[entry] as number };
      return entry === start || Number.isNaN(atNs) ? turn : { ...turn, atNs };
    };
    const later = Array.from({ length: end - start - 1 }, (_, i) => turnOf(start + 1 + i));
    return { index, turns: [turnOf(start), ...later] };
  }

  arrivalNs(index: number): number {
    const { conversationStart, timestampNs } = this.#conversations;
    const entry = conversationStart[this.#order[index] as number] as number;
    return (timestampNs[entry] as number) - this.#zeroNs;
  }
}

/** Indices of times from the earliest to the latest. */
function timeOrder(timesNs: Float64Array): Uint32Array {
  const order = Uint32Array.from(timesNs, (_, index) => index);
  const isSorted = timesNs.every((time, index) => index === 0 || (timesNs[index - 1] ?? 0) <= time);
  // Typed arrays are sorted stably.
  return isSorted ? order : order.sort((a, b) => (timesNs[a] as number) - (timesNs[b] as number));
}
