import type { RunPlan } from "../../config/plan/run_plan.ts";
import { type GapRule, ruledGapMs } from "../../core/session_graph/session_graph.ts";
import { recordedPosition } from "../../core/session_graph/recorded_position.ts";
import { startRatio } from "../../core/session_graph/start_ratio.ts";
import { entriesOf } from "../../load/dataset/payloads/conversation_columns.ts";
import { type PlayedCall, playedCalls } from "../../load/dataset/payloads/graph_columns.ts";
import type { PayloadSource } from "../../load/dataset/payloads/payload_table.ts";
import { sessionMarker } from "../../load/dataset/payloads/session_marker.ts";
import type { RequestRecord } from "../../measurement/metrics/request_record.ts";
import type {
  SessionAgent,
  SessionFacts,
  SessionGate,
} from "../../measurement/metrics/session_book.ts";

/**
 * Returns the facts of the session of a request of the profiling phase.
 * @param pass number of earlier sessions of the plan with the same conversation
 */
export function sessionFactsOf(
  { entry: number, session }: Pick<RequestRecord, "entry" | "session">,
  payloads: PayloadSource,
  { dataset, seed }: Pick<RunPlan, "dataset" | "seed">,
  pass: number,
): SessionFacts {
  const { table, entry } = payloads.locate(number);
  const { conversations, markers } = table.data;
  const graph = conversations?.graph;
  const [start, end] = entriesOf(conversations, entry);
  const ratios = dataset.source === "file" ? dataset.agents?.startRatios : undefined;
  const ratio = graph === undefined ? 0 : startRatio(seed, ratios, session);
  const salt = markers && sessionMarker(markers, { phase: "profiling", session }).trim();
  const facts = {
    session,
    sourceId: table.sessionIdOf(entry),
    pass,
    ...(salt === undefined || salt === "" ? {} : { salt }),
    startRatio: ratio,
  };
  if (graph === undefined) return { ...facts, primed: 0 };
  const calls = playedCalls(graph, start, end);
  return {
    ...facts,
    primed: recordedPosition(calls, ratio)?.primed.length ?? 0,
    ...recordedOutput(calls),
    calls: graph.ids.slice(start, end),
    agents: agentsOf(calls, graph.agentKinds.slice(start, end)),
    gates: gatesOf(calls),
    delayed: delayedOf(calls, dataset.source === "file" ? dataset.agents?.toolTime : undefined),
  };
}

function recordedOutput(calls: readonly PlayedCall[]): Pick<SessionFacts, "recordedOutput"> {
  const tokens = calls.flatMap(({ isVirtual, outputTokens }) => isVirtual ? [] : [outputTokens]);
  const sum = tokens.reduce((sum, count) => sum + count, 0);
  return Number.isFinite(sum) && tokens.length > 0 ? { recordedOutput: sum / tokens.length } : {};
}

/** Agents in the order of their first calls. */
function agentsOf(calls: readonly PlayedCall[], kinds: readonly string[]): SessionAgent[] {
  const agents = new Map<string, SessionAgent>();
  calls.forEach(({ agent: name, isVirtual }, call) => {
    const { kind = kinds[call] as string, calls = 0 } = agents.get(name) ?? {};
    agents.set(name, { name, kind, calls: calls + (isVirtual ? 0 : 1) });
  });
  return [...agents.values()];
}

/** Calls that wait for the calls of other agents. */
function gatesOf(calls: readonly PlayedCall[]): SessionGate[] {
  const names = [...new Set(calls.map(({ agent }) => agent))];
  return calls.flatMap(({ edges, isVirtual }, call): SessionGate[] => {
    const from = edges.flatMap((edge) => edge.kind === "join" ? sendersOf(calls, edge.from) : []);
    if (from.length === 0) return [];
    const before = edges.find(({ kind }) => kind === "sequence")?.from;
    const agents = new Set(
      from.map((number) => names.indexOf((calls[number] as PlayedCall).agent)),
    );
    return [{
      call,
      ...(before === undefined ? {} : { before }),
      ...{ from, agents: [...agents] },
      ...(isVirtual ? { isSilent: true as const } : {}),
    }];
  });
}

/** A call; where it sends nothing, those that it waits for. */
function sendersOf(calls: readonly PlayedCall[], number: number): number[] {
  const { edges, isVirtual } = calls[number] as PlayedCall;
  return isVirtual ? edges.flatMap(({ from }) => sendersOf(calls, from)) : [number];
}

/** First calls of agents that do not start at once when another agent starts them. */
function delayedOf(calls: readonly PlayedCall[], rule: GapRule = { kind: "recorded" }): number[] {
  return calls.flatMap(({ edges, isVirtual }, call) => {
    const isLater = edges.some(({ gapMs, kind }) =>
      kind === "spawn" && ruledGapMs(gapMs, rule) > 0
    );
    return isLater && !isVirtual ? [call] : [];
  });
}
