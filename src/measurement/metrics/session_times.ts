import type { GapClass } from "../../core/session_graph/session_graph.ts";
import { GAP_CLASSES } from "../../core/session_graph/session_graph.ts";
import type { RecordTable } from "./record_table.ts";

/** How a session ended: its last turn succeeded, a turn failed, or the run ended before it did. */
export type SessionStatus = "completed" | "failed" | "cut_off";

/** Where the time of a session went. Model, gaps and wait add up to the duration. */
export interface SessionTimes {
  /** Number of the session within the phase. */
  readonly session: number;
  readonly status: SessionStatus;
  /** Requests that were sent, and turns that were planned. */
  readonly calls: number;
  readonly plannedCalls: number;
  readonly failedCalls: number;
  readonly startNs: number;
  readonly endNs: number;
  /** Nanoseconds in requests. */
  readonly modelNs: number;
  /** Nanoseconds between requests in which a user, a tool or an agent worked. */
  readonly gapNs: Readonly<Record<GapClass, number>>;
  /** Nanoseconds from when requests were due until they were sent. */
  readonly waitNs: number;
  /** Nanoseconds from the start to the first token of the first call; NaN if there is none. */
  readonly firstTokenNs: number;
}

/**
 * Returns the sessions of a table that consist of several turns, in the order of their numbers. Turns
 * of one session never overlap, so that its critical path has all of them.
 */
export function sessionTimes(table: RecordTable): SessionTimes[] {
  if (!table.hasTurns) return [];
  const sessions = table.sessions.values;
  const turns = table.turns.values;
  const rowsOf = new Map<number, number[]>();
  for (let row = 0; row < table.length; row++) {
    // A dead thread leaves open which turn a request was.
    if (Number.isNaN(turns[row])) continue;
    const session = sessions[row] as number;
    const rows = rowsOf.get(session);
    if (rows === undefined) rowsOf.set(session, [row]);
    else rows.push(row);
  }
  const timed = timesOf(table);
  return [...rowsOf].sort(([a], [b]) => a - b).map(([session, rows]) =>
    timed(session, rows.sort((a, b) => (turns[a] as number) - (turns[b] as number)))
  );
}

function timesOf(table: RecordTable): (session: number, rows: readonly number[]) => SessionTimes {
  const [starts, ends] = [table.allStartNs.values, table.allEndNs.values];
  const [intended, classes] = [table.intendedNs.values, table.gapClasses.values];
  const [kinds, lengths] = [table.errorKinds.values, table.sessionTurns.values];
  const [turns, firstTokens] = [table.turns.values, table.column("time_to_first_token")];
  const cancelled = table.counts("cancelled");
  return (session, rows) => {
    const [first, last] = [rows[0] as number, rows.at(-1) as number];
    const gapNs = { user: 0, tool: 0, agent: 0 };
    let [modelNs, waitNs, failedCalls] = [0, 0, 0];
    rows.forEach((row, at) => {
      const [startNs, endNs] = [starts[row] as number, ends[row] as number];
      modelNs += endNs - startNs;
      if ((kinds[row] as number) >= 0 && cancelled[row] === 0) failedCalls++;
      if (at === 0) return;
      const beforeNs = ends[rows[at - 1] as number] as number;
      const dueNs = Math.min(Math.max(intended[row] as number, beforeNs), startNs);
      gapNs[GAP_CLASSES[classes[row] as number] ?? "user"] += dueNs - beforeNs;
      waitNs += startNs - dueNs;
    });
    const plannedCalls = lengths[first] as number;
    const isWhole = turns[last] === plannedCalls - 1 && (kinds[last] as number) < 0 &&
      rows.length === plannedCalls;
    return {
      ...{ session, calls: rows.length, plannedCalls, failedCalls, modelNs, gapNs, waitNs },
      status: isWhole ? "completed" : failedCalls > 0 ? "failed" : "cut_off",
      startNs: starts[first] as number,
      endNs: ends[last] as number,
      firstTokenNs: (firstTokens?.[first] ?? NaN) * 1e6,
    };
  };
}
