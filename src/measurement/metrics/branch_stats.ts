import type { RecordTable } from "./record_table.ts";
import { hasFailed } from "./request_record.ts";
import type { SessionFacts } from "./session_book.ts";
import { type SessionTimes, sessionTimes, wholeBlocks } from "./session_times.ts";

/** Counts of subagents and of waits for them, by AIPerf's names. */
export interface BranchStats {
  /** Agents below the first that sent a request, by how they ended. */
  readonly childrenSpawned: number;
  readonly childrenCompleted: number;
  readonly childrenErrored: number;
  /** Ended by the end of the run, or because other requests of the session failed. */
  readonly childrenTruncated: number;
  /** Requests that wait for other agents, as far as these had begun, and those of them that were sent. */
  readonly parentsSuspended: number;
  readonly parentsResumed: number;
  /** Requests that were not sent because an agent that they waited for failed, and for other reasons. */
  readonly parentsFailedDueToChildError: number;
  readonly joinsSuppressed: number;
  readonly graphsAdmitted: number;
  readonly graphsCompletedToEnd: number;
}

/** Counts the agents of recorded sessions; undefined where sessions are lists of turns. */
export function branchStats(table: RecordTable): BranchStats | undefined {
  const counts = {
    ...{ graphsAdmitted: 0, graphsCompletedToEnd: 0 },
    ...{ childrenSpawned: 0, childrenCompleted: 0, childrenErrored: 0, childrenTruncated: 0 },
    ...{ parentsSuspended: 0, parentsResumed: 0 },
    ...{ parentsFailedDueToChildError: 0, joinsSuppressed: 0 },
  };
  for (const session of sessionTimes(table)) {
    const { agents, joins = [] } = table.sessionBook.of(session.session) ?? {};
    if (agents === undefined) continue;
    counts.graphsAdmitted++;
    if (session.status === "completed") counts.graphsCompletedToEnd++;
    countAgents(table, session, { agents, joins }, counts);
  }
  return counts.graphsAdmitted === 0 ? undefined : counts;
}

type Counts = { -readonly [Name in keyof BranchStats]: number };

function countAgents(
  table: RecordTable,
  { rows }: SessionTimes,
  { agents, joins }: Required<Pick<SessionFacts, "agents" | "joins">>,
  counts: Counts,
): void {
  const [turns, numbers, kinds] = [table.turns, table.agents, table.errorKinds]
    .map(({ values }) => values) as [Float64Array, Float64Array, Float64Array];
  const failed = (row: number): boolean => hasFailed({ errorKind: kinds[row] as number });
  const sent = new Map(rows.map((row) => [turns[row] as number, row]));
  const byAgent = Map.groupBy(rows, (row) => numbers[row] as number);
  for (const [agent, own] of byAgent) {
    if (!(agent > 0)) continue;
    counts.childrenSpawned++;
    const good = own.filter((row) => (kinds[row] as number) < 0).length;
    if (own.some(failed)) counts.childrenErrored++;
    else if (good >= (agents[agent]?.calls ?? Infinity)) counts.childrenCompleted++;
    else counts.childrenTruncated++;
  }
  for (const [call, ...from] of joins) {
    const waitedFor = from.flatMap((number) => sent.get(number) ?? []);
    const hasFailed = waitedFor.some(failed);
    if (waitedFor.length > 0) counts.parentsSuspended++;
    if (sent.has(call)) counts.parentsResumed++;
    else if (hasFailed) counts.parentsFailedDueToChildError++;
    else counts.joinsSuppressed++;
  }
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
