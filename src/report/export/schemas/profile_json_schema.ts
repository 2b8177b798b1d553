import { SUBMISSION_REASONS } from "../../../core/run_end/submission_reason.ts";
import { END_REASON } from "./end_reason_definition.ts";
import { TELEMETRY_DATA } from "./telemetry_definition.ts";
import { PROFILE_SCHEMA_VERSION } from "../summary/profile_json.ts";
import { TAGS } from "./tags_definition.ts";
import { INPUT_CONFIG, OWN_CONFIG } from "./input_config_definition.ts";
import {
  bounds,
  closedObject,
  count,
  DIALECT,
  flag,
  type JsonSchema,
  numberOrNull,
  text,
} from "./json_schema.ts";
import { MEASUREMENT_ERROR } from "./measurement_error_definition.ts";
import { ALWAYS_THERE, METRIC_DEFINITIONS, metricProperties } from "./metric_definitions.ts";
import { ERROR_DETAILS, INCOMPLETE } from "./record_definitions.ts";
import { ANSWERS } from "./answers_definition.ts";
import { SERVER_TRUTH } from "./server_truth_definition.ts";
import {
  DIAGNOSIS,
  EVIDENCE,
  LOAD,
  SAMPLING_ERROR,
  STEADY_STATE,
  VALIDITY,
} from "./steady_state_definition.ts";

/** Statistics that the client gives of itself; only the count is there if there was nothing. */
const SELF_SUMMARY: JsonSchema = {
  "description": "Statistics in milliseconds; only the count if there is no sample",
  ...closedObject({
    "count": count("Number of samples"),
    ...Object.fromEntries(
      ["avg", "min", "max", "p50", "p90", "p95", "p99", "std"].map((name) => [name, {
        "description": `${name}; milliseconds`,
        "type": "number",
      }]),
    ),
  }, ["avg", "min", "max", "p50", "p90", "p95", "p99", "std"]),
  "if": { "properties": { "count": { "const": 0 } } },
  "then": { "maxProperties": 1 },
  "else": { "minProperties": 9 },
};

const CLIENT_HEALTH: JsonSchema = {
  "description": "Whether the client itself could have distorted the result",
  ...closedObject({
    "ok": flag("None of the problems was found"),
    "problems": {
      "description": "A sentence for each problem, with its numbers",
      "type": "array",
      "items": { "type": "string" },
    },
    "loop_lag_ms": {
      "description": "Of each load worker: how long a ready event waits; milliseconds",
      "type": "array",
      "items": { "$ref": "#/$defs/self_summary" },
    },
    "send_slip_ms": {
      "description": "Actual start after intended start, waiting for a slot excluded; milliseconds",
      "$ref": "#/$defs/self_summary",
    },
    "queue_wait_ms": {
      "description": "Waiting of arrivals for a free slot; milliseconds",
      "$ref": "#/$defs/self_summary",
    },
    "coalesced_chunk_share": {
      "description": "Share of content chunks that came with the same read as the one before",
      "type": "number",
      "minimum": 0,
      "maximum": 1,
    },
    "cpu_cores_used": {
      "description": "CPU time of the process over the profiling phase; cores",
      "type": "number",
      "minimum": 0,
    },
    "cpu_cores": { "description": "Cores of the machine", "type": "integer", "minimum": 1 },
    "stalls": {
      "description": "Stalls of the whole process",
      "type": "array",
      "items": closedObject({
        "start_seconds": {
          "description": "From the start of the profiling phase; seconds",
          "type": "number",
        },
        "seconds": { "description": "How long; seconds", "type": "number", "exclusiveMinimum": 0 },
      }),
    },
  }, ["queue_wait_ms", "cpu_cores_used"]),
  "if": { "properties": { "ok": { "const": true } } },
  "then": { "properties": { "problems": { "maxItems": 0 } } },
  "else": { "properties": { "problems": { "minItems": 1 } } },
};

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

const REQUESTS: JsonSchema = {
  "description": "Outcomes of the requests of the profiling phase",
  ...closedObject({
    "sent": count("Requests that were started"),
    "succeeded": count("Valid replies"),
    "failed": count("Failures of every kind, requests cut off at the end included"),
    "cancelled": count("Requests in flight when the run was interrupted, or ended early"),
    "cancelled_on_purpose": count(
      "Requests ended by --request-cancellation-rate; neither successes nor failures",
    ),
    "rate_limit_replies": count("Replies of 429 that were waited for with --on-429 wait"),
    "rate_limit_seconds": {
      "description": "How long requests waited after these, all together; seconds",
      "type": "number",
      "minimum": 0,
    },
    "unsent_arrivals": count("Arrivals that found no slot before the end"),
    "retried": count("Requests sent twice because a pooled connection had been closed"),
  }),
};

/** Results of the requests of agents, by a key. */
function agentsBy(key: "depth" | "kind", schema: JsonSchema): JsonSchema {
  return {
    "description":
      `Requests by ${key} of their agent, over all sessions; empty with one agent each`,
    "type": "array",
    "items": closedObject({
      [key]: schema,
      "succeeded": count("Valid replies"),
      "failed": count("Failed requests"),
      "hit_rate": numberOrNull("Cached tokens of the prompt tokens by usage; %"),
      "metrics": {
        "description": "Metrics of the valid requests; those without a value are absent",
        "type": "object",
        "additionalProperties": { "$ref": "#/$defs/metric" },
      },
      "sampling_error": SAMPLING_ERROR,
    }),
  };
}

