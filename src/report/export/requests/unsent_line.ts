import type { RunPlan } from "../../../config/plan/run_plan.ts";
import type { PlayedCall } from "../../../load/dataset/payloads/graph_columns.ts";
import type { RequestRecord } from "../../../measurement/metrics/request_record.ts";
import { phaseFields } from "./phase_fields.ts";

/** The failed call of a session that kept other calls from being sent. */
export type FailedCall = Pick<RequestRecord, "session" | "turn" | "endNs" | "worker" | "target">;

/** A call of a recorded session that was not sent because another one failed. */
export interface UnsentCall {
  /** Name of the session in the input. */
  readonly sourceId: string;
  /** All calls of the session. */
  readonly calls: readonly (PlayedCall & {
    readonly id: string;
    readonly depth: number;
    readonly agentKind: string;
  })[];
  /** Number of the call within its session. */
  readonly turn: number;
  /** The call that failed. */
  readonly failure: FailedCall;
}

/** Settings of a run that its lines name. */
interface UnsentContext {
  readonly targets: RunPlan["targets"];
  /** Position of the profiling phase in the run. */
  readonly phaseIndex: number;
}

/** Returns the line of `profile_export.jsonl` of a call that was not sent, without its line end. */
export function unsentLine(
  { sourceId, calls, turn, failure }: UnsentCall,
  { targets, phaseIndex }: UnsentContext,
): string {
  const call = calls[turn];
  const nameOf = (number: number): string | undefined => calls[number]?.id;
  const metadata = JSON.stringify({
    "session_num": failure.session,
    "x_request_id": "",
    "x_correlation_id": "",
    "conversation_id": sourceId,
    "turn_index": turn,
    "session": failure.session,
    "call": nameOf(turn),
    "agent": call?.agent,
    "depth": call?.depth,
    "kind": call?.agentKind,
    "after": [...new Set(call?.edges.map(({ from }) => from))].map(nameOf),
    "unsent": { "because": nameOf(failure.turn) },
    "worker_id": `worker_${failure.worker}`,
    "record_processor_id": "results",
    "was_cancelled": false,
    "finish_reason": null,
    "url": targets[failure.target]?.redactedUrl ?? "",
  });
  return `{"metadata":${metadata.slice(0, -1)},${phaseFields("profiling", phaseIndex)}},` +
    `"metrics":{}}`;
}
