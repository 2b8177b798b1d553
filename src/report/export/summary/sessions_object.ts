import type { SessionResults } from "../../../measurement/metrics/session_results.ts";
import { metricObjects } from "../metric_object.ts";

/** The sessions of a run in its JSON; nothing where each was one request. */
export function sessionsObject(sessions: SessionResults | undefined): Record<string, unknown> {
  if (sessions === undefined) return {};
  return {
    "sessions": {
      "started": sessions.started,
      "completed": sessions.completed,
      "failed": sessions.failed,
      "unsent_turns": sessions.unsentTurns,
      "turns": sessions.turns.map(({ turn, succeeded, failed, results }) => ({
        "turn": turn,
        "succeeded": succeeded,
        "failed": failed,
        "metrics": metricObjects(results),
      })),
    },
  };
}
