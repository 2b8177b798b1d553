import type { RunPlan } from "../../config/plan/run_plan.ts";
import { recordedPosition } from "../../core/session_graph/recorded_position.ts";
import { startRatio } from "../../core/session_graph/start_ratio.ts";
import { entriesOf } from "../../load/dataset/payloads/conversation_columns.ts";
import { type PlayedCall, playedCalls } from "../../load/dataset/payloads/graph_columns.ts";
import type { PayloadSource } from "../../load/dataset/payloads/payload_table.ts";
import { sessionMarker } from "../../load/dataset/payloads/session_marker.ts";
import type { RequestRecord } from "../../measurement/metrics/request_record.ts";
import type { SessionAgent, SessionFacts } from "../../measurement/metrics/session_book.ts";

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
    agents: agentsOf(graph.agents.slice(start, end), graph.agentKinds.slice(start, end)),
    joins: joinsOf(calls),
  };
}

function recordedOutput(calls: readonly PlayedCall[]): Pick<SessionFacts, "recordedOutput"> {
  const tokens = calls.flatMap(({ isVirtual, outputTokens }) => isVirtual ? [] : [outputTokens]);
  const sum = tokens.reduce((sum, count) => sum + count, 0);
  return Number.isFinite(sum) && tokens.length > 0 ? { recordedOutput: sum / tokens.length } : {};
}

/** Agents in the order of their first calls. */
function agentsOf(names: readonly string[], kinds: readonly string[]): SessionAgent[] {
  const agents = new Map<string, SessionAgent>();
  names.forEach((name, call) => {
    const { kind = kinds[call] as string, calls = 0 } = agents.get(name) ?? {};
    agents.set(name, { name, kind, calls: calls + 1 });
  });
  return [...agents.values()];
}

/** Calls that wait for the calls of other agents. */
function joinsOf(calls: readonly PlayedCall[]): NonNullable<SessionFacts["joins"]> {
  return calls.flatMap(({ edges, isVirtual }, call): (readonly [number, ...number[]])[] => {
    const from = edges.filter(({ kind }) => kind === "join").map((edge) => edge.from);
    return from.length === 0 || isVirtual ? [] : [[call, ...from]];
  });
}
