import type { FailurePolicy } from "../../core/session_graph/unsent_calls.ts";
import type { SessionResults } from "../../measurement/metrics/session_results.ts";
import type { RequestCounts } from "../../report/model/request_counts.ts";

/**
 * Returns why requests of sessions were not sent: they are in no statistic.
 * @param policy of recorded sessions: calls that a failed call leaves out; undefined for other sessions
 */
export function unsentTurnNotes(
  sessions: Pick<SessionResults, "failed" | "unsentTurns"> | undefined,
  { cancelledOnPurpose }: Pick<RequestCounts, "cancelledOnPurpose">,
  policy: FailurePolicy | undefined,
): string[] {
  if (sessions === undefined || sessions.unsentTurns === 0) return [];
  const { failed, unsentTurns } = sessions;
  const noun = policy === undefined ? "turn" : "call";
  const turns = unsentTurns === 1 ? `1 ${noun} was` : `${unsentTurns} ${noun}s were`;
  const ended = failed + cancelledOnPurpose;
  if (ended === 0 || policy === "continue") {
    return [`${turns} not sent: the run ended before their sessions`];
  }
  const what = [
    ...(failed > 0 ? ["fails"] : []),
    ...(cancelledOnPurpose > 0 ? ["is cancelled on purpose"] : []),
  ].join(" or ");
  const count = ended === 1 ? "1 session" : `${ended} sessions`;
  return [
    policy === "branch"
      ? `${turns} not sent: they depend on a call that ${what}, as in ${count}, or the run ended`
      : `${turns} not sent: a session ends with a request that ${what}, as ${count} did, and with the run`,
  ];
}
