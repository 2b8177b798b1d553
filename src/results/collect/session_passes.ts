import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { PayloadData } from "../../load/dataset/payloads/payload_table.ts";
import { EntrySampler } from "../../load/workload/entry_sampler.ts";

/**
 * Counts, for sessions of the profiling phase, the earlier sessions of the plan with the same
 * conversation. That depends only on the plan, not on what was sent when.
 */
export class SessionPasses {
  readonly #conversations: number;
  /** undefined where each conversation comes once before any comes again. */
  readonly #sampler: EntrySampler | undefined;
  /** Passes of the first sessions, and sessions of each conversation among them. */
  readonly #passes: number[] = [];
  readonly #taken: Uint32Array;

  constructor(
    { samplingStrategy, seed, phases }: Pick<RunPlan, "samplingStrategy" | "seed" | "phases">,
    payloads: Pick<PayloadData, "conversations">,
  ) {
    const conversations = payloads.conversations?.profilingConversations ?? 0;
    this.#conversations = conversations;
    const load = phases.find(({ kind }) => kind === "profiling")?.load;
    // A schedule has its own order.
    const isSchedule = load?.loop === "open" && load.isSchedule === true;
    const isRandom = samplingStrategy === "random" && !isSchedule && conversations > 0;
    this.#taken = new Uint32Array(isRandom ? conversations : 0);
    this.#sampler = isRandom
      ? new EntrySampler(
        { samplingStrategy, seed, profilingEntries: conversations, warmupEntries: 0 },
        "profiling",
      )
      : undefined;
  }

  /** Number of earlier sessions with the conversation of a session. */
  of(session: number): number {
    if (this.#sampler === undefined) {
      return this.#conversations > 0 ? Math.floor(session / this.#conversations) : 0;
    }
    while (this.#passes.length <= session) {
      const conversation = this.#sampler.entryOf(this.#passes.length);
      const taken = this.#taken[conversation] as number;
      this.#passes.push(taken);
      this.#taken[conversation] = taken + 1;
    }
    return this.#passes[session] as number;
  }
}
