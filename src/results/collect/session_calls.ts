import { FIELD, RECORD_FIELD } from "../../client/record/request_fields.ts";
import { entriesOf } from "../../load/dataset/payloads/conversation_columns.ts";
import type { GraphColumns } from "../../load/dataset/payloads/graph_columns.ts";
import {
  hasSessions,
  type PayloadPlace,
  type PayloadSource,
} from "../../load/dataset/payloads/payload_table.ts";

/** A call whose request has ended. */
interface EndedCall {
  readonly promptTokens: number;
  readonly replyTokens: number;
  readonly startNs: number;
  readonly endNs: number;
}

/** A session in progress. */
interface SessionInProgress {
  /** Calls so far, by their numbers. */
  readonly calls: Map<number, EndedCall>;
  /** Numbers of its agents, by their names. */
  readonly agents: ReadonlyMap<string, number>;
}

/**
 * Fills the columns of a record that depend on other requests of its session. The records of a
 * session arrive in the order in which its requests ended, since one thread plays it.
 */
export class SessionCalls {
  readonly #payloads: Pick<PayloadSource, "locate">;
  readonly #sessions = new Map<number, SessionInProgress>();
  #phase = NaN;

  constructor(payloads: Pick<PayloadSource, "locate">) {
    this.#payloads = payloads;
  }

  /**
   * Fills the columns of a record whose tokens have been counted.
   * @param replyTokens tokens of the reply that later requests carry; NaN for none
   */
  fill(row: Float64Array, replyTokens: number): void {
    const [phase, session, turn, turns] = [FIELD.phase, FIELD.session, FIELD.turn, FIELD.turns]
      .map((field) => row[field] as number) as [number, number, number, number];
    if (phase !== this.#phase) this.#sessions.clear();
    this.#phase = phase;
    const place = this.#payloads.locate(row[FIELD.entry] as number);
    const graph = place.table.data.conversations?.graph;
    if (Number.isNaN(turn) || !hasSessions(place.table.data)) return leaveEmpty(row);
    const known = this.#sessions.get(session) ?? inProgress(place);
    this.#sessions.set(session, known);
    const { entry } = place;
    row[RECORD_FIELD.agent] = known.agents.get(graph?.agents[entry] ?? "") ?? 0;
    row[RECORD_FIELD.depth] = graph?.depth[entry] ?? 0;
    row[RECORD_FIELD.isBackground] = graph?.isBackground[entry] ?? 0;
    row[RECORD_FIELD.isReset] = graph?.isReset[entry] ?? 0;
    const tokens = row[RECORD_FIELD.inputTokens] as number;
    const shared = graph === undefined
      ? sharedOfTurn(place, turn, known)
      : sharedOfCall(place, graph, turn, known, tokens);
    row[RECORD_FIELD.sharedTokens] = Math.min(tokens, shared);
    row[RECORD_FIELD.gapNs] = (row[FIELD.intendedNs] as number) - eventNs(row, graph, place, known);
    known.calls.set(turn, {
      promptTokens: tokens,
      replyTokens: replyTokens || 0,
      startNs: row[FIELD.startNs] as number,
      endNs: row[FIELD.endNs] as number,
    });
    // A failed turn ends a session that is a list of turns.
    const isOver = graph === undefined && (row[FIELD.errorKind] as number) >= 0;
    if (isOver || known.calls.size >= turns) this.#sessions.delete(session);
  }
}

function leaveEmpty(row: Float64Array): void {
  for (const field of FIELDS) row[RECORD_FIELD[field]] = NaN;
}

const FIELDS = [
  ...["gapNs", "agent", "depth", "isBackground", "sharedTokens", "isReset"] as const,
] as const;

/** When the event was that a request waited for last; NaN for none. */
function eventNs(
  row: Float64Array,
  graph: GraphColumns | undefined,
  { entry }: PayloadPlace,
  { calls }: SessionInProgress,
): number {
  const waited = row[FIELD.waitedFor] as number;
  const event = graph === undefined ? 2 * ((row[FIELD.turn] as number) - 1) : waited;
  if (!(event >= 0)) return NaN;
  const from = event >> 1;
  const { endNs = NaN, startNs } = calls.get(from) ?? {};
  if (event % 2 === 0) return endNs;
  if (startNs !== undefined || graph === undefined) return startNs ?? NaN;
  // A call that is still in flight has no record: the gap is the planned one.
  const first = graph.edgeStart[entry] as number;
  const edge = graph.edgeFrom.subarray(first, graph.edgeStart[entry + 1]).indexOf(from);
  return (row[FIELD.intendedNs] as number) - (graph.edgeGapMs[first + edge] ?? NaN) * 1e6;
}

function inProgress({ table, entry }: PayloadPlace): SessionInProgress {
  const { conversations } = table.data;
  const agents = new Map<string, number>();
  if (conversations?.graph !== undefined) {
    for (const agent of conversations.graph.agents.slice(...entriesOf(conversations, entry))) {
      if (!agents.has(agent)) agents.set(agent, agents.size);
    }
  }
  return { calls: new Map(), agents };
}

/** A turn that carries the history has it in common with the turn before. */
function sharedOfTurn(
  { table, entry }: PayloadPlace,
  turn: number,
  { calls }: SessionInProgress,
): number {
  if (turn === 0) return 0;
  if (table.data.conversations?.followsHistory[entry] !== 1) return NaN;
  const { promptTokens = NaN, replyTokens = NaN } = calls.get(turn - 1) ?? {};
  return promptTokens + replyTokens;
}

function sharedOfCall(
  { table, entry }: PayloadPlace,
  graph: GraphColumns,
  turn: number,
  { calls }: SessionInProgress,
  tokens: number,
): number {
  const base = graph.continues[entry] as number;
  if (base < 0) return tokens * (graph.sharedShare[entry] as number);
  const sent = calls.get(base);
  // A call that was sent ahead has no record.
  if (sent === undefined) return table.data.inputTokens[entry - turn + base] ?? NaN;
  return sent.promptTokens + (graph.putsReply[entry] === 1 ? sent.replyTokens : 0);
}
