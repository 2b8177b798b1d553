import type { RecordTable } from "./record_table.ts";
import { hasFailed } from "./request_record.ts";
import type { SessionFacts, SessionGate } from "./session_book.ts";
import { type SessionTimes, sessionTimes, wholeBlocks } from "./session_times.ts";

/** Counts of subagents and of waits for them, by AIPerf's names. */
export interface BranchStats {
  /** Agents below the first that sent a request, by how they ended. */
  readonly childrenSpawned: number;
  readonly childrenCompleted: number;
  readonly childrenErrored: number;
  /** Ended by the end of the run, or because other requests of the session failed. */
  readonly childrenTruncated: number;
  /** Those that started some time after the request that starts them, and not at once. */
  readonly childrenDelayed: number;
  /** Calls that had to wait for other agents, and calls after other agents that were sent. */
  readonly parentsSuspended: number;
  readonly parentsResumed: number;
  /** Calls that were not sent because an agent that they waited for failed, and for other reasons. */
  readonly parentsFailedDueToChildError: number;
  readonly joinsSuppressed: number;
  /** Sessions whose first agent only starts others, and those of them whose requests all ended. */
  readonly graphsAdmitted: number;
  readonly graphsCompletedToEnd: number;
}

/** Counts the agents of recorded sessions; undefined where sessions are lists of turns. */
export function branchStats(table: RecordTable): BranchStats | undefined {
  const counts = {
    ...{ childrenSpawned: 0, childrenCompleted: 0, childrenErrored: 0, childrenTruncated: 0 },
    ...{ childrenDelayed: 0, parentsSuspended: 0, parentsResumed: 0 },
    ...{ parentsFailedDueToChildError: 0, joinsSuppressed: 0 },
    ...{ graphsAdmitted: 0, graphsCompletedToEnd: 0 },
  };
  let hasAgents = false;
  for (const session of sessionTimes(table)) {
    const facts = table.sessionBook.of(session.session);
    if (facts?.agents === undefined) continue;
    hasAgents = true;
    if (facts.agents[0]?.calls === 0) {
      counts.graphsAdmitted++;
      const { failedCalls, goodCalls, plannedCalls } = session;
      if (goodCalls + failedCalls === plannedCalls) counts.graphsCompletedToEnd++;
    }
    const calls = new SentCalls(table, session);
    countAgents(calls, facts, counts);
    for (const gate of facts.gates ?? []) countGate(calls, gate, counts);
  }
  return hasAgents ? counts : undefined;
}

type Counts = { -readonly [Name in keyof BranchStats]: number };

/** Calls of a session that were sent, by their numbers. */
class SentCalls {
  readonly #rowOf: ReadonlyMap<number, number>;
  readonly #kinds: Float64Array;
  readonly #ends: Float64Array;
  /** Rows by the number of their agent. */
  readonly byAgent: ReadonlyMap<number, readonly number[]>;

  constructor(table: RecordTable, { rows }: SessionTimes) {
    this.#rowOf = new Map(rows.map((row) => [table.turns.values[row] as number, row]));
    this.#kinds = table.errorKinds.values;
    this.#ends = table.allEndNs.values;
    this.byAgent = Map.groupBy(rows, (row) => table.agents.values[row] as number);
  }

  has(call: number): boolean {
    return this.#rowOf.has(call);
  }

  /** When a call ended; Infinity if it was not sent. */
  endNs(call: number): number {
    const row = this.#rowOf.get(call);
    return row === undefined ? Infinity : this.#ends[row] as number;
  }

  isGood(call: number): boolean {
    const row = this.#rowOf.get(call);
    return row !== undefined && this.isGoodRow(row);
  }

  isGoodRow(row: number): boolean {
    return (this.#kinds[row] as number) < 0;
  }

  hasFailed(agent: number): boolean {
    const rows = this.byAgent.get(agent) ?? [];
    return rows.some((row) => hasFailed({ errorKind: this.#kinds[row] as number }));
  }
}

function countAgents(
  calls: SentCalls,
  { agents = [], delayed = [] }: SessionFacts,
  counts: Counts,
): void {
  for (const [agent, own] of calls.byAgent) {
    if (!(agent > 0)) continue;
    counts.childrenSpawned++;
    const good = own.filter((row) => calls.isGoodRow(row)).length;
    if (calls.hasFailed(agent)) counts.childrenErrored++;
    else if (good >= (agents[agent]?.calls ?? Infinity)) counts.childrenCompleted++;
    else counts.childrenTruncated++;
  }
  counts.childrenDelayed += delayed.filter((call) => calls.has(call)).length;
}

function countGate(
  calls: SentCalls,
  { agents, before, call, from, isSilent }: SessionGate,
  counts: Counts,
): void {
  // A call that sends nothing follows at once after the one that starts the agents.
  const isFirst = isSilent || before === undefined;
  const hasArrived = isFirst || calls.has(call) || calls.isGood(before);
  const arrivedNs = isFirst ? -Infinity : hasArrived ? calls.endNs(before) : Infinity;
  const mustWait = from.some((number) => calls.endNs(number) > arrivedNs);
  const hasBegun = from.some((number) => calls.has(number)) ||
    agents.some((agent) => calls.byAgent.has(agent));
  if (mustWait && hasBegun) counts.parentsSuspended++;
  if (isSilent ? from.every((number) => calls.isGood(number)) : calls.has(call)) {
    counts.parentsResumed++;
  } else if (agents.some((agent) => calls.hasFailed(agent))) counts.parentsFailedDueToChildError++;
  else counts.joinsSuppressed++;
}

/**
 * Percentage of the whole blocks of prompts that earlier requests of their sessions had, by AIPerf's
 * formula: successful requests, prompts only. NaN where tokens are not known.
 */
export function theoreticalCacheHit(table: RecordTable): number {
  const inputs = table.column("input_sequence_length");
  const { cacheBlockTokens: block, sharedTokens: { values: shared } } = table;
  let [hits, blocks] = [0, 0];
  inputs?.forEach((tokens, row) => {
    if (Number.isNaN(tokens)) return;
    hits += wholeBlocks(shared[row] as number, block);
    blocks += wholeBlocks(tokens, block);
  });
  return hits / blocks * 100;
}
