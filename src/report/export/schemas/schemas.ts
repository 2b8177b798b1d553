import { COMPARISON_SCHEMA } from "./comparison_schema.ts";
import { EXPORTS_SCHEMA } from "./exports_schema.ts";
import { GATE_SCHEMA } from "./gate_schema.ts";
import { INPUTS_SCHEMA } from "./inputs_schema.ts";
import type { JsonSchema } from "./json_schema.ts";
import { PROFILE_JSON_SCHEMA } from "./profile_json_schema.ts";
import { RAW_RECORD_SCHEMA } from "./raw_record_schema.ts";
import { RECORD_LINE_SCHEMA } from "./record_line_schema.ts";
import { SEARCH_SCHEMA } from "./search_schema.ts";
import { SERVER_METRICS_LINE_SCHEMA, SERVER_METRICS_SCHEMA } from "./server_metrics_schema.ts";
import { SESSION_LINE_SCHEMA } from "./session_line_schema.ts";
import { SLICES_SCHEMA } from "./slices_schema.ts";
import { SWEEP_COMPARISON_SCHEMA } from "./sweep_comparison_schema.ts";
import { SWEEP_EXPORT_SCHEMA } from "./sweep_export_schema.ts";
import { SWEEP_SCHEMA } from "./sweep_schema.ts";

/**
 * JSON Schemas of the files of a run, by the files' usual names. Of a file of lines it is the schema
 * of each line.
 */
export const SCHEMAS: ReadonlyMap<string, JsonSchema> = new Map([
  ["profile_export_aiperf.json", PROFILE_JSON_SCHEMA],
  ["profile_export.jsonl", RECORD_LINE_SCHEMA],
  ["profile_export_raw.jsonl", RAW_RECORD_SCHEMA],
  ["profile_export_aiperf_timeslices.json", SLICES_SCHEMA],
  ["sessions.jsonl", SESSION_LINE_SCHEMA],
  ["inputs.json", INPUTS_SCHEMA],
  ["server_metrics_export.json", SERVER_METRICS_SCHEMA],
  ["server_metrics_export.jsonl", SERVER_METRICS_LINE_SCHEMA],
  ["gate.json", GATE_SCHEMA],
  ["exports.json", EXPORTS_SCHEMA],
  ["comparison.json", COMPARISON_SCHEMA],
  ["compare.json", SWEEP_COMPARISON_SCHEMA],
  ["search_export.json", SEARCH_SCHEMA],
  ["profile_export_aiperf_sweep.json", SWEEP_SCHEMA],
  ["sweep_export.json", SWEEP_EXPORT_SCHEMA],
]);
