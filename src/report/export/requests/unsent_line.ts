import type { RunPlan } from "../../../config/plan/run_plan.ts";
import type { PayloadTable } from "../../../load/dataset/payloads/payload_table.ts";
import type { RequestRecord } from "../../../measurement/metrics/request_record.ts";
import { phaseFields } from "./phase_fields.ts";

/** The failed call of a session that kept other calls from being sent. */
export type FailedCall = Pick<
  RequestRecord,
  "session" | "turn" | "entry" | "endNs" | "worker" | "target"
>;

/** A call of a recorded session that was not sent because another one failed. */
export interface UnsentCall {
  readonly table: PayloadTable;
  readonly entry: number;
  /** Number of the call within its session. */
  readonly turn: number;
  /** Entry of the first call of the session. */
  readonly first: number;
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
  { table, entry, turn, first, failure }: UnsentCall,
  { targets, phaseIndex }: UnsentContext,
): string {
  const graph = table.data.conversations?.graph;
  const nameOf = (call: number): string | undefined => graph?.ids[first + call];
  const edges = graph?.edgeFrom.subarray(graph.edgeStart[entry], graph.edgeStart[entry + 1]) ?? [];
  const metadata = JSON.stringify({
    "session_num": failure.session,
    "x_request_id": "",
    "x_correlation_id": "",
    "conversation_id": table.sessionIdOf(entry),
    "turn_index": turn,
    "session": failure.session,
    "call": nameOf(turn),
    "agent": graph?.agents[entry],
    "depth": graph?.depth[entry],
    "kind": graph?.agentKinds[entry],
    "after": [...new Set(edges)].map(nameOf),
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
