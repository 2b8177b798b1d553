import assert from "node:assert/strict";
import { computeResults } from "../../../src/measurement/metrics/compute_results.ts";
import type { RecordTable } from "../../../src/measurement/metrics/record_table.ts";
import {
  MIN_SESSIONS,
  requestSampling,
  sessionSampling,
} from "../../../src/measurement/sampling/session_sampling.ts";
import { addRecords, recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

/** Sessions of two requests that take as many seconds as these. */
function sessionsOf(seconds: readonly number[]): RecordTable {
  return addRecords(
    recordTable(),
    seconds.flatMap((duration, session) =>
      [0, 1].map((turn) =>
        recordWith({
          ...{ session, turn, turns: 2, lateNs: 0, isBackground: 0, agent: 0, depth: 0 },
          ...{ sharedTokens: 0, promptTokens: 100, cachedTokens: 10 * turn, inputTokens: 100 },
          ...{ intendedNs: session * 1e9, startNs: session * 1e9 },
          endNs: (session + duration) * 1e9,
        })
      )
    ),
  );
}

Deno.test("sessionSampling takes the session as the unit", () => {
  const table = sessionsOf([4, 5, 6, 5, 4, 6, 5, 5]);
  const sampling = sessionSampling(table, computeResults(table, 0n), { startNs: 0, endNs: 12e9 });
  const mean = sampling.get("session_duration")?.avg;
  assert.ok(mean !== undefined);
  // Mean 5, standard error 0.267, quantile 2.365 of seven degrees of freedom.
  assert.ok(Math.abs(mean.lower - (5 - 0.632)) < 0.01, JSON.stringify(mean));
  assert.ok(Math.abs(mean.upper - (5 + 0.632)) < 0.01, JSON.stringify(mean));
  assert.deepEqual(sampling.get("session_hit_rate")?.avg, {
    ...{ lower: 5, upper: 5, verdict: "proven" },
  });
  const rate = sampling.get("sessions_per_second")?.avg;
  assert.ok(rate !== undefined && rate.lower < 8 / 12 && rate.upper > 8 / 12);
});

Deno.test("sessionSampling has intervals of hits where some sessions have no valid request", () => {
  const table = addRecords(
    sessionsOf([4, 5, 6, 5, 4, 6, 5, 5]),
    (["cut_off", "timeout"] as const).map((error, at) =>
      recordWith({ session: 8 + at, turn: 0, turns: 2, startNs: 9e9, endNs: 12e9, error })
    ),
  );
  const sampling = sessionSampling(table, computeResults(table, 0n), { startNs: 0, endNs: 12e9 });
  assert.deepEqual(sampling.get("session_hit_rate")?.avg, {
    ...{ lower: 5, upper: 5, verdict: "proven" },
  });
});

Deno.test("sessionSampling counts no sessions as not completed that the end of the run cut off", () => {
  const table = sessionsOf([4, 5, 6, 5, 4, 6]);
  addRecords(table, [
    recordWith({
      ...{ session: 6, turn: 0, turns: 2, lateNs: 0, isBackground: 0, agent: 0, depth: 0 },
      ...{ intendedNs: 6e9, startNs: 6e9, endNs: 7e9 },
    }),
  ]);
  const sampling = sessionSampling(table, computeResults(table, 0n), { startNs: 0, endNs: 12e9 });
  const { lower, upper } = sampling.get("session_completed_rate")?.avg ?? {};
  assert.deepEqual([lower, upper], [100, 100]);
});

Deno.test("sessionSampling has no intervals of few sessions", () => {
  const table = sessionsOf(new Array(MIN_SESSIONS - 1).fill(3));
  const results = computeResults(table, 0n);
  assert.ok(results.has("session_duration"));
  assert.equal(sessionSampling(table, results, { startNs: 0, endNs: 9e9 }).size, 0);
  assert.equal(requestSampling(table, [0, 1, 2, 3], results).size, 0);
});
