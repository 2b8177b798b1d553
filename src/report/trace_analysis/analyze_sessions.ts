import { criticalPath } from "../../core/session_graph/critical_path.ts";
import {
  type CallTimes,
  peakParallel,
  plannedCalls,
} from "../../core/session_graph/planned_calls.ts";
import type { GapRule } from "../../core/session_graph/session_graph.ts";
import { startPosition } from "../../core/session_graph/start_position.ts";
import { type FailurePolicy, unsentCalls } from "../../core/session_graph/unsent_calls.ts";
import type { IdealHits, PromptTokens } from "../../load/sessions/ideal_hits.ts";
import type { AgentCall, AgentSession } from "../../load/sessions/model/agent_session.ts";
import { FIXED_SECOND, type ReplyTimes, TOKEN_TIMES } from "./reply_times.ts";
import type {
  CallAnalysis,
  FailureAnalysis,
  ScheduleAnalysis,
  SessionAnalysis,
  SessionTotals,
  StartAnalysis,
} from "./session_analysis.ts";

const RECORDED: GapRule = { kind: "recorded" };
/** Changed gaps for which starts are computed as well. */
const TOOL_TIMES: readonly (readonly [name: string, rule: GapRule])[] = [
  ["tool_time_none", { kind: "none" }],
  ["tool_time_scale_0.5", { kind: "scale", factor: 0.5 }],
  ["tool_time_cap_500ms", { kind: "cap", maxMs: 500 }],
];
const POLICIES: readonly FailurePolicy[] = ["branch", "session", "continue"];
const START_RATIOS = [0.25, 0.5];
/** Difference of two times that are equal, in milliseconds. */
const EQUAL_MS = 0.0015;
/** A session of fewer calls is not entered in its middle. */
const LEAST_CALLS = 3;

/**
 * Returns the analysis of one session.
 * @param replyTimes for which starts are computed; empty for no schedules
 */
export function analyzeSession(
  session: AgentSession,
  hits: IdealHits,
  blockSize: number,
  replyTimes: readonly ReplyTimes[],
): SessionAnalysis {
  const { calls } = session;
  const isTimed = calls.every(({ recorded }) => recorded !== undefined);
  const fixed = plan(calls, FIXED_SECOND, RECORDED);
  const startsMs = calls.map(({ recorded }, call) =>
    isTimed && recorded !== undefined ? recorded.startMs : fixed[call]?.startMs as number
  );
  const order = calls.map((_, call) => call)
    .sort((a, b) => (startsMs[a] as number) - (startsMs[b] as number));
  const tokens = hits.of(session, order);
  const replay = isTimed ? replayed(calls) : undefined;
  const isPlanned = replyTimes.length > 0;
  return {
    "id": session.id,
    "offset_ms": rounded(session.offsetMs),
    "agents": [...new Set(calls.map(({ agent }) => agent))].sort(),
    "calls": calls.map((call, place) => callAnalysis(call, calls, tokens[place], isTimed)),
    ...(replay === undefined ? {} : {
      "replay_with_recorded_reply_times_equals_record": replay.every(({ startMs }, call) =>
        Math.abs(startMs - (startsMs[call] as number)) < EQUAL_MS
      ),
    }),
    ...(isPlanned ? { "schedules": schedulesOf(calls, replyTimes, replay) } : {}),
    "totals": totalsOf(calls, tokens, fixed, blockSize),
    ...(isPlanned ? { "failures": failuresOf(calls, fixed) } : {}),
    ...(isPlanned && calls.filter(({ isVirtual }) => !isVirtual).length >= LEAST_CALLS
      ? { "start_position": START_RATIOS.map((ratio) => startOf(calls, ratio, startsMs)) }
      : {}),
  };
}

