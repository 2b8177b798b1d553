import assert from "node:assert/strict";
import type { PhasePlan } from "../../../../src/config/plan/run_plan.ts";
import type { Conversation } from "../../../../src/load/dataset/conversations/conversation.ts";
import {
  conversationUse,
  firstConversations,
} from "../../../../src/load/dataset/conversations/first_conversations.ts";

const phase = (changes: Partial<PhasePlan>): PhasePlan => ({
  kind: "profiling",
  load: { loop: "closed", concurrency: 1 },
  requestCount: 7,
  durationNs: Infinity,
  graceNs: Infinity,
  ...changes,
});

Deno.test("conversationUse gives warm-up what the measurement does not come to", () => {
  const use = (phases: PhasePlan[], samplingStrategy: "sequential" | "shuffle" = "sequential") =>
    conversationUse({ phases, samplingStrategy });
  const warmup = phase({ kind: "warmup", requestCount: 9 });
  assert.deepEqual(use([phase({})]), { measured: 7, warmup: 0 });
  assert.deepEqual(use([warmup, phase({})]), { measured: 7, warmup: 9 });
  assert.deepEqual(use([warmup, phase({ sessionCount: 3 })]), { measured: 3, warmup: 9 });
  assert.equal(use([warmup, phase({ requestCount: Infinity })]).measured, Infinity);
  assert.equal(use([warmup, phase({})], "shuffle").measured, Infinity);
  const load = {
    loop: "open",
    ratePerSecond: 0,
    isSchedule: true,
    arrivalPattern: "poisson",
    smoothness: 1,
    concurrency: Infinity,
  } as const;
  assert.equal(use([warmup, phase({ load })]).measured, Infinity);
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
