import assert from "node:assert/strict";
import type { Conversation } from "../../../src/dataset/conversations/conversation.ts";
import {
  firstConversations,
  neededConversations,
} from "../../../src/dataset/conversations/first_conversations.ts";
import type { PhasePlan } from "../../../src/plan/run_plan.ts";

const phase = (changes: Partial<PhasePlan>): PhasePlan => ({
  kind: "profiling",
  load: { loop: "closed", concurrency: 1 },
  requestCount: 7,
  durationNs: Infinity,
  graceNs: Infinity,
  ...changes,
});

Deno.test("neededConversations are as many as the longest phase begins", () => {
  const needed = (phases: PhasePlan[], samplingStrategy: "sequential" | "shuffle" = "sequential") =>
    neededConversations({ phases, samplingStrategy });
  assert.equal(needed([phase({})]), 7);
  assert.equal(needed([phase({ kind: "warmup", requestCount: 9 }), phase({})]), 9);
  assert.equal(needed([phase({ sessionCount: 3 })]), 3);
  assert.equal(needed([phase({ requestCount: Infinity })]), Infinity);
  assert.equal(needed([phase({})], "shuffle"), Infinity);
  const load = {
    loop: "open",
    ratePerSecond: 0,
    isSchedule: true,
    arrivalPattern: "poisson",
    smoothness: 1,
    concurrency: Infinity,
  } as const;
  assert.equal(needed([phase({ load })]), Infinity);
});

Deno.test("firstConversations reads nothing beyond those that are needed", async () => {
  let read = 0;
  let isClosed = false;
  const source = async function* (): AsyncGenerator<Conversation> {
    try {
      for (;;) {
        read++;
        yield { id: `${read}`, turns: [] };
      }
    } finally {
      isClosed = true;
    }
  };
  const taken = await Array.fromAsync(firstConversations(source(), 3));
  assert.deepEqual([taken.length, read, isClosed], [3, 3, true]);
});
