import assert from "node:assert/strict";
import { type TimeEvidence, timeParts } from "../../../src/report/model/time_parts.ts";

const STREAMED: TimeEvidence = { latencyMs: 1000, ttftMs: 400, decodeMs: 600 };

const shown = (evidence: TimeEvidence) =>
  timeParts(evidence).map(({ ms, name, share }) => [name, ms, share]);

Deno.test("timeParts splits TTFT by what the server reports, and adds up to the latency", () => {
  assert.deepEqual(shown(STREAMED), [["decode", 600, 0.6], ["TTFT", 400, 0.4]]);
  assert.deepEqual(shown({ ...STREAMED, queueMs: 300 }), [
    ["decode", 600, 0.6],
    ["queue", 300, 0.3],
    ["prefill and network", 100, 0.1],
  ]);
  const all = timeParts({ ...STREAMED, queueMs: 300, prefillMs: 90 });
  assert.deepEqual(all.map(({ name }) => name), [
    "decode",
    "queue",
    "prefill",
    "engine and network",
  ]);
  assert.equal(all.reduce((sum, { ms }) => sum + ms, 0), 1000);
});

Deno.test("timeParts never makes a part negative where both clocks saw other requests", () => {
  const parts = timeParts({ ...STREAMED, queueMs: 390, prefillMs: 30 });
  assert.equal(parts.find(({ name }) => name === "engine and network")?.ms, 0);
});

Deno.test("timeParts says nothing of requests without streams", () => {
  assert.deepEqual(timeParts({ latencyMs: 1000 }), []);
});

Deno.test("timeParts shows the parts that were joined, and nothing less than zero", () => {
  const ttftParts = { "network_and_client": -2, front: 12, queue: 90, "kv_transfer": 300 };
  const parts = timeParts({ ...STREAMED, queueMs: 999, ttftParts });
  assert.deepEqual(parts.map(({ name, ms }) => [name, ms]), [
    ["decode", 600],
    ["KV transfer", 300],
    ["queue", 90],
    ["front", 12],
    ["network", 0],
  ]);
  const rest = (others: Readonly<Record<string, number>>) =>
    timeParts({ ...STREAMED, ttftParts: { "network_and_front": 90, ...others } })
      .find(({ source }) => source === "client TTFT minus the server's parts")?.name;
  assert.equal(rest({ "kv_transfer": 9 }), "network and front", "the proxy of a pair");
  assert.equal(rest({ "engine_rest": 9 }), "network");
  assert.equal(rest({ queue: 9, prefill: 9 }), "engine and network", "as replies report it");
});

Deno.test("timeParts of a pair that was not joined calls the rest no network", () => {
  const parts = timeParts({ ...STREAMED, isPair: true, queueMs: 100, prefillMs: 200 });
  assert.deepEqual(parts.map(({ name }) => name), [
    ...["decode", "prefill", "queue", "transfer and network"],
  ]);
});
