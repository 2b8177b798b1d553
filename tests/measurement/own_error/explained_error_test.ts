import assert from "node:assert/strict";
import { CANARY_KIND } from "../../../src/measurement/canary/canary_kind.ts";
import { CanaryLog } from "../../../src/measurement/canary/canary_log.ts";
import { computeResults } from "../../../src/measurement/metrics/compute_results.ts";
import { delaysByKind } from "../../../src/measurement/own_error/delays_by_kind.ts";
import { explainedError } from "../../../src/measurement/own_error/explained_error.ts";
import { addRecords, recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

const MS = 1e6;
const REQUESTS = 200;

/** Requests 10 ms apart, of which ends of the second half lay unread behind the rest, three for long. */
const table = addRecords(
  recordTable(),
  Array.from({ length: REQUESTS }, (_, i) => {
    const startNs = (1000 + 10 * i) * MS;
    const chunkNs = Float64Array.of(20, 40, 60).map((ms) => startNs + ms * MS);
    const lastPiledNs = i < REQUESTS / 2 ? 0 : (i < REQUESTS - 3 ? 30 : 42) * MS;
    return recordWith({ startNs, endNs: startNs + 60 * MS, worker: 0, chunkNs, lastPiledNs });
  }),
);

function reasonsOf(rows?: readonly number[]): readonly string[] {
  const canaries = new CanaryLog();
  for (let ms = 1000; ms < 3100; ms += 5) {
    canaries.add(0, Float64Array.of(CANARY_KIND.poisson, ms * MS, ms * MS, (ms + 0.1) * MS));
  }
  const delays = delaysByKind(canaries);
  const part = rows === undefined ? {} : { rows };
  const error = explainedError(
    { table, delays, results: computeResults(table, 0n, part), ...part },
    {
      ...{ delays, workers: 1, streams: 64, cpuCores: 0.5, cores: 2, originNs: 1000 * MS },
      window: { startNs: 1000 * MS, endNs: 3100 * MS },
    },
  );
  assert.ok(error !== undefined);
  return error.reasons.filter((text) => text.includes("faster than they were read"));
}

Deno.test("explainedError tells how long the ends of replies waited behind the rest, of a part for itself", () => {
  const [reason] = reasonsOf();
  assert.match(reason ?? "", /waited up to 42 ms \(p99\); use --workers 2/);
  assert.deepEqual(reasonsOf(Array.from({ length: REQUESTS / 2 }, (_, row) => row)), []);
});
