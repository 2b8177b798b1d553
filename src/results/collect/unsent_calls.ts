import type { RunPlan } from "../../config/plan/run_plan.ts";
import { replaysSessions } from "../../config/plan/replays_sessions.ts";
import { recordedPosition } from "../../core/session_graph/recorded_position.ts";
import { startRatio } from "../../core/session_graph/start_ratio.ts";
import { unsentCalls } from "../../core/session_graph/unsent_calls.ts";
import { entriesOf } from "../../load/dataset/payloads/conversation_columns.ts";
import { playedCalls } from "../../load/dataset/payloads/graph_columns.ts";
import type { PayloadSource } from "../../load/dataset/payloads/payload_table.ts";
import type { RequestRecord } from "../../measurement/metrics/request_record.ts";
import { ERROR_KINDS } from "../../client/record/error_kind.ts";
import type { FailedCall, UnsentCall } from "../../report/export/requests/unsent_line.ts";

/** Ends that the client caused: no server failed. */
const OWN_ENDS: ReadonlySet<string | undefined> = new Set(["cancelled", "cut_off"]);

/** A session with failed calls. */
type FailedSession = Pick<UnsentCall, "sourceId" | "calls"> & { readonly failed: FailedCall[] };

/**
 * Finds the calls of recorded sessions that were not sent because a call failed. Only numbers of sent
 * calls are kept until the end.
 */
export class UnsentCalls {
  readonly #payloads: PayloadSource;
  readonly #plan: Pick<RunPlan, "dataset" | "seed">;
  readonly #failed = new Map<number, FailedSession>();
  /** Numbers of the calls that each session has sent, as long as some are missing. */
  readonly #sent = new Map<number, Set<number>>();

  constructor(payloads: PayloadSource, plan: Pick<RunPlan, "dataset" | "seed">) {
    this.#payloads = payloads;
    this.#plan = plan;
  }

  /** Adds a request that has ended. */
  add(
    { phase, session, turn, turns, entry, endNs, worker, target, errorKind }: RequestRecord,
  ): void {
    if (phase === 0 || Number.isNaN(turn)) return;
    const sent = this.#sent.get(session) ?? new Set();
    this.#sent.set(session, sent.add(turn));
    if (errorKind >= 0 && !OWN_ENDS.has(ERROR_KINDS[errorKind])) {
      const known = this.#failed.get(session) ?? this.#failedSession(entry);
      known?.failed.push({ session, turn, endNs, worker, target });
      if (known !== undefined) this.#failed.set(session, known);
    }
    if (sent.size >= turns) {
      this.#sent.delete(session);
      this.#failed.delete(session);
    }
  }

  /** Yields the calls, in the order of sessions and calls. */
  *calls(): Generator<UnsentCall> {
    for (const [session, failed] of [...this.#failed].sort(([a], [b]) => a - b)) {
      yield* this.#ofSession(session, failed);
    }
  }

  /** Copies what is known of a session: its page may be gone at the end. */
  #failedSession(number: number): FailedSession | undefined {
    const { table, entry } = this.#payloads.locate(number);
    const { conversations } = table.data;
    const graph = conversations?.graph;
    if (graph === undefined) return undefined;
    const [start, end] = entriesOf(conversations, entry);
    return {
      sourceId: table.sessionIdOf(entry),
      calls: playedCalls(graph, start, end).map((call, place) => ({
        ...call,
        id: graph.ids[start + place] as string,
        depth: graph.depth[start + place] as number,
        agentKind: graph.agentKinds[start + place] as string,
      })),
      failed: [],
    };
  }

  *#ofSession(session: number, { sourceId, calls, failed }: FailedSession): Generator<UnsentCall> {
    const { dataset, seed } = this.#plan;
    if (!replaysSessions(dataset)) return;
    const { agents } = dataset;
    const ratio = startRatio(seed, agents.startRatios, session);
    const { skipped = [] } = recordedPosition(calls, ratio) ?? {};
    const done = new Set([...this.#sent.get(session) ?? [], ...skipped]);
    const because = new Map<number, FailedCall>();
    for (const failure of failed.sort((a, b) => a.endNs - b.endNs)) {
      // All calls that were not sent had not begun.
      const gone = unsentCalls(calls, failure.turn, agents.onFailedCall, []);
      for (const call of gone) {
        if (!done.has(call) && !because.has(call)) because.set(call, failure);
      }
    }
    for (const turn of [...because.keys()].sort((a, b) => a - b)) {
      yield { sourceId, calls, turn, failure: because.get(turn) as FailedCall };
    }
  }
}
