import { summarize, type Summary } from "../../core/statistics/summarize.ts";
import { type BranchStats, branchStats, theoreticalCacheHit } from "./branch_stats.ts";
import { described, type MetricResult, type MetricResults, valueOf } from "./metric_results.ts";
import type { MetricTag } from "./metric_tag.ts";
import type { RecordMetricTag } from "./record_metrics.ts";
import type { RecordTable } from "./record_table.ts";
import { SHARE_METRICS } from "./run_metrics.ts";
import {
  type SessionTimes,
  sessionTimes,
  type SessionTokens,
  sumOfKnown,
} from "./session_times.ts";

/**
 * Maximum number of turns that are reported separately; later ones are only in the values of the
 * whole run.
 */
export const MAX_TURNS = 100;
/** Maximum number of kinds of agents that are reported separately. */
const MAX_KINDS = 100;

/** The metrics that are given for each turn, each depth and each kind of agent. */
export const TURN_METRICS = [
  "time_to_first_token",
  "inter_token_latency",
  "request_latency",
  "input_sequence_length",
  "output_sequence_length",
  "usage_prompt_tokens",
  "usage_prompt_cache_read_tokens",
] as const satisfies readonly RecordMetricTag[];

/** Outcomes of some requests. */
interface Outcomes {
  readonly succeeded: number;
  readonly failed: number;
  /** Available results of {@linkcode TURN_METRICS}, and the percentage of tokens from caches. */
  readonly results: MetricResults;
}

/** The requests that were the same turn of their sessions. */
export interface TurnResults extends Outcomes {
  /** From 1. */
  readonly turn: number;
}

/** The requests of agents at one depth, or of one kind. */
export interface AgentResults extends Outcomes {
  /** Levels of agents above them; undefined for a kind. */
  readonly depth?: number;
  /** Kind of the agents; undefined for a depth. */
  readonly kind?: string;
  /** Rows of the valid requests. */
  readonly rows: readonly number[];
}

/** Results of the sessions of a phase. */
export interface SessionResults {
  readonly started: number;
  /** Sessions whose last turn succeeded. */
  readonly completed: number;
  /** Sessions that ended with a turn that failed. */
  readonly failed: number;
  /** Sessions that the end of the run cut off. */
  readonly cutOff: number;
  /** Sessions that were entered in their middle. */
  readonly enteredInMiddle: number;
  /** Completed sessions from their beginning, whose durations are reported. */
  readonly whole: number;
  /** Turns that were not sent because their session had ended. */
  readonly unsentTurns: number;
  readonly turns: readonly TurnResults[];
  /** Requests by depth and by kind of agent; empty where all have one agent. */
  readonly depths: readonly AgentResults[];
  readonly kinds: readonly AgentResults[];
  /** Requests of a session, and the largest number of one session in flight. */
  readonly calls: Summary;
  readonly peakParallel: number;
  /** Tokens of all sessions. */
  readonly tokens: SessionTokens;
  readonly resets: number;
  /** Percentages of the critical paths of whole sessions, weighted by time; NaN without any. */
  readonly path: Readonly<Record<"model" | "tool" | "user" | "agent" | "wait", number>>;
  /** Counts of subagents; undefined for lists of turns. */
  readonly branches: BranchStats | undefined;
  /** Ideal hits by AIPerf's formula, in percent; NaN if tokens are not known. */
  readonly theoreticalCacheHit: number;
  /** All sessions. */
  readonly times: readonly SessionTimes[];
}

/** Completed sessions from their beginning. */
export function wholeSessions(table: RecordTable): SessionTimes[] {
  return sessionTimes(table).filter(({ session, status }) =>
    status === "completed" && !isEnteredInMiddle(table, session)
  );
}

/**
 * Sums of the tokens of sessions. A session without valid requests has none, and servers may leave out
 * that nothing was cached: only ideal tokens must be known of all.
 */
export function pooledTokens(sessions: readonly SessionTimes[]): SessionTokens {
  const known = (name: keyof SessionTokens): number =>
    sumOfKnown(sessions.map(({ tokens }) => tokens[name]));
  const all = (name: keyof SessionTokens): number =>
    sessions.reduce((sum, { tokens }) => sum + tokens[name], 0);
  return {
    input: known("input"),
    output: known("output"),
    cachedIdeal: all("cachedIdeal"),
    prompted: known("prompted"),
    cachedServer: known("cachedServer"),
    reusable: all("reusable"),
    reused: known("reused"),
  };
}

/** Returns the results of the table's sessions; undefined if each is one request. */
export function sessionResults(table: RecordTable): SessionResults | undefined {
  if (!table.hasTurns) return undefined;
  const times = sessionTimes(table);
  const ofStatus = (wanted: SessionTimes["status"]): number =>
    times.filter(({ status }) => status === wanted).length;
  const whole = wholeSessions(table);
  return {
    started: times.length,
    completed: ofStatus("completed"),
    failed: ofStatus("failed") + lostRequests(table),
    cutOff: ofStatus("cut_off"),
    enteredInMiddle: times.filter(({ session }) => isEnteredInMiddle(table, session)).length,
    whole: whole.length,
    unsentTurns: times.reduce(
      (sum, { calls, plannedCalls }) => sum + Math.max(0, plannedCalls - calls),
      0,
    ),
    turns: turnsOf(table),
    ...agentsOf(table),
    calls: summarize(Float64Array.from(times, ({ calls }) => calls)),
    peakParallel: times.reduce((most, { peakParallel }) => Math.max(most, peakParallel), 0),
    tokens: pooledTokens(times),
    resets: times.reduce((sum, { resets }) => sum + resets, 0),
    path: pathShares(whole),
    branches: branchStats(table),
    theoreticalCacheHit: theoreticalCacheHit(table),
    times,
  };
}

