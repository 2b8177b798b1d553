import assert from "node:assert/strict";
import { RecordBlockBuilder } from "../../../src/client/record/record_block.ts";
import { FIELD_COUNT, RECORD_FIELDS } from "../../../src/client/record/request_fields.ts";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import { PayloadTableBuilder } from "../../../src/load/dataset/payloads/payload_table_builder.ts";
import type { RecordMessage } from "../../../src/load/worker/messages.ts";
import type { FileSink } from "../../../src/report/export/file_sink.ts";
import type { FromResultsWorker } from "../../../src/results/collect/messages.ts";
import { RunResults } from "../../../src/results/collect/run_results.ts";
import { recordWith } from "../../support/records.ts";
import { BASE_EPOCH_NS } from "../../support/reports.ts";

const NOWHERE: FileSink = {
  write: () => Promise.resolve(),
  openLines: () => ({ append() {}, close() {} }),
};

/** A block with one valid request of the profiling phase. */
function blockOfOne(): RecordMessage {
  const record = recordWith({ session: 0, turn: 0, turns: 1 });
  const builder = new RecordBlockBuilder();
  const nothing = new Uint8Array();
  const row = Float64Array.from(RECORD_FIELDS.slice(0, FIELD_COUNT), (name) => record[name]);
  builder.add(row, record.chunkNs, {
    requestId: "id",
    correlationId: undefined,
    finishReason: "stop",
    error: undefined,
    text: new TextEncoder().encode("said"),
    reasoning: nothing,
    toolText: nothing,
    rawReply: undefined,
  });
  return { type: "records", block: builder.take().block };
}

/** Results of a run of one request, which has come before its phase's beginning was told. */
async function resultsOfOne(): Promise<{ results: RunResults; told: FromResultsWorker[] }> {
  const plan = await resolvePlan(
    { url: ["http://127.0.0.1:1"], model: "m", streaming: true, noRecords: true },
    { cores: 2, cliCommand: "test", findModel: () => Promise.reject(new Error("not asked")) },
  );
  const payloads = new PayloadTableBuilder();
  const body = payloads.addSegment(new TextEncoder().encode("{}"));
  payloads.addEntry([body], { inputTokens: 10, outputTokens: 5, images: 0 });
  const port: Pick<MessagePort, "onmessage"> = { onmessage: null };
  const hear = (data: RecordMessage): void =>
    port.onmessage?.call(port as MessagePort, new MessageEvent("message", { data }));
  const told: FromResultsWorker[] = [];
  const stored = Promise.withResolvers<void>();
  const results = await RunResults.create(
    {
      type: "init",
      plan,
      payloads: payloads.finish(0).data,
      tokenizer: { kind: "server" },
      records: [port as MessagePort],
      scrapes: undefined,
      gpuScrapes: undefined,
      machine: { hostname: "", os: "", arch: "", cores: 2, runtime: "", engine: "" },
      threads: [],
      baseEpochNs: BASE_EPOCH_NS,
      isWatched: true,
    },
    NOWHERE,
    (message) => {
      told.push(message);
      if (message.type === "phaseStored") stored.resolve();
    },
  );
  hear(blockOfOne());
  hear({ type: "phaseEnd" });
  // Whatever is done with the block at once is over when this comes.
  await new Promise((resolve) => setTimeout(resolve, 0));
  results.beginPhase("profiling", 0, undefined);
  results.endPhase({ type: "phaseOver", phase: "profiling", claimed: 1, lost: [], endNs: 9e9 });
  await stored.promise;
  return { results, told };
}

Deno.test({
  name: "RunResults counts records for those who watch that came before their phase's beginning",
  sanitizeOps: true,
  sanitizeResources: true,
  fn: async () => {
    const { results, told } = await resultsOfOne();
    const progress = told.flatMap((message) =>
      message.type === "progress" ? [message.progress] : []
    );
    assert.equal(progress.at(-1)?.live?.valid, 1);
    // Nothing of them is left on a thread that goes on: the test runner looks for timers.
    await results.discard();
  },
});

Deno.test({
  name: "RunResults of a run that is over leave nothing on a thread that goes on",
  sanitizeOps: true,
  sanitizeResources: true,
  fn: async () => {
    const { results, told } = await resultsOfOne();
    await results.finish({
      type: "finish",
      summary: {
        ...{ wasCancelled: false, isComplete: true, startNs: 0, endNs: 9e9, sent: 1 },
        ...{ unsentArrivals: 0, loopLagMs: [], cpuCores: 0.5, notes: [] },
      },
      scrapesComplete: true,
      gpuScrapesComplete: true,
      screen: undefined,
    });
    const done = told.at(-1);
    assert.ok(done?.type === "done");
    assert.deepEqual([done.written.failure, done.written.report.requests.succeeded], [
      undefined,
      1,
    ]);
  },
});
