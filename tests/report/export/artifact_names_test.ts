import assert from "node:assert/strict";
import { artifactNames } from "../../../src/report/export/artifact_names.ts";

Deno.test("artifactNames are AIPerf's", () => {
  assert.deepEqual(artifactNames(undefined), {
    json: "profile_export_aiperf.json",
    csv: "profile_export_aiperf.csv",
    records: "profile_export.jsonl",
    rawRecords: "profile_export_raw.jsonl",
    slicesJson: "profile_export_aiperf_timeslices.json",
    slicesCsv: "profile_export_aiperf_timeslices.csv",
    inputs: "inputs.json",
    console: "profile_export_console.txt",
    page: "report.html",
    conversations: "conversations.html",
    sessions: "sessions.jsonl",
  });
});

Deno.test("artifactNames begin with the prefix, each with its own ending", () => {
  const names = artifactNames("base");
  assert.deepEqual(names, {
    json: "base.json",
    csv: "base.csv",
    records: "base.jsonl",
    rawRecords: "base_raw.jsonl",
    slicesJson: "base_timeslices.json",
    slicesCsv: "base_timeslices.csv",
    inputs: "inputs.json",
    console: "base_console.txt",
    page: "base_report.html",
    conversations: "base_conversations.html",
    sessions: "base_sessions.jsonl",
  });
  assert.equal(new Set(Object.values(names)).size, Object.keys(names).length);
});