/** A number with three decimals. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000 || 0;
}

function plan(
  calls: readonly AgentCall[],
  times: ReplyTimes,
  gapRule: GapRule,
  maxParallel = Infinity,
): CallTimes[] {
  const replyMs = (call: number): number => times.msOf(calls[call]?.outputTokens ?? 0);
  return plannedCalls(calls, { replyMs, gapRule, maxParallel });
}

function replayed(calls: readonly AgentCall[]): CallTimes[] {
  const replyMs = (call: number): number => {
    const { startMs = 0, endMs = 0 } = calls[call]?.recorded ?? {};
    return endMs - startMs;
  };
  return plannedCalls(calls, { replyMs, gapRule: RECORDED });
}

function callAnalysis(
  call: AgentCall,
  calls: readonly AgentCall[],
  tokens: PromptTokens | undefined,
  isTimed: boolean,
): CallAnalysis {
  const base = {
    "id": call.id,
    "agent": call.agent,
    "depth": call.depth,
    "after": call.edges.map(({ from, on, kind, gapMs }) => ({
      "call": idOf(calls, from),
      "on": on,
      "kind": kind,
      "gap_ms": rounded(gapMs),
    })),
    ...(call.edges.length === 0 ? { "offset_ms": rounded(call.offsetMs) } : {}),
    ...(call.notBeforeMs === undefined ? {} : { "not_before_ms": rounded(call.notBeforeMs) }),
  };
  if (call.isVirtual || tokens === undefined) return { ...base, "virtual": true };
  const { inputTokens, cached, cachedWithReplies, cachedAfterEarlier, isReset } = tokens;
  const { recorded, recordedInputTokens, toolMs } = call;
  return {
    ...base,
    "model": call.model ?? null,
    "gap_class": call.gapClass ?? null,
    "tool_ms": toolMs === undefined ? null : rounded(toolMs),
    "input_tokens": inputTokens,
    "output_tokens": call.outputTokens,
    "new_tokens": inputTokens - cached,
    "cached_tokens": cached,
    "cached_tokens_with_replies": cachedWithReplies,
    "context_reset": isReset,
    ...(cachedAfterEarlier === cached
      ? {}
      : { "cached_tokens_after_earlier_sessions": cachedAfterEarlier }),
    ...(recordedInputTokens === undefined ? {} : { "recorded_input_tokens": recordedInputTokens }),
    ...(isTimed && recorded !== undefined
      ? {
        "recorded_start_ms": rounded(recorded.startMs),
        "recorded_end_ms": rounded(recorded.endMs),
      }
      : {}),
  };
}

/** Starts for the given reply times, and for those with which files of others are compared. */
function schedulesOf(
  calls: readonly AgentCall[],
  replyTimes: readonly ReplyTimes[],
  replay: readonly CallTimes[] | undefined,
): Record<string, ScheduleAnalysis> {
  const [main = FIXED_SECOND] = replyTimes;
  const given = new Map([...replyTimes, TOKEN_TIMES].map((times) => [times.name, times]));
  const schedules: Record<string, ScheduleAnalysis> = {};
  for (const [name, times] of given) {
    schedules[name] = scheduleOf(calls, plan(calls, times, RECORDED), RECORDED);
  }
  for (const [name, rule] of TOOL_TIMES) {
    schedules[`${main.name}_${name}`] = scheduleOf(calls, plan(calls, main, rule), rule);
  }
  const single = plan(calls, main, RECORDED, 1);
  schedules[`${main.name}_parallel_1`] = scheduleOf(calls, single, RECORDED);
  if (replay !== undefined) schedules["recorded_replies"] = scheduleOf(calls, replay, RECORDED);
  return schedules;
}

function scheduleOf(
  calls: readonly AgentCall[],
  times: readonly CallTimes[],
  rule: GapRule,
): ScheduleAnalysis {
  const { calls: path, modelMs, gapMs, waitMs, durationMs } = criticalPath(calls, times, rule);
  return {
    "start_ms": Object.fromEntries(
      times.map(({ startMs }, call) => [idOf(calls, call), rounded(startMs)]),
    ),
    "critical_path": {
      "calls": path.map((call) => idOf(calls, call)),
      "model_ms": rounded(modelMs),
      "gap_ms": rounded(gapMs.tool + gapMs.user + gapMs.agent),
      "tool_ms": rounded(gapMs.tool),
      "user_ms": rounded(gapMs.user),
      "agent_ms": rounded(gapMs.agent),
      "wait_ms": rounded(waitMs),
      "duration_ms": rounded(durationMs),
    },
  };
}