/** Percentages of the parts of critical paths. */
function pathShares(sessions: readonly SessionTimes[]): SessionResults["path"] {
  const total = (value: (session: SessionTimes) => number): number =>
    sessions.reduce((sum, session) => sum + value(session), 0);
  const duration = total(({ startNs, endNs }) => endNs - startNs);
  const share = (value: (session: SessionTimes) => number): number => total(value) / duration * 100;
  return {
    model: share(({ modelNs }) => modelNs),
    tool: share(({ gapNs }) => gapNs.tool),
    user: share(({ gapNs }) => gapNs.user),
    agent: share(({ gapNs }) => gapNs.agent),
    wait: share(({ waitNs }) => waitNs),
  };
}

function isEnteredInMiddle({ sessionBook }: RecordTable, session: number): boolean {
  return (sessionBook.of(session)?.startRatio ?? 0) > 0;
}

/** Number of requests of dead threads, whose turns are not known. */
function lostRequests(table: RecordTable): number {
  const [turns, valid] = [table.turns.values, table.startNs.values];
  const cancelled = table.counts("cancelled");
  let count = 0;
  for (let row = 0; row < table.length; row++) {
    if (Number.isNaN(turns[row]) && Number.isNaN(valid[row]) && cancelled[row] === 0) count++;
  }
  return count;
}

/** Rows of valid requests, and the number of failed ones, of a group. */
interface Group {
  readonly rows: number[];
  failed: number;
}

function groupsOf<Key extends number | string>(
  table: RecordTable,
  keyOf: (row: number) => Key,
): Map<Key, Group> {
  const valid = table.startNs.values;
  const cancelled = table.counts("cancelled");
  const groups = new Map<Key, Group>();
  for (let row = 0; row < table.length; row++) {
    const isValid = !Number.isNaN(valid[row]);
    if (!isValid && cancelled[row] === 1) continue;
    const key = keyOf(row);
    let group = groups.get(key);
    if (group === undefined) groups.set(key, group = { rows: [], failed: 0 });
    if (isValid) group.rows.push(row);
    else group.failed++;
  }
  return groups;
}

function outcomesOf(table: RecordTable, { rows, failed }: Group): Outcomes {
  return { succeeded: rows.length, failed, results: turnResults(table, rows) };
}

function turnsOf(table: RecordTable): TurnResults[] {
  const turns = table.turns.values;
  const groups = groupsOf(table, (row) => turns[row] as number);
  const known = [...groups.keys()].filter((turn) => turn < MAX_TURNS);
  const count = Math.max(0, ...known.map((turn) => turn + 1));
  return Array.from({ length: count }, (_, turn) => ({
    turn: turn + 1,
    ...outcomesOf(table, groups.get(turn) ?? { rows: [], failed: 0 }),
  }));
}

function agentsOf(table: RecordTable): Pick<SessionResults, "depths" | "kinds"> {
  const [agents, depths, sessions] = [table.agents, table.depths, table.sessions]
    .map(({ values }) => values) as [Float64Array, Float64Array, Float64Array];
  if (!agents.some((agent) => agent > 0)) return { depths: [], kinds: [] };
  const { sessionBook } = table;
  const known = new Map<number, readonly string[]>();
  const kindOf = (row: number): string => {
    const session = sessions[row] as number;
    let kinds = known.get(session);
    if (kinds === undefined) {
      kinds = sessionBook.of(session)?.agents?.map(({ kind }) => kind) ?? [];
      known.set(session, kinds);
    }
    return kinds[agents[row] as number] ?? "";
  };
  const byDepth = groupsOf(table, (row) => depths[row] || 0);
  const byKind = groupsOf(table, kindOf);
  byKind.delete("");
  return {
    depths: [...byDepth].sort(([a], [b]) => a - b).map(([depth, group]) => ({
      depth,
      rows: group.rows,
      ...outcomesOf(table, group),
    })),
    kinds: [...byKind].sort(([, a], [, b]) => b.rows.length - a.rows.length)
      .slice(0, MAX_KINDS).map(([kind, group]) => ({
        kind,
        rows: group.rows,
        ...outcomesOf(table, group),
      })),
  };
}

function turnResults(table: RecordTable, rows: readonly number[]): MetricResults {
  const results = new Map<MetricTag, MetricResult>();
  for (const tag of TURN_METRICS) {
    const metric = table.metrics.find((metric) => metric.tag === tag);
    const column = table.column(tag);
    if (metric === undefined || column === undefined) continue;
    const values = Float64Array.from(rows, (row) => column[row] ?? NaN)
      .filter((value) => !Number.isNaN(value));
    const summary = summarize(values);
    if (summary.count > 0) results.set(tag, { metric: described(metric), summary });
  }
  const cached = sumOf(results, "usage_prompt_cache_read_tokens");
  const value = cached / sumOf(results, "usage_prompt_tokens") * 100;
  const metric = SHARE_METRICS.promptCacheReadPct;
  if (Number.isFinite(value)) results.set(metric.tag, { metric: described(metric), value });
  return results;
}

function sumOf(results: MetricResults, tag: MetricTag): number {
  const result = results.get(tag);
  return result !== undefined && "summary" in result ? result.summary.sum : NaN;
}

/** Share of the prompt tokens of requests that came from caches, in percent; undefined if unknown. */
export function cachedShare({ results }: Pick<Outcomes, "results">): number | undefined {
  return valueOf(results, SHARE_METRICS.promptCacheReadPct.tag);
}
