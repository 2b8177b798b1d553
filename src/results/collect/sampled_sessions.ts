import { type SampledSession, sessionKey } from "../../measurement/compare/sampled_session.ts";
import type { RecordTable } from "../../measurement/metrics/record_table.ts";
import { sessionTimes } from "../../measurement/metrics/session_times.ts";

/** Completed sessions of a run, as comparisons pair them. */
export function sampledSessions(table: RecordTable): SampledSession[] {
  return sessionTimes(table).filter(({ status }) => status === "completed").map((session) => {
    const { startNs, endNs, tokens: { cachedServer, prompted } } = session;
    const facts = table.sessionBook.of(session.session);
    return {
      key: sessionKey(facts?.sourceId, facts?.pass, facts?.startRatio),
      durationSeconds: (endNs - startNs) / 1e9,
      hitPct: cachedServer / prompted * 100,
    };
  });
}
