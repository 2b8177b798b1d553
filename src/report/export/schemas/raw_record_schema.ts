import { closedObject, DIALECT, type JsonSchema, text } from "./json_schema.ts";
import { ERROR_DETAILS, RECORD_METADATA } from "./record_definitions.ts";

const PERF_NS: JsonSchema = {
  "description": "When the read that completed it returned; nanoseconds of the run's clock",
  "type": "integer",
};

/** A line of `profile_export_raw.jsonl` */
export const RAW_RECORD_SCHEMA: JsonSchema = {
  "$schema": DIALECT,
  "$id": "urn:inferometer:profile_export_raw.jsonl",
  "title": "A line of profile_export_raw.jsonl",
  "description": "One request and its reply in full, in the order in which they ended.",
  ...closedObject({
    "metadata": { "$ref": "#/$defs/metadata" },
    "start_perf_ns": {
      "description": "When the request started; nanoseconds of the run's clock, null if it did not",
      "type": ["integer", "null"],
    },
    "request_headers": {
      "description": "Headers set for the request, secrets replaced",
      "type": "object",
      "additionalProperties": { "type": "string" },
    },
    "status": {
      "description": "HTTP status; absent if no reply came",
      "type": "integer",
      "minimum": 100,
      "maximum": 999,
    },
    "responses": {
      "description": "Received data: an entry for each event of a stream, or one for a whole body",
      "type": "array",
      "items": { "oneOf": [{ "$ref": "#/$defs/event" }, { "$ref": "#/$defs/body" }] },
    },
    "error": { "$ref": "#/$defs/error_details" },
    "payload": {
      "description": "Body of the request as sent, secrets replaced",
      "type": "object",
    },
  }, ["status", "error"]),
  "$defs": {
    "metadata": RECORD_METADATA,
    "error_details": ERROR_DETAILS,
    "event": {
      "description": "An event or a comment of a stream",
      ...closedObject({
        "perf_ns": PERF_NS,
        "packets": {
          "description": "Its fields",
          "type": "array",
          "minItems": 1,
          "items": closedObject({
            "name": { "description": "Name of the field", "enum": ["data", "event", "comment"] },
            "value": text("Its text"),
          }),
        },
      }),
    },
    "body": {
      "description": "A body that is no stream",
      ...closedObject({
        "perf_ns": PERF_NS,
        "text": text("The body"),
        "content_type": text("Its type as the server said; empty if it did not"),
      }),
    },
  },
};
