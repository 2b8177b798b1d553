import type { GapClass } from "../../core/session_graph/session_graph.ts";
import { GAP_CLASSES } from "../../core/session_graph/session_graph.ts";
import type { RecordTable } from "./record_table.ts";

/** How a session ended: its last turn succeeded, a turn failed, or the run ended before it did. */
export type SessionStatus = "completed" | "failed" | "cut_off";

/** A call of the critical path of a session. */
export interface PathCall {
  /** Row of the call in its table. */
  readonly row: number;
  /** Until when its time belongs to the path: its end, unless only its start was waited for. */
  readonly untilNs: number;
}

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
  /** Rows of its requests in the table, by their numbers in the session. */
  readonly rows: readonly number[];
  /** Calls of the critical path, the first one first. */
  readonly path: readonly PathCall[];
}

/**
 * Returns the sessions of a table that consist of several turns, in the order of their numbers. Calls
 * of recorded sessions may overlap: the times are those of the critical path, from the last end back
 * over the event after which each call became due.
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
  const waitedFor = table.waitedFor.values;
  return (session, rows) => {
    const gapNs = { user: 0, tool: 0, agent: 0 };
    let [modelNs, waitNs, failedCalls] = [0, 0, 0];
    const rowOf = new Map(rows.map((row) => [turns[row] as number, row]));
    const startOf = (row: number): number => starts[row] as number;
    const first = rows.reduce((a, b) => startOf(b) < startOf(a) ? b : a);
    const last = rows.reduce((a, b) => (ends[b] as number) > (ends[a] as number) ? b : a);
    for (const row of rows) {
      if ((kinds[row] as number) >= 0 && cancelled[row] === 0) failedCalls++;
    }
    const seen = new Set<number>();
    const path: PathCall[] = [];
    for (let row = last, untilNs = ends[last] as number; !seen.has(row);) {
      seen.add(row);
      const [startNs, turn] = [startOf(row), turns[row] as number];
      modelNs += untilNs - startNs;
      path.push({ row, untilNs });
      const waited = waitedFor[row] as number;
      const event = Number.isNaN(waited) ? 2 * (turn - 1) : waited;
      const before = event < 0 ? undefined : rowOf.get(event >> 1);
      const fromNs = before === undefined
        ? startOf(first)
        : event % 2 === 1
        ? startOf(before)
        : ends[before] as number;
      const dueNs = Math.min(Math.max(intended[row] as number, fromNs), startNs);
      // Before the session's first request there is nothing.
      if (row !== first) {
        gapNs[GAP_CLASSES[classes[row] as number] ?? "user"] += dueNs - fromNs;
        waitNs += startNs - dueNs;
      }
      if (before === undefined || row === first) break;
      untilNs = fromNs;
      row = before;
    }
    const plannedCalls = lengths[first] as number;
    const isWhole = rows.length === plannedCalls &&
      rows.every((row) => (kinds[row] as number) < 0);
    return {
      ...{ session, calls: rows.length, plannedCalls, failedCalls, modelNs, gapNs, waitNs, rows },
      path: path.reverse(),
      status: isWhole ? "completed" : failedCalls > 0 ? "failed" : "cut_off",
      startNs: startOf(first),
      endNs: ends[last] as number,
      firstTokenNs: (firstTokens?.[first] ?? NaN) * 1e6,
    };
  };
}
