import { ANSWERS } from "./answers_definition.ts";
import { CLIENT_HEALTH, SELF_SUMMARY } from "./client_health_definition.ts";
import { END_REASON } from "./end_reason_definition.ts";
import { INPUT_CONFIG, OWN_CONFIG } from "./input_config_definition.ts";
import {
  closedObject,
  count,
  DIALECT,
  flag,
  type JsonSchema,
  text,
  textOrNull,
} from "./json_schema.ts";
import { MEASUREMENT_ERROR } from "./measurement_error_definition.ts";
import { ALWAYS_THERE, METRIC_DEFINITIONS, metricProperties } from "./metric_definitions.ts";
import { RECONCILIATION } from "./reconciliation_definition.ts";
import { ERROR_DETAILS, INCOMPLETE } from "./record_definitions.ts";
import { PER_MODEL, REQUESTS } from "./requests_definition.ts";
import { SERVER_TRUTH } from "./server_truth_definition.ts";
import { BRANCH_STATS, SESSIONS } from "./sessions_definition.ts";
import {
  DIAGNOSIS,
  EVIDENCE,
  LOAD,
  SAMPLING_ERROR,
  STEADY_STATE,
  VALIDITY,
} from "./steady_state_definition.ts";
import { SUBMISSION_FIELDS } from "./submission_definition.ts";
import { TAGS } from "./tags_definition.ts";
import { TELEMETRY_DATA } from "./telemetry_definition.ts";
import { PROFILE_SCHEMA_VERSION } from "../summary/profile_json.ts";

const ITL_DIALECTS: JsonSchema = {
  "description": "ITL by several definitions; absent without --itl-dialects",
  "type": "array",
  "items": closedObject({
    "tool": text("Whose definition it is"),
    "metric": text("Name of the metric in this tool"),
    "rule": text("The definition"),
    "unit": { "description": "Unit of all values in this object", "const": "ms" },
    "count": count("Values"),
    ...Object.fromEntries(
      ["avg", "p50", "p90", "p95", "p99", "std"].map((name) => [name, {
        "description": `${name} of the values`,
        "type": "number",
      }]),
    ),
  }),
};

const TOKEN_ORIGIN: JsonSchema = {
  "description":
    "usage: the server's counts in replies; tokenizer: the client's; both where only some replies " +
    "hold usage",
  "enum": ["usage", "tokenizer", "usage and tokenizer"],
};

const TOKEN_SOURCE: JsonSchema = {
  ...closedObject({ "input": TOKEN_ORIGIN, "output": TOKEN_ORIGIN }),
  "description": "Source of token counts of prompts (ISL) and outputs (OSL, throughput, ITL)",
};

const TIME: JsonSchema = {
  "type": "string",
  "pattern": "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z$",
};

/** `profile_export_aiperf.json` */
export const PROFILE_JSON_SCHEMA: JsonSchema = {
  "$schema": DIALECT,
  "$id": `urn:inferometer:profile_export_aiperf.json:${PROFILE_SCHEMA_VERSION}`,
  "title": "profile_export_aiperf.json",
  "description":
    "Summary of a run. Metrics are top-level keys, named by their tags; metrics without a " +
    "value are absent.",
  "type": "object",
  "properties": {
    "schema_version": {
      "description": "Version of this layout",
      "const": PROFILE_SCHEMA_VERSION,
    },
    "aiperf_version": {
      "description": "The program that wrote the file; the key is the one that readers know",
      "type": "string",
      "pattern": "^inferometer/\\d",
    },
    "benchmark_id": {
      "description": "Names the run",
      "type": "string",
      "pattern": "^[0-9a-f]{12}$",
    },
    ...metricProperties(),
    "input_config": { "$ref": "#/$defs/input_config" },
    "run_info": {
      "description": "How the run was started",
      ...closedObject({
        "benchmark_id": text("Equal to benchmark_id of the run"),
        "random_seed": count("Repeats prompts, lengths and arrivals"),
        "trial": count("Number of the trial, where a run is repeated"),
        "cli_command": text("The command line, secrets replaced"),
      }),
    },
    "was_cancelled": flag("The run was interrupted; its results are partial"),
    ...SUBMISSION_FIELDS,
    "priming": {
      "description":
        "Calls that filled the caches before the measurement or before sessions were entered; " +
        "they are in no other value. Absent if there were none",
      ...closedObject({ "sent": count("Calls sent"), "failed": count("Calls that failed") }),
    },
    "is_complete": flag("Whether all planned requests were sent and completed"),
    "incomplete": INCOMPLETE,
    "error_summary": {
      "description": "Failures of the profiling phase in groups, the largest first",
      "type": "array",
      "items": closedObject({
        "error_details": { "$ref": "#/$defs/error_details" },
        "count": {
          "description": "Requests that failed in this way",
          "type": "integer",
          "minimum": 1,
        },
      }),
    },
    "start_time": { "description": "Start of the profiling phase, UTC", ...TIME },
    "end_time": { "description": "End of the profiling phase, UTC", ...TIME },
    "warmup_metrics": {
      "description": "The metrics of the warm-up phase; absent if there was none",
      "type": "object",
      "properties": metricProperties(),
      "additionalProperties": { "$ref": "#/$defs/metric" },
    },
    "telemetry_data": TELEMETRY_DATA,
    "itl_dialects": ITL_DIALECTS,
    "requests": REQUESTS,
    "sessions": SESSIONS,
    "branch_stats": BRANCH_STATS,
    "per_model": PER_MODEL,
    "ended_early": textOrNull(
      "Why the run ended early, as a sentence; null if it completed or was interrupted",
    ),
    "ended_early_reason": END_REASON,
    "client_health": CLIENT_HEALTH,
    "measurement_error": MEASUREMENT_ERROR,
    "sampling_error": SAMPLING_ERROR,
    "steady_state": STEADY_STATE,
    "validity": VALIDITY,
    "load": LOAD,
    "diagnosis": DIAGNOSIS,
    "evidence": EVIDENCE,
    "server_reconciliation": RECONCILIATION,
    "server_truth": SERVER_TRUTH,
    "answers": ANSWERS,
    "tokenizer": text("Tokenizer of the client"),
    "token_source": TOKEN_SOURCE,
    "inferometer": OWN_CONFIG,
    "tags": TAGS,
    "server_info": {
      "description":
        "Versions and configurations that the servers report, and the labels of their " +
        "*_info metrics",
      "type": "array",
      "minItems": 1,
      "items": closedObject({
        "url": text("URL of the server"),
        "facts": {
          "description": "Version, configuration and models by names; secrets replaced",
          "type": "object",
          "additionalProperties": { "type": "string" },
        },
        "asked": {
          "description": "Requested paths, and the result of each",
          "type": "object",
          "additionalProperties": { "type": "string" },
        },
      }),
    },
    "notes": {
      "description": "Notes that change how the results are read",
      "type": "array",
      "items": { "type": "string" },
    },
  },
  "required": [
    "schema_version",
    "aiperf_version",
    "benchmark_id",
    ...ALWAYS_THERE,
    "input_config",
    "run_info",
    "was_cancelled",
    "is_complete",
    "error_summary",
    "start_time",
    "end_time",
    "requests",
    "ended_early",
    "ended_early_reason",
    "client_health",
    "server_reconciliation",
    "tokenizer",
    "inferometer",
    "notes",
  ],
  "additionalProperties": { "$ref": "#/$defs/metric" },
  "$defs": {
    ...METRIC_DEFINITIONS,
    "self_summary": SELF_SUMMARY,
    "error_details": ERROR_DETAILS,
    "input_config": INPUT_CONFIG,
  },
};
