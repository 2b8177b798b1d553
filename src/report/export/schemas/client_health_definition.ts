import { closedObject, count, flag, type JsonSchema } from "./json_schema.ts";

/** Statistics that the client gives of itself; only the count is there if there was nothing. */
export const SELF_SUMMARY: JsonSchema = {
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

/** The key `client_health`. */
export const CLIENT_HEALTH: JsonSchema = {
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