const SESSIONS: JsonSchema = {
  "description": "Sessions of the profiling phase; absent where each was one request",
  ...closedObject({
    "started": count("Sessions whose first turn was sent"),
    "completed": count("Sessions whose last turn succeeded"),
    "failed": count("Sessions that ended with a turn that failed"),
    "cut_off": count("Sessions that the end of the run cut off"),
    "entered_in_middle": count("Sessions that were entered in the middle of their recorded time"),
    "whole": count("Completed sessions from their beginning, whose durations are reported"),
    "unsent_turns": count("Turns that were not sent because their session had ended"),
    "peak_parallel": count("Largest number of requests of one session in flight"),
    "resets": count("Requests that did not continue the prompt before them"),
    "critical_path": {
      "description": "Percentages of the critical paths of whole sessions; null without any",
      ...closedObject({
        "model": numberOrNull("In requests; %"),
        "tool": numberOrNull("In gaps in which tools work; %"),
        "user": numberOrNull("In gaps in which a user works; %"),
        "agent": numberOrNull("In gaps in which agents are started; %"),
        "wait": numberOrNull("Due and not sent; %"),
      }),
    },
    "tokens": {
      "description": "Tokens of all sessions; null where nothing counts them",
      ...closedObject({
        "input": numberOrNull("Input tokens of valid requests"),
        "output": numberOrNull("Output tokens"),
        "cached_ideal": numberOrNull("Whole blocks that earlier requests of each session had"),
        "cached_server": numberOrNull("Cached tokens by the usage in replies"),
      }),
    },
    "theoretical_prefix_cache_hit": numberOrNull(
      "Whole blocks of prompts that earlier requests of each session had, by AIPerf's formula; %",
    ),
    "branch_stats": {
      "description": "Counts of subagents by AIPerf's names; absent for lists of turns",
      ...closedObject({
        "children_spawned": count("Agents below the first that sent requests"),
        "children_completed": count("Those whose requests all succeeded"),
        "children_errored": count("Those of which a request failed"),
        "children_truncated": count("Those that ended before all their requests were sent"),
        "parents_suspended": count("Requests that waited for other agents"),
        "parents_resumed": count("Those of them that were sent"),
        "parents_failed_due_to_child_error": count(
          "Requests that were not sent because an agent that they waited for failed",
        ),
        "joins_suppressed": count("Requests after other agents that were not sent otherwise"),
        "graphs_admitted": count("Sessions that began"),
        "graphs_completed_to_end": count("Sessions that were completed"),
      }),
    },
    "no_intervals": {
      "description": "Why sampling_error has no session metrics; null if it has",
      "type": ["string", "null"],
    },
    "depths": agentsBy("depth", count("Levels of agents above them")),
    "kinds": agentsBy("kind", text("Kind of the agents: main, or the type of a subagent")),
    "turns": {
      "description": "Results of the first 100 turns, each over all sessions",
      "type": "array",
      "items": closedObject({
        "turn": count("Place in the session, from 1"),
        "succeeded": count("Valid replies"),
        "failed": count("Failed requests"),
        "metrics": {
          "description": "Metrics of the turn's valid requests; those without a value are absent",
          "type": "object",
          "additionalProperties": { "$ref": "#/$defs/metric" },
        },
      }),
    },
  }, ["branch_stats"]),
};

const PER_MODEL: JsonSchema = {
  "description": "Outcomes of the requests to each model; absent for a single model",
  "type": "array",
  "items": closedObject({
    "model": text("Its name"),
    "succeeded": count("Valid replies"),
    "failed": count("Failed requests"),
    "metrics": {
      "description":
        "Metrics of its valid requests, rates over the duration of the whole run; those without a " +
        "value are absent",
      "type": "object",
      "additionalProperties": { "$ref": "#/$defs/metric" },
    },
  }),
};

const RECONCILIATION: JsonSchema = {
  "description": "Metrics of the client compared with those that the server reports",
  "type": "array",
  "items": closedObject({
    "quantity": text("What is compared"),
    "unit": text("Unit of both values"),
    "client": { "description": "Value of the client", "type": "number" },
    "server": { "description": "Value of the server", "type": "number" },
    "client_source": text(
      "Source of the client value: measured, counted, or reported in replies",
    ),
    "server_source": text("Source of the server value: its metrics, or usage in replies"),
    "server_is_estimated": flag("Whether the server value is estimated from a histogram"),
    "server_bounds": bounds("Bounds of the estimated server value"),
    "doubt": {
      "description": "Reason why the difference is unexplained; null if it is explained",
      "type": ["string", "null"],
    },
  }, ["server_bounds"]),
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
    "scenario": {
      "description": "Set of locked settings; absent without --scenario",
      ...closedObject({
        "name": text("Name of the scenario"),
        "version": text("Version of the benchmark whose locks they are"),
      }),
    },
    "submission_valid": {
      "description":
        "Whether the run meets the locks of its scenario that this version knows; null " +
        "for recorded sessions without a scenario",
      "type": ["boolean", "null"],
    },
    "length_mismatch": {
      "description": "Replies to recorded sessions with other lengths than recorded, by usage",
      ...closedObject({
        "checked": count("Replies whose length the server reports"),
        "mismatched": count("Replies that are not as long as recorded"),
        "comparable": flag("Whether they are at most 1 %"),
      }),
    },
    "submission_reasons": {
      "description": "Why submission_valid is false",
      "type": "array",
      "items": {
        "enum": [...SUBMISSION_REASONS],
      },
    },
    "priming": {
      "description": "Calls that filled the caches before sessions were entered in their middle; " +
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
    "per_model": PER_MODEL,
    "ended_early": {
      "description":
        "Why the run ended early, as a sentence; null if it completed or was interrupted",
      "type": ["string", "null"],
    },
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