function totalsOf(
  calls: readonly AgentCall[],
  tokens: readonly (PromptTokens | undefined)[],
  fixed: readonly CallTimes[],
  blockSize: number,
): SessionTotals {
  let [count, input, output, cached, withReplies, resets, longest, gapSumMs] = new Array<number>(8)
    .fill(0) as [number, number, number, number, number, number, number, number];
  let blocks: number | undefined = 0;
  const gapMs = { tool: 0, user: 0, agent: 0 };
  calls.forEach(({ prompt, outputTokens, edges, gapClass }, place) => {
    const own = tokens[place];
    if (own === undefined) return;
    count++;
    input += own.inputTokens;
    output += outputTokens;
    cached += own.cached;
    withReplies += own.cachedWithReplies;
    if (own.isReset) resets++;
    longest = Math.max(longest, own.inputTokens + outputTokens);
    const gap = edges.reduce(
      (most, edge) => edge.on === "end" ? Math.max(most, edge.gapMs) : most,
      0,
    );
    gapSumMs += gap;
    gapMs[gapClass ?? "agent"] += gap;
    blocks = prompt.kind === "blocks" && blocks !== undefined
      ? blocks + prompt.blocks.length
      : undefined;
  });
  const percent = (part: number, whole: number): number =>
    whole === 0 ? 0 : rounded(100 * part / whole);
  return {
    "calls": count,
    "input_tokens": input,
    "output_tokens": output,
    "cached_tokens": cached,
    "new_tokens": input - cached,
    "ideal_hit_rate_pct": percent(cached, input),
    "ideal_hit_rate_with_replies_pct": percent(withReplies, input),
    "peak_parallel_calls_fixed_1000": peakParallel(calls, fixed),
    "context_resets": resets,
    "longest_context_tokens": longest,
    "recorded_gap_sum_ms": rounded(gapSumMs),
    "gap_ms_by_class": {
      "tool": rounded(gapMs.tool),
      "user": rounded(gapMs.user),
      "agent": rounded(gapMs.agent),
    },
    ...(blocks === undefined ? {} : {
      "ideal_hit_rate_of_whole_blocks_pct": blocks === 0
        ? null
        : percent(cached / blockSize, blocks),
    }),
  };
}

/** Calls that are not sent if the second call that others of the main agent wait for fails, or a subagent's first. */
function failuresOf(calls: readonly AgentCall[], fixed: readonly CallTimes[]): FailureAnalysis[] {
  const awaited = new Set(calls.flatMap(({ edges }) => edges.map(({ from }) => from)));
  const real = calls.flatMap(({ isVirtual }, call) => isVirtual ? [] : [call]);
  const depthOf = (call: number): number => calls[call]?.depth ?? 0;
  const picks = [
    ...real.filter((call) => depthOf(call) === 0 && awaited.has(call)).slice(1, 2),
    ...real.filter((call) => depthOf(call) > 0).slice(0, 1),
  ];
  return picks.map((failed) => {
    const unsent = (policy: FailurePolicy): string[] =>
      unsentCalls(calls, failed, policy, fixed).map((call) => idOf(calls, call));
    return {
      "failed": idOf(calls, failed),
      "schedule": FIXED_SECOND.name,
      "not_sent": Object.fromEntries(POLICIES.map((policy) => [policy, unsent(policy)])) as Record<
        FailurePolicy,
        string[]
      >,
    };
  });
}

function startOf(
  calls: readonly AgentCall[],
  ratio: number,
  startsMs: readonly number[],
): StartAnalysis {
  const { atMs, primed, skipped, first, played } = startPosition(calls, ratio, startsMs);
  const named = (numbers: readonly number[]): string[] => numbers.map((call) => idOf(calls, call));
  return {
    "ratio": ratio,
    "t_star_ms": rounded(atMs),
    "primed": named(primed),
    "skipped": named(skipped),
    "first_of_each_agent": first.map(({ call, offsetMs }) => ({
      "call": idOf(calls, call),
      "offset_ms": rounded(offsetMs),
    })),
    "played": named(played),
  };
}

function idOf(calls: readonly AgentCall[], call: number): string {
  return calls[call]?.id ?? "";
}
