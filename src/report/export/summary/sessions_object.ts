import { finiteOrNull } from "../../../core/files/finite_or_null.ts";
import type { BranchStats } from "../../../measurement/metrics/branch_stats.ts";
import {
  type AgentResults,
  cachedShare,
  type SessionResults,
} from "../../../measurement/metrics/session_results.ts";
import { MIN_SESSIONS } from "../../../measurement/sampling/session_sampling.ts";
import type { ProfileReport } from "../../model/profile_report.ts";
import { agentName } from "../../model/agent_figures.ts";
import { metricObjects } from "../metric_object.ts";
import { samplingErrorObject } from "./steady_state_object.ts";

/** The sessions of a run in its JSON, with the key that AIPerf has; nothing where each was one request. */
export function sessionsObject(
  { agentSampling, sessions }: Pick<ProfileReport, "agentSampling" | "sessions">,
): Record<string, unknown> {
  if (sessions === undefined) return {};
  const branchStats = sessions.branches === undefined
    ? {}
    : { "branch_stats": branchObject(sessions.branches) };
  const agents = (group: AgentResults): Record<string, unknown> => ({
    ...(group.depth === undefined ? { "kind": group.kind } : { "depth": group.depth }),
    "succeeded": group.succeeded,
    "failed": group.failed,
    "hit_rate": cachedShare(group) ?? null,
    "metrics": metricObjects(group.results),
    ...samplingErrorObject(agentSampling?.get(agentName(group)) ?? new Map()),
  });
  return {
    "sessions": {
      "started": sessions.started,
      "completed": sessions.completed,
      "failed": sessions.failed,
      "cut_off": sessions.cutOff,
      "entered_in_middle": sessions.enteredInMiddle,
      "whole": sessions.whole,
      "unsent_turns": sessions.unsentTurns,
      "peak_parallel": sessions.peakParallel,
      "resets": sessions.resets,
      "critical_path": shares(sessions.path),
      "tokens": {
        "input": finiteOrNull(sessions.tokens.input),
        "output": finiteOrNull(sessions.tokens.output),
        "cached_ideal": finiteOrNull(sessions.tokens.cachedIdeal),
        "cached_server": finiteOrNull(sessions.tokens.cachedServer),
      },
      "theoretical_prefix_cache_hit": finiteOrNull(sessions.theoreticalCacheHit),
      ...branchStats,
      "no_intervals": sessions.whole < MIN_SESSIONS
        ? `confidence intervals need ${MIN_SESSIONS} whole sessions, there are ${sessions.whole}`
        : null,
      "turns": sessions.turns.map(({ turn, succeeded, failed, results }) => ({
        "turn": turn,
        "succeeded": succeeded,
        "failed": failed,
        "metrics": metricObjects(results),
      })),
      "depths": sessions.depths.map(agents),
      "kinds": sessions.kinds.map(agents),
    },
    ...branchStats,
  };
}

/** Counts of subagents under AIPerf's names. */
function branchObject(branches: BranchStats): Record<string, number> {
  return {
    "children_spawned": branches.childrenSpawned,
    "children_completed": branches.childrenCompleted,
    "children_errored": branches.childrenErrored,
    "children_truncated": branches.childrenTruncated,
    "children_delayed": branches.childrenDelayed,
    "parents_suspended": branches.parentsSuspended,
    "parents_resumed": branches.parentsResumed,
    "parents_failed_due_to_child_error": branches.parentsFailedDueToChildError,
    "joins_suppressed": branches.joinsSuppressed,
    "graphs_admitted": branches.graphsAdmitted,
    "graphs_completed_to_end": branches.graphsCompletedToEnd,
  };
}

/** Percentages of the critical path; null where no session is whole. */
function shares(path: SessionResults["path"]): Record<string, number | null> {
  return Object.fromEntries(
    Object.entries(path).map(([name, share]) => [name, finiteOrNull(share)]),
  );
}
