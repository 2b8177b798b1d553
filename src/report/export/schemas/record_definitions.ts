import { ERROR_KINDS } from "../../../client/record/error_kind.ts";
import { ANOMALY_KINDS } from "../../../measurement/answers/anomaly_kinds.ts";
import { INVALID_REASONS, INVALID_REPLY } from "../../../measurement/answers/invalid_reason.ts";
import {
  closedObject,
  count,
  epochNs,
  flag,
  type JsonSchema,
  listOf,
  text,
} from "./json_schema.ts";
import { CALL_FIELDS } from "./session_line_schema.ts";

const PHASE: JsonSchema = { "enum": ["warmup", "profiling"] };

/** The fields that name the phase of the run something belongs to. */
export const PHASE_FIELDS: Readonly<Record<string, JsonSchema>> = {
  "benchmark_phase": { "description": "The phase it belongs to", ...PHASE },
  "phase_index": count("Position of the phase in the run"),
  "profiling_index": count("Position of the phase among the profiling phases"),
  "phase_name": { "description": "Name of the phase", ...PHASE },
  "phase_kind": { "description": "Kind of the phase", ...PHASE },
};

/** Why requests failed: the `error_details` of a summary, the `error` of a record. */
export const ERROR_DETAILS: JsonSchema = {
  "description": "Why a request failed",
  ...closedObject({
    "code": {
      "description": "HTTP status, if that is why",
      "type": "integer",
      "minimum": 100,
      "maximum": 999,
    },
    "type": text("Reason phrase of the status, or the kind"),
    "message": text("Error text of the server or the client; secrets are replaced"),
    "kind": { "description": "Kind of the error", "enum": ERROR_KINDS },
  }, ["code"]),
  "if": { "properties": { "kind": { "const": "http_status" } } },
  "then": { "required": ["code"] },
  "else": { "not": { "required": ["code"] } },
};

/** Description of missing shards of a run. */
export const INCOMPLETE: JsonSchema = text(
  "Shards that are missing or incomplete, and the missing percentage of the plan; absent for none",
);

/** Facts of a request besides its metrics: the `metadata` of a record. */
export const RECORD_METADATA: JsonSchema = {
  "description": "Which request this was and when it happened",
  ...closedObject({
    "incomplete": INCOMPLETE,
    "session_num": count("Number of the request within its phase, from 0, in order of sending"),
    "x_request_id": text("The X-Request-ID that the request carried; empty if it was never sent"),
    "x_correlation_id": text("Copy of the request ID for readers of AIPerf files"),
    "conversation_id": text("Names the prompt, as inputs.json does"),
    "turn_index": count("Number of the turn within its conversation"),
    ...CALL_FIELDS,
    "unsent": {
      "description": "Why the call was not sent; absent for requests",
      ...closedObject({ "because": text("Name of the call that failed") }),
    },
    "credit_issued_ns": epochNs(
      "When the request was to start, by the arrival process or a free slot",
    ),
    "request_start_ns": epochNs("When it started: before connecting or writing"),
    "request_ack_ns": epochNs("When the head of the reply had arrived"),
    "request_end_ns": epochNs("When the last event of the reply had arrived, or it failed"),
    "worker_id": { "description": "The thread that sent it", "type": "string" },
    "record_processor_id": text("The thread that took its record"),
    "server_worker": text(
      "Hash of the name of the server's instance that processed the prompt; absent where the reply " +
        "names none",
    ),
    ...PHASE_FIELDS,
    "was_cancelled": flag(
      "The request was still running when the run ended, or was ended on purpose",
    ),
    "cancellation_time_ns": epochNs("When it was given up"),
    "finish_reason": {
      "description": "Why the server stopped generating, null if it did not say",
      "type": ["string", "null"],
    },
    "answer": {
      "description":
        "Outcomes of the checks of its answer; absent if there are none but a lack of anomalies",
      ...closedObject({
        "correct": flag("Whether the answer is the expected one"),
        "valid": flag("Whether the reply has the form that the request asked for"),
        "kind": { "description": "Kind of an invalid reply", "const": INVALID_REPLY },
        "reason": { "description": "Why the reply is invalid", "enum": INVALID_REASONS },
        "flaw": text("Place and reason of the first flaw, or why a check was not made"),
        "anomalies": listOf({ "enum": ANOMALY_KINDS }, "Kinds of anomalies; absent without any"),
      }, ["correct", "valid", "kind", "reason", "flaw", "anomalies"]),
    },
    "url": text("The server it went to, credentials replaced"),
    "model": text("The model it asked, where several take turns"),
  }, [
    ...["incomplete", "answer", "unsent", "server_worker", ...Object.keys(CALL_FIELDS)],
    "credit_issued_ns",
    "request_start_ns",
    "request_ack_ns",
    "request_end_ns",
    "profiling_index",
    "cancellation_time_ns",
    "model",
  ]),
  "if": { "properties": { "benchmark_phase": { "const": "profiling" } } },
  "then": { "required": ["profiling_index"] },
  "else": { "not": { "required": ["profiling_index"] } },
};
