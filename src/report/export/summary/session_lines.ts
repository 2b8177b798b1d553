import { finiteOrNull } from "../../../core/files/finite_or_null.ts";
import type { RecordTable } from "../../../measurement/metrics/record_table.ts";
import type { SessionFacts } from "../../../measurement/metrics/session_book.ts";
import { type SessionTimes, sessionTimes } from "../../../measurement/metrics/session_times.ts";

/**
 * Yields the lines of `sessions.jsonl`: one for each session of several turns. Times are in
 * milliseconds; the parts of `critical_path` add up to `duration`.
 * @param baseEpochNs the start of the run's clock
 */
export function* sessionLines(table: RecordTable, baseEpochNs: bigint): Generator<string> {
  const turns = table.turns.values;
  for (const times of sessionTimes(table)) {
    const facts = table.sessionBook.of(times.session);
    const path = times.path.map(({ row }) => turns[row] as number);
    yield `${JSON.stringify(sessionObject(times, facts, path, baseEpochNs))}\n`;
  }
}

function sessionObject(
  times: SessionTimes,
  facts: SessionFacts | undefined,
  path: readonly number[],
  baseEpochNs: bigint,
): Record<string, unknown> {
  const { calls, failedCalls, gapNs, goodCalls, tokens } = times;
  const epochMs = (ns: number): number => Number(baseEpochNs + BigInt(Math.round(ns))) / 1e6;
  return {
    "session": times.session,
    "source_id": facts?.sourceId ?? null,
    "pass": facts?.pass ?? null,
    "salt": facts?.salt ?? null,
    "start": epochMs(times.treeStartNs),
    "end": epochMs(times.treeEndNs),
    "status": times.status,
    "start_ratio": facts?.startRatio ?? null,
    "calls": {
      "sent": calls,
      "ok": goodCalls,
      "failed": failedCalls,
      "unsent": Math.max(0, times.plannedCalls - calls),
      "primed": facts?.primed ?? null,
    },
    "agents": times.agents,
    "depth": times.depth,
    "peak_parallel": times.peakParallel,
    "duration": msOf(times.endNs - times.startNs),
    "tree_duration": msOf(times.treeEndNs - times.treeStartNs),
    "time_to_first_token": msOf(times.firstTokenNs),
    "critical_path": {
      "calls": path.map((turn) => facts?.calls?.[turn] ?? turn),
      "model": msOf(times.modelNs),
      "tool": msOf(gapNs.tool),
      "user": msOf(gapNs.user),
      "agent": msOf(gapNs.agent),
      "wait": msOf(times.waitNs),
    },
    "own_error": msOf(times.ownErrorNs),
    "tokens": {
      "input": finiteOrNull(tokens.input),
      "output": finiteOrNull(tokens.output),
      "cached_ideal": finiteOrNull(tokens.cachedIdeal),
      "cached_server": finiteOrNull(tokens.cachedServer),
    },
    "resets": times.resets,
    "diverged": finiteOrNull(times.diverged),
    "idle_cut": msOf(times.idleCutNs),
  };
}

/** Milliseconds, to the nanosecond; null if they are not known. */
function msOf(ns: number): number | null {
  return Number.isNaN(ns) ? null : Math.round(ns) / 1e6;
}
