import type { PhasePlan } from "../../config/plan/run_plan.ts";
import { playedCalls } from "../dataset/payloads/graph_columns.ts";
import type { ConversationColumns } from "../dataset/payloads/conversation_columns.ts";
import { ArrivalTimes } from "./arrival_times.ts";
import { EntrySampler } from "./entry_sampler.ts";
import { ModelSelector } from "./model_selector.ts";
import type { Session, Turn, Workload, WorkloadSource } from "./workload.ts";

/**
 * Sessions that run conversations turn after turn. A session stays with one target and one model;
 * the next session has the next target.
 */
export class MultiTurnWorkload implements Workload {
  readonly sessionCount: number;
  readonly turnLimit: number;
  readonly #conversations: ConversationColumns;
  readonly #sampler: EntrySampler;
  readonly #targetCount: number;
  readonly #models: ModelSelector;
  readonly #arrivals: ArrivalTimes | undefined;

  constructor(
    source: WorkloadSource,
    conversations: ConversationColumns,
    phase: PhasePlan,
  ) {
    const { kind, requestCount, sessionCount = Infinity } = phase;
    // Each session sends one request at least.
    // Recorded sessions are played once each, unless they may be played again.
    const wraps = source.wrapsSessions === true || phase.fillsCaches === true;
    const recorded = conversations.graph === undefined || wraps
      ? Infinity
      : conversations.profilingConversations;
    this.sessionCount = Math.min(requestCount, sessionCount, recorded);
    this.turnLimit = requestCount;
    this.#conversations = conversations;
    this.#sampler = new EntrySampler({
      ...source,
      profilingEntries: conversations.profilingConversations,
      warmupEntries: conversations.warmupConversations,
    }, kind);
    this.#targetCount = source.targetCount;
    this.#models = new ModelSelector(source, kind);
    this.#arrivals = ArrivalTimes.ofPhase(phase, source.seed);
  }

  session(index: number): Session {
    const { conversationStart, turnDelayNs } = this.#conversations;
    const conversation = this.#sampler.entryOf(index);
    const start = conversationStart[conversation] as number;
    const end = conversationStart[conversation + 1] as number;
    const target = index % this.#targetCount;
    const model = this.#models.modelOf(index, conversation);
    const turnOf = (entry: number): Turn => ({
      entry,
      target,
      model,
      delayNs: entry === start ? 0 : turnDelayNs[entry] as number,
    });
    const later = Array.from({ length: end - start - 1 }, (_, i) => turnOf(start + 1 + i));
    const turns = [turnOf(start), ...later] as const;
    const { graph } = this.#conversations;
    return graph === undefined
      ? { index, turns }
      : { index, turns, calls: playedCalls(graph, start, end) };
  }

  arrivalNs(index: number): number {
    return this.#arrivals?.at(index) ?? 0;
  }
}
