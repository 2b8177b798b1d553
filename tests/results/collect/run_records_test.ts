import assert from "node:assert/strict";
import { chat } from "../../../src/client/endpoint/openai/chat.ts";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import type { RequestRecord } from "../../../src/measurement/metrics/request_record.ts";
import { RunRecords } from "../../../src/results/collect/run_records.ts";
import { recordWith } from "../../support/records.ts";

const PHASE = { startNs: 1e9, endNs: 9e9 };

Deno.test("RunRecords ends the profiling phase with the last response, however it ended", async () => {
  const plan = await resolvePlan(
    { url: ["http://127.0.0.1:1"], model: "m", streaming: true },
    { cores: 2, cliCommand: "test", findModel: () => Promise.reject(new Error("not asked")) },
  );
  const endOf = (...records: RequestRecord[]): number => {
    const run = new RunRecords(plan, chat, false);
    for (const record of records) {
      const error = record.errorKind < 0 ? undefined : "It failed";
      run.add({ record, requestId: "id", finishReason: null, error, rawReply: undefined });
    }
    return run.profilingWindow(PHASE).endNs;
  };
  const early = recordWith({ startNs: 2e9 });
  const late = recordWith({ startNs: 3e9, endNs: 6e9, error: "cut_off" });
  assert.equal(endOf(early), 2.101e9);
  assert.equal(endOf(late, early), 6e9);
  const unknown = recordWith({ startNs: NaN, endNs: NaN, error: "worker_lost" });
  assert.equal(endOf(early, unknown), 2.101e9);
  // Without a response the phase is as long as it was, and never longer.
  const warmup = recordWith({ phase: 0, startNs: 0.5e9 });
  assert.equal(endOf(), PHASE.endNs);
  assert.equal(endOf(unknown, warmup), PHASE.endNs);
  assert.equal(endOf(recordWith({ startNs: 9e9 })), PHASE.endNs);
});
