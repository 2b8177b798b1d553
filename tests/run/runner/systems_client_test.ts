import assert from "node:assert/strict";
import { type ExportOutcome, outcomeCounts } from "../../../src/report/model/export_outcome.ts";
import { exportLine, exportWarning } from "../../../src/run/runner/systems_client.ts";

const OTLP: ExportOutcome = {
  system: "otlp",
  place: "http://h:1/",
  sent: { messages: 1, spans: 12 },
  failed: { messages: 0, spans: 0 },
  failure: undefined,
};

Deno.test("outcomeCounts says what was taken, of how many where that is not all", () => {
  assert.equal(outcomeCounts(OTLP), "1 message, 12 spans");
  assert.equal(outcomeCounts({ ...OTLP, failed: { spans: 3 } }), "1 message, 12 of 15 spans");
  assert.equal(outcomeCounts({ ...OTLP, sent: {}, failed: { files: 1 } }), "0 of 1 file");
  assert.equal(outcomeCounts({ ...OTLP, sent: { files: 0 } }), "");
});

Deno.test("exportWarning is there only for what was not taken", () => {
  assert.equal(exportWarning(OTLP), undefined);
  assert.equal(exportLine(OTLP), "OpenTelemetry: 1 message, 12 spans -> http://h:1/");
  const failed = { ...OTLP, sent: {}, failure: "connection refused" };
  assert.equal(
    exportWarning(failed),
    "OpenTelemetry at http://h:1/ did not get everything (nothing was sent): connection refused",
  );
});
