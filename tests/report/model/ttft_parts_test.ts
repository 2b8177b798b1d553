import assert from "node:assert/strict";
import {
  joinReplied,
  joinTtft,
  type MeanTime,
  type TtftJoin,
} from "../../../src/report/model/ttft_parts.ts";

const mean = (ms: number, count = 100): MeanTime => ({ ms, count });

/** Parts by name, to a thousandth of a millisecond. */
function parts(join: TtftJoin): Readonly<Record<string, number>> {
  assert("parts" in join, JSON.stringify(join));
  return Object.fromEntries(join.parts.map(({ ms, name }) => [name, Math.round(ms * 1e3) / 1e3]));
}

const reason = (join: TtftJoin): string => "reason" in join ? join.reason : "";
const sum = (join: TtftJoin): number => Object.values(parts(join)).reduce((a, b) => a + b, 0);

Deno.test("joinTtft of one engine leaves network, queue, prefill and the engine's rest", () => {
  const unified = { ttft: mean(90), queue: mean(20), prefill: mean(65) };
  assert.deepEqual(parts(joinTtft({ client: mean(100), unified })), {
    "network_and_front": 10,
    queue: 20,
    prefill: 65,
    "engine_rest": 5,
  });
  assert.deepEqual(parts(joinTtft({ client: mean(100), front: mean(97), unified })), {
    "network_and_client": 3,
    front: 7,
    queue: 20,
    prefill: 65,
    "engine_rest": 5,
  });
  assert.deepEqual(parts(joinTtft({ client: mean(100), unified: { ttft: mean(90) } })), {
    "network_and_front": 10,
    "prefill_and_rest": 90,
  });
});

Deno.test("joinTtft of a pair whose instances work one after the other", () => {
  const join = joinTtft({
    client: mean(100),
    front: mean(98),
    prefill: { ttft: mean(60), queue: mean(5), prefill: mean(54) },
    decode: { ttft: mean(30), queue: mean(2), prefill: mean(8) },
    transfer: mean(20),
  });
  assert.equal("dispatch" in join && join.dispatch, "sequential");
  assert.deepEqual(parts(join), {
    "network_and_client": 2,
    front: 8,
    queue: 5,
    prefill: 54,
    "engine_rest": 1,
    "kv_transfer": 20,
    "decode_queue": 2,
    "first_decode_step": 8,
  });
  assert.equal(sum(join), 100);
});

Deno.test("joinTtft of a pair that is given a request at once does not add both", () => {
  const join = joinTtft({
    client: mean(103),
    front: mean(101.4),
    prefill: { ttft: mean(81.9), queue: mean(1), prefill: mean(80) },
    decode: { ttft: mean(92.4), queue: mean(80) },
  });
  assert.equal("dispatch" in join && join.dispatch, "concurrent");
  assert.deepEqual(parts(join), {
    "network_and_client": 1.6,
    front: 9,
    queue: 1,
    prefill: 80,
    "engine_rest": 0.9,
    "kv_transfer_and_first_decode_step": 10.5,
  });
  assert(Math.abs(sum(join) - 103) < 1e-9);
});

Deno.test("joinTtft takes a transfer out of a decode queue that contains it", () => {
  const join = joinTtft({
    client: mean(100),
    prefill: { ttft: mean(60) },
    decode: { ttft: mean(35), queue: mean(27) },
    transfer: mean(25),
  });
  assert.deepEqual(parts(join), {
    "network_and_front": 5,
    "prefill_and_rest": 60,
    "kv_transfer": 25,
    "decode_queue": 2,
    "first_decode_step": 8,
  });
});

Deno.test("joinTtft joins only means over the same requests", () => {
  const unified = (count: number) => ({ ttft: mean(90, count) });
  assert.match(
    reason(joinTtft({ client: mean(100), unified: unified(97) })),
    /^the engines count 97 first tokens, the client 100$/,
  );
  assert.equal(reason(joinTtft({ client: mean(100), unified: unified(102) })), "");
  assert.match(
    reason(joinTtft({ client: mean(100), front: mean(95, 50), unified: unified(100) })),
    /^the front counts 50/,
  );
  const pair = { prefill: { ttft: mean(50, 60) }, decode: { ttft: mean(20) } };
  assert.match(reason(joinTtft({ client: mean(100), ...pair })), /^the prefill instances count 60/);
});

Deno.test("joinTtft does not split where a part is negative by more than 5 %", () => {
  const unified = (ttftMs: number) => ({ ttft: mean(ttftMs), queue: mean(10), prefill: mean(80) });
  assert.equal(reason(joinTtft({ client: mean(100), unified: unified(104) })), "");
  assert.match(
    reason(joinTtft({ client: mean(100), unified: unified(106) })),
    /^network_and_front would be -6.00 ms: TTFT by client 100.0 ms, engines 106.0 ms$/,
  );
});

Deno.test("joinTtft says which side reports nothing", () => {
  assert.match(reason(joinTtft({ client: mean(1) })), /no engine reports/);
  const decode = { ttft: mean(1) };
  assert.match(reason(joinTtft({ client: mean(1), decode })), /no prefill instance reports/);
});

Deno.test("joinReplied names the rest by what replies report", () => {
  const [client, queue, prefill] = [mean(100), mean(10), mean(70)];
  assert.deepEqual(parts(joinReplied(client, { prefill })), {
    "network_and_queue": 30,
    prefill: 70,
  });
  assert.deepEqual(parts(joinReplied(client, { prefill, queue })), {
    "transfer_decode_and_front": 20,
    queue: 10,
    prefill: 70,
  });
  assert.deepEqual(parts(joinReplied(client, { prefill, queue, ttft: mean(82) })), {
    "network_and_front": 18,
    queue: 10,
    prefill: 70,
    "engine_rest": 2,
  });
  const all = { prefill, queue, ttft: mean(82) };
  assert.deepEqual(parts(joinReplied(client, all, mean(95))), {
    "network_and_client": 5,
    front: 13,
    queue: 10,
    prefill: 70,
    "engine_rest": 2,
  });
  assert.equal(parts(joinReplied(client, all, mean(95, 90)))["network_and_front"], 18);
  assert.match(reason(joinReplied(client, { prefill: mean(70, 60) })), /only 60 of 100 replies/);
  assert.match(reason(joinReplied(client, {})), /do not report prefill/);
  assert.match(reason(joinReplied(client, { prefill: mean(120) })), /replies report 120.0 ms/);
});
