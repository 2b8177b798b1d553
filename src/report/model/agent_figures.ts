import type { ClientFigures, JudgedRun } from "../../config/gate/judged_run.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import { CENSORED_METRICS, MAX_CUT_OFF_PCT } from "../../measurement/metrics/session_metrics.ts";
import type { AgentResults, SessionResults } from "../../measurement/metrics/session_results.ts";
import type { SamplingErrors } from "../../measurement/sampling/sampling_errors.ts";
import { clientFigures } from "./client_figures.ts";
import type { ProfileReport } from "./profile_report.ts";

/** Name of a group of requests in objectives: `depth0`, `agent.explore`. */
export function agentName({ depth, kind }: Pick<AgentResults, "depth" | "kind">): string {
  return depth === undefined ? `agent.${kind?.toLowerCase()}` : `depth${depth}`;
}

/** Statistics by depth and by kind of agent as objectives name them: `depth0.time_to_first_token`. */
export function agentFigures(sessions: SessionResults | undefined): [string, ClientFigures][] {
  const groups = [...sessions?.depths ?? [], ...sessions?.kinds ?? []];
  return groups.flatMap((group) =>
    clientFigures(group.results).map(([tag, figures]): [string, ClientFigures] => [
      `${agentName(group)}.${tag}`,
      figures,
    ])
  );
}

/** The confidence intervals of a run with those by depth and by kind of agent. */
export function withAgents(
  sampling: SamplingErrors | undefined,
  agents: ProfileReport["agentSampling"],
): SamplingErrors {
  const named = [...agents ?? []].flatMap(([name, errors]) =>
    [...errors].map(([tag, statistics]) => [`${name}.${tag}` as MetricTag, statistics] as const)
  );
  return new Map([...sampling ?? [], ...named]);
}

/** Metrics that the end of the run biases too much to decide objectives, and why. */
export function undecidedMetrics(
  sessions: SessionResults | undefined,
): NonNullable<JudgedRun["undecided"]> {
  if (sessions === undefined) return new Map();
  const percent = sessions.cutOff / sessions.started * 100;
  if (!(percent > MAX_CUT_OFF_PCT)) return new Map();
  const reason = `the end of the run cut off ${percent.toFixed(0)} % of the sessions`;
  return new Map([...CENSORED_METRICS].map((tag) => [tag, reason]));
}
