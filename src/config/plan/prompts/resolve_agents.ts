import type { GapRule } from "../../../core/session_graph/session_graph.ts";
import type { FailurePolicy } from "../../../core/session_graph/unsent_calls.ts";
import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import { flagOf } from "../../options/option.ts";
import { parseDuration, parseNumber } from "../../options/parse_value.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import { UsageError } from "../../options/usage_error.ts";
import { scenarioPlan } from "./scenario_locks.ts";
import type { AgentsPlan } from "../agents_plan.ts";
import type { InputFacts } from "../input_facts.ts";

/** Formats without recorded replies. */
const LIVE_FORMATS = new Set(["dag-jsonl", "sglang-agentic"]);

/** The format whose requests may have the time that a client took before them. */
const THINK_TIME_FORMAT = "weka-trace";

/** Options that need a file of recorded agent sessions. */
const AGENT_OPTIONS = [
  ...["toolTime", "userTime", "maxParallelCalls", "history", "trajectoryStartMinRatio"],
  ...["trajectoryStartMaxRatio", "traceIdleGapCapSeconds", "systemIdleGapCapSeconds"],
  ...["maxContextLength", "scenario", "agenticWarmupGracePeriod"],
  ...["agenticCacheWarmupDuration"],
] as const satisfies readonly (keyof ProfileSettings)[];

const AGENT_FLAGS = ["allowDatasetWrap", "burstPhaseStarts", "useThinkTimeOnly"] as const;

/**
 * Returns how recorded agent sessions are replayed; undefined for other prompts.
 * @throws {UsageError} if the sessions cannot be replayed, or an option needs some
 */
export function resolveAgents(
  settings: ProfileSettings,
  facts: InputFacts | undefined,
  type: EndpointType,
): AgentsPlan | undefined {
  if (facts?.hasAgents !== true) {
    if (facts !== undefined && settings.onFailedCall === "continue") {
      throw new UsageError(
        "--on-failed-call",
        `continue needs recorded agent sessions, such as weka-trace or otel-spans, not ${facts.format}`,
      );
    }
    const given = AGENT_OPTIONS.find((name) => settings[name] !== undefined) ??
      AGENT_FLAGS.find((name) => settings[name]);
    if (given === undefined || facts === undefined) return undefined;
    throw new UsageError(
      flagOf(given),
      `Needs recorded agent sessions, such as weka-trace or otel-spans, not ${facts.format}; ` +
        "--inter-turn-delay-cap-seconds shortens delays of conversations",
    );
  }
  if (type.conversation === undefined) {
    throw new UsageError(
      "--endpoint-type",
      `Recorded agent sessions need an API of conversations, such as chat, not ${type.name}`,
    );
  }
  const { maxParallelCalls, history, maxContextLength, traceIdleGapCapSeconds: idleSeconds } =
    settings;
  const onFailedCall = settings.onFailedCall as FailurePolicy;
  const isLive = history === undefined ? LIVE_FORMATS.has(facts.format) : history === "live";
  if (onFailedCall === "continue" && isLive) {
    throw new UsageError(
      "--on-failed-call",
      "continue needs recorded replies: a failed call has no reply that later calls could carry",
    );
  }
  const startRatios = ratiosOf(settings);
  const scenario = scenarioPlan(settings, facts.format);
  const { systemIdleGapCapSeconds: systemSeconds, agenticWarmupGracePeriod: graceSeconds } =
    settings;
  const { agenticCacheWarmupDuration: warmupSeconds } = settings;
  if (settings.useThinkTimeOnly && facts.format !== THINK_TIME_FORMAT) {
    throw new UsageError(
      "--use-think-time-only",
      `Needs ${THINK_TIME_FORMAT}, whose requests have think_time, not ${facts.format}`,
    );
  }
  return {
    toolTime: gapRule("toolTime", settings.toolTime, settings),
    userTime: gapRule("userTime", settings.userTime, settings),
    ...(maxParallelCalls === undefined ? {} : { maxParallelCalls }),
    history: isLive ? "live" : "recorded",
    onFailedCall,
    keepsOrder: settings.callOrder === "recorded",
    ...(idleSeconds === undefined ? {} : { idleCapNs: Math.round(idleSeconds * 1e9) }),
    ...(systemSeconds === undefined ? {} : { systemIdleCapNs: Math.round(systemSeconds * 1e9) }),
    ...(scenario === undefined ? {} : { scenario }),
    wraps: settings.allowDatasetWrap,
    burstsStarts: settings.burstPhaseStarts,
    ...(graceSeconds === undefined ? {} : { primingGraceNs: Math.round(graceSeconds * 1e9) }),
    ...(warmupSeconds === undefined ? {} : { cacheWarmupNs: Math.round(warmupSeconds * 1e9) }),
    ...(settings.useThinkTimeOnly ? { usesThinkTime: true as const } : {}),
    ...(startRatios === undefined ? {} : { startRatios }),
    ...(maxContextLength === undefined ? {} : { maxContextTokens: maxContextLength }),
  };
}

/** The rule of a kind of gaps; AIPerf's options change both kinds. */
function gapRule(
  name: "toolTime" | "userTime",
  text: string | undefined,
  { ignoreTraceDelays, interTurnDelayCapSeconds: capSeconds }: ProfileSettings,
): GapRule {
  if (ignoreTraceDelays && text !== undefined) {
    throw new UsageError(flagOf(name), "Has no effect with --ignore-trace-delays: leave one out");
  }
  if (ignoreTraceDelays) return { kind: "none" };
  if (text === undefined) {
    return capSeconds === undefined
      ? { kind: "recorded" }
      : { kind: "cap", maxMs: Math.round(capSeconds * 1e9) / 1e6 };
  }
  if (text === "recorded" || text === "none") return { kind: text };
  const [kind, value = ""] = text.split(/:(.*)/s);
  if (kind === "scale") {
    const factor = parseNumber(value);
    if (factor !== undefined && factor >= 0) return { kind, factor };
  }
  if (kind === "cap") {
    const seconds = parseDuration(value);
    if (seconds !== undefined && seconds >= 0) {
      return { kind, maxMs: Math.round(seconds * 1e9) / 1e6 };
    }
  }
  throw new UsageError(
    flagOf(name),
    `Must be recorded, none, scale:FACTOR or cap:TIME, as scale:0.5 or cap:10s: got "${text}"`,
  );
}

function ratiosOf(
  { trajectoryStartMinRatio, trajectoryStartMaxRatio }: ProfileSettings,
): AgentsPlan["startRatios"] {
  const min = trajectoryStartMinRatio ?? 0;
  const max = trajectoryStartMaxRatio ?? min;
  if (min > max) {
    throw new UsageError(
      "--trajectory-start-min-ratio",
      `Must not exceed --trajectory-start-max-ratio: got ${min} and ${max}`,
    );
  }
  return max === 0 ? undefined : { min, max };
}
