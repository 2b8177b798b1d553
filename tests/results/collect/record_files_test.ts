import assert from "node:assert/strict";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import { PayloadTableBuilder } from "../../../src/load/dataset/payloads/payload_table_builder.ts";
import { RECORD_METRICS } from "../../../src/measurement/metrics/record_metrics.ts";
import { ExportError } from "../../../src/report/export/export_error.ts";
import type { FileSink } from "../../../src/report/export/file_sink.ts";
import { RecordFiles } from "../../../src/results/collect/record_files.ts";
import { recordWith } from "../../support/records.ts";
import { BASE_EPOCH_NS } from "../../support/reports.ts";

/** A sink that counts the lines of each file, and has no room for those of one of them. */
function sinkWithoutRoom(full: string, lines: Map<string, number>): FileSink {
  return {
    write: () => Promise.resolve(),
    openLines: (name) => ({
      append(pieces) {
        if (name === full) throw new ExportError(name, new Error("os error 28"));
        const breaks = [...pieces].flatMap((piece) => [...piece]).filter((byte) => byte === 10);
        lines.set(name, (lines.get(name) ?? 0) + breaks.length);
      },
      close() {},
    }),
  };
}

Deno.test("RecordFiles goes on with one file when there is no room for the other", async () => {
  const plan = await resolvePlan(
    { url: ["http://127.0.0.1:1"], model: "m", exportLevel: "raw" },
    { cores: 2, cliCommand: "test", findModel: () => Promise.reject(new Error("not asked")) },
  );
  const builder = new PayloadTableBuilder();
  const body = builder.addSegment(new TextEncoder().encode("{}"));
  builder.addEntry([body], { inputTokens: 1, outputTokens: 1, images: 0 });
  const record = recordWith();
  const values = Float64Array.from(RECORD_METRICS, (metric) => metric.value(record));
  const names = ["profile_export.jsonl", "profile_export_raw.jsonl"] as const;
  for (const [full, other] of [names, [names[1], names[0]]] as const) {
    const lines = new Map<string, number>();
    const failures: string[] = [];
    const files = new RecordFiles(plan, sinkWithoutRoom(full, lines), {
      baseEpochNs: BASE_EPOCH_NS,
      payloads: builder.finish(0),
      metrics: RECORD_METRICS,
      objectives: [],
      blockTokens: 16,
      redact: (text) => text,
      onFailure: (message) => failures.push(message),
    });
    for (let count = 0; count < 3; count++) {
      files.add(
        { record, requestId: "id", finishReason: null, error: undefined, rawReply: undefined },
        values,
      );
      files.flush();
    }
    const message = `Cannot write ${full}: No space left on the device`;
    assert.equal(files.close(), message);
    assert.deepEqual(failures, [message]);
    assert.deepEqual([...lines], [[other, 3]]);
  }
});
