import type { RecordTable } from "../../../measurement/metrics/record_table.ts";
import { type SessionTimes, sessionTimes } from "../../../measurement/metrics/session_times.ts";

/**
 * Yields the lines of `sessions.jsonl`: one for each session of several turns. Times are in
 * nanoseconds, the parts of `critical_path` add up to `duration_ns`.
 * @param baseEpochNs the start of the run's clock
 */
export function* sessionLines(table: RecordTable, baseEpochNs: bigint): Generator<string> {
  const tokensOf = sessionTokens(table);
  for (const session of sessionTimes(table)) {
    yield `${JSON.stringify(sessionObject(session, baseEpochNs, tokensOf))}\n`;
  }
}

/** Tokens of the requests of a session; null where nothing counts them. */
type Tokens = Readonly<Record<"input" | "output" | "cached_server", number | null>>;

function sessionObject(
  times: SessionTimes,
  baseEpochNs: bigint,
  tokensOf: (session: number) => Tokens,
): Record<string, unknown> {
  const { session, status, startNs, endNs, calls, plannedCalls, failedCalls } = times;
  const { modelNs, gapNs, waitNs, firstTokenNs } = times;
  return {
    "session": session,
    "status": status,
    "start_ns": Number(baseEpochNs + BigInt(Math.round(startNs))),
    "end_ns": Number(baseEpochNs + BigInt(Math.round(endNs))),
    "duration_ns": Math.round(endNs - startNs),
    "calls": {
      "sent": calls,
      "ok": calls - failedCalls,
      "failed": failedCalls,
      "unsent": plannedCalls - calls,
    },
    "critical_path": {
      "model_ns": modelNs,
      "tool_ns": gapNs.tool,
      "user_ns": gapNs.user,
      "agent_ns": gapNs.agent,
      "wait_ns": waitNs,
    },
    "time_to_first_token_ns": Number.isNaN(firstTokenNs) ? null : Math.round(firstTokenNs),
    "tokens": tokensOf(session),
  };
}

function sessionTokens(table: RecordTable): (session: number) => Tokens {
  const sumsOf = (tag: Parameters<RecordTable["column"]>[0]): ReadonlyMap<number, number> => {
    const sums = new Map<number, number>();
    const column = table.column(tag);
    column?.forEach((value, row) => {
      const session = table.sessions.values[row] as number;
      if (!Number.isNaN(value)) sums.set(session, (sums.get(session) ?? 0) + value);
    });
    return sums;
  };
  const input = sumsOf("input_sequence_length");
  const output = sumsOf("output_sequence_length");
  const cached = sumsOf("usage_prompt_cache_read_tokens");
  return (session) => ({
    "input": input.get(session) ?? null,
    "output": output.get(session) ?? null,
    "cached_server": cached.get(session) ?? null,
  });
}
