import {
  ERROR_ISL,
  INTER_CHUNK_LATENCY,
  RECORD_METRICS,
  type RecordMetricTag,
} from "../../../measurement/metrics/record_metrics.ts";
import {
  closedObject,
  count,
  DIALECT,
  epochNs,
  flag,
  type JsonSchema,
  spanNs,
} from "./json_schema.ts";
import { recordMetricProperties } from "./metric_definitions.ts";
import { ERROR_DETAILS, RECORD_METADATA } from "./record_definitions.ts";

/** Metrics that a request may have whose reply was cut. */
const EARLY_TAGS = RECORD_METRICS.filter(({ isKnownEarly }) => isKnownEarly).map(({ tag }) => tag);

const TRACE_DATA: JsonSchema = {
  "description": "Phases of the HTTP exchange; with --export-http-trace",
  ...closedObject({
    "trace_type": { "description": "Who took the times", "const": "inferometer" },
    "request_send_start_ns": epochNs("When the first byte of the request was written"),
    "request_send_end_ns": epochNs("When its last byte was written"),
    "request_chunks_count": count("Writes that it took"),
    "request_bytes_total": count("Bytes written, head and body"),
    "response_status_code": count("HTTP status"),
    "response_headers_received_ns": epochNs("When the head of the reply had arrived"),
    "response_receive_start_ns": epochNs("When the first byte of its body had arrived"),
    "response_receive_end_ns": epochNs("When the last byte of its body had arrived"),
    "response_chunks_count": count("Reads that brought some of the reply, its head included"),
    "response_bytes_total": count("Bytes read, head and body as framed"),
    "tcp_connect_start_ns": epochNs("When the request began to open its connection"),
    "tcp_connect_end_ns": epochNs("When that was open, TLS included"),
    "connection_reused_ns": epochNs("When it took over a connection that was open"),
    "sending_ns": spanNs("Writing the request"),
    "waiting_ns": spanNs("From there to the first byte of the body"),
    "receiving_ns": spanNs("From there to its last byte"),
    "duration_ns": spanNs("The three together"),
    "connection_reused": flag("The connection had carried a request before"),
    "request_retried": flag(
      "Whether the request was retried because the pooled connection had been closed",
    ),
    "blocked_ns": spanNs("Waiting for a connection"),
    "dns_lookup_ns": spanNs("Looking the name up"),
    "connecting_ns": spanNs("Connecting, TLS included"),
    "tls_handshake_ns": spanNs("TLS handshake alone"),
    "coalesced_chunks": count("Content chunks that came with the same read as the one before"),
  }, [
    "request_chunks_count",
    "response_chunks_count",
    "tcp_connect_start_ns",
    "tcp_connect_end_ns",
    "connection_reused_ns",
    "sending_ns",
    "waiting_ns",
    "receiving_ns",
    "duration_ns",
    "request_send_start_ns",
    "request_send_end_ns",
    "response_status_code",
    "response_headers_received_ns",
    "response_receive_start_ns",
    "response_receive_end_ns",
    "blocked_ns",
    "dns_lookup_ns",
    "connecting_ns",
    "tls_handshake_ns",
  ]),
};

/** A line of `profile_export.jsonl` */
export const RECORD_LINE_SCHEMA: JsonSchema = {
  "$schema": DIALECT,
  "$id": "urn:inferometer:profile_export.jsonl",
  "title": "A line of profile_export.jsonl",
  "description":
    "One request, of any phase, in the order in which they ended; at the end, the calls " +
    "of recorded sessions that were not sent because another call failed.",
  ...closedObject({
    "metadata": { "$ref": "#/$defs/metadata" },
    "metrics": {
      "description": "The metrics that have a value for this request, by their tags",
      "type": "object",
      "properties": recordMetricProperties(),
      "additionalProperties": { "$ref": "#/$defs/record_metric" },
    },
    "trace_data": TRACE_DATA,
    "error": { "$ref": "#/$defs/error_details" },
  }, ["trace_data", "error"]),
  "if": {
    "anyOf": [
      { "required": ["error"] },
      { "properties": { "metadata": { "required": ["unsent"] } } },
    ],
  },
  "then": {
    "properties": {
      "metrics": {
        "description":
          "Of a failed request only the length of its input is known, and of one that was cancelled " +
          "or cut off what had been measured by then",
        "propertyNames": { "enum": [...EARLY_TAGS, INTER_CHUNK_LATENCY.tag, ERROR_ISL.tag] },
      },
    },
  },
  "else": {
    "properties": {
      "metrics": {
        "required": ["request_latency" satisfies RecordMetricTag],
        "not": { "required": [ERROR_ISL.tag] },
      },
      "metadata": {
        "required": ["request_start_ns", "request_end_ns"],
        "properties": { "was_cancelled": { "const": false } },
      },
    },
  },
  "$defs": {
    "metadata": RECORD_METADATA,
    "error_details": ERROR_DETAILS,
    "record_metric": {
      "description": "A metric that this version of the schema does not name",
      ...closedObject({
        "value": {
          "description": "Its value for this request",
          "type": ["number", "array"],
          "items": { "type": "number" },
        },
        "unit": { "description": "The unit of the value", "type": "string" },
      }),
    },
  },
};
