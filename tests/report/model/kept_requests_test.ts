import assert from "node:assert/strict";
import type { FullRecord } from "../../../src/measurement/metrics/full_record.ts";
import {
  type KeptRequest,
  KeptRequests,
  MAX_KEPT_REQUESTS,
} from "../../../src/report/model/kept_requests.ts";
import { recordWith } from "../../support/records.ts";

function fullRecord(index: number, failed = false, latencyMs = 100): FullRecord {
  const startNs = 1e9 + index * 1e6;
  const chunkNs = Float64Array.of(startNs + 50e6, startNs + latencyMs * 1e6);
  return {
    record: recordWith({
      ...{ index, startNs, chunkNs, endNs: startNs + latencyMs * 1e6 },
      ...(failed ? { error: "http_status" as const, status: 503 } : {}),
    }),
    requestId: `id${index}`,
    finishReason: null,
    error: failed ? "HTTP 503 Service Unavailable: busy" : undefined,
    rawReply: undefined,
  };
}

function kept(records: readonly FullRecord[]): KeptRequest[] {
  const requests = new KeptRequests();
  for (const record of records) requests.add(record);
  return requests.all;
}

Deno.test("KeptRequests keeps everything of a small run, in the order of the starts", () => {
  const records = Array.from({ length: 50 }, (_, index) => fullRecord(index, index % 7 === 0));
  const all = kept(records.toReversed());
  assert.deepEqual(all.map(({ index }) => index), records.map((_, index) => index));
  assert.deepEqual(all[0]?.error, { kind: "http_status", status: 503, message: "busy" });
  assert.equal(all[1]?.error, undefined);
  assert.equal(all[1]?.requestId, "id1");
  assert.equal(all[1]?.ttftNs, 50e6);
});

Deno.test("KeptRequests keeps all failures, the slowest and a fair sample of a large run", () => {
  const isFailed = (index: number) => index % 100 === 3;
  const isSlow = (index: number) => index % 250 === 100;
  const records = Array.from(
    { length: 40_000 },
    (_, index) => fullRecord(index, isFailed(index), isSlow(index) ? 900 : 100),
  );
  const all = kept(records);
  assert.equal(all.length, MAX_KEPT_REQUESTS);
  assert.equal(all.filter(({ index }) => isFailed(index)).length, 400);
  assert.equal(all.filter(({ index }) => isSlow(index)).length, 160);
  // The others come from everywhere, about evenly.
  const others = all.filter(({ index }) => !isFailed(index) && !isSlow(index));
  for (let part = 0; part < 4; part++) {
    const share = others.filter(({ index }) => Math.floor(index / 10_000) === part).length /
      others.length;
    assert.ok(share > 0.2 && share < 0.3, `${share}`);
  }
  const shuffled = [...records].sort((a, b) =>
    (a.record.index * 7919) % 40_009 - (b.record.index * 7919) % 40_009
  );
  assert.deepEqual(kept(shuffled), all, "whatever the order");
});

Deno.test("KeptRequests keeps at most its number of requests when most of them fail", () => {
  const records = Array.from({ length: 5000 }, (_, index) => fullRecord(index, index % 10 !== 0));
  const all = kept(records);
  assert.equal(all.length, MAX_KEPT_REQUESTS);
  assert.ok(all.filter(({ error }) => error !== undefined).length >= 1500);
});

Deno.test("KeptRequests keeps some of the times of a long reply, its first and its last among them", () => {
  const chunkNs = Float64Array.from({ length: 5000 }, (_, i) => 1e9 + i * 1e6);
  const [request] = kept([{
    record: recordWith({ chunkNs }),
    ...{ requestId: "", finishReason: null, error: undefined, rawReply: undefined },
  }]);
  assert.equal(request?.chunks, 5000);
  assert.ok((request?.chunkNs.length ?? 0) <= 40);
  assert.deepEqual([request?.chunkNs[0], request?.chunkNs.at(-1)], [1e9, 1e9 + 4999e6]);
});
