import { RECORD_METRICS } from "../../../measurement/metrics/record_metrics.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import { splitHeaders } from "../servers/request_header.ts";
import type { Objective, PhasePlan } from "../run_plan.ts";

/**
 * Returns a note for each option that may have another meaning in other tools: how it was
 * interpreted.
 */
export function planNotices(
  settings: ProfileSettings,
  { requestCount, sessionCount }: PhasePlan,
  objectives: readonly Objective[],
): string[] {
  const { header = [], numPrompts, benchmarkDuration, streaming } = settings;
  const notices: string[] = [];
  if (
    numPrompts !== undefined && settings.requestCount === undefined &&
    settings.numSessions === undefined && benchmarkDuration === undefined
  ) {
    const [kind, sent, option] = sessionCount === undefined
      ? ["prompts", `${requestCount} requests are sent`, "--request-count"]
      : ["conversations", `${sessionCount} sessions are played`, "--num-sessions"];
    notices.push(
      `--num-prompts ${numPrompts} is the number of different ${kind}; ${sent}, their number is ` +
        option,
    );
  }
  for (const entry of header) {
    const count = splitHeaders(entry).length;
    if (count > 1) {
      notices.push(
        `--header: commas separate ${count} headers; a JSON object keeps them in values`,
      );
    }
  }
  for (const { tag } of streaming ? [] : objectives) {
    const metric = RECORD_METRICS.find((metric) => metric.tag === tag);
    if (metric?.flags.includes("STREAMING_ONLY")) {
      notices.push(`--goodput: ${tag} is only known with --streaming: no request will be good`);
    }
  }
  return notices;
}
