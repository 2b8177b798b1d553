import { closedObject, count, type JsonSchema, text } from "./json_schema.ts";

const NAME: JsonSchema = { "type": ["string", "null"] };

/** `telemetry_data` of a summary. */
export const TELEMETRY_DATA: JsonSchema = {
  "description": "GPU metrics of the profiling phase; absent if no GPU was found",
  ...closedObject({
    "summary": {
      "description": "Which exporters there were, and when",
      ...closedObject({
        "endpoints_configured": {
          "description": "Exporters that were named or found",
          "type": "array",
          "items": { "type": "string" },
        },
        "endpoints_successful": {
          "description": "Exporters that reported GPUs",
          "type": "array",
          "items": { "type": "string" },
        },
        "start_time": text("Start of the profiling phase, UTC"),
        "end_time": text("End of the profiling phase, UTC"),
      }),
    },
    "endpoints": {
      "description": "By host, and path without /metrics",
      "type": "object",
      "additionalProperties": closedObject({
        "gpus": {
          "description": "By gpu_ and their indices",
          "type": "object",
          "additionalProperties": closedObject({
            "gpu_index": count("Number on its host"),
            "gpu_name": text("Model"),
            "gpu_uuid": text("Names it"),
            "platform": { "description": "Maker", "enum": ["nvidia", "amd"] },
            "hostname": { "description": "Its host; null if not told", ...NAME },
            "namespace": { "description": "Kubernetes namespace; null if not told", ...NAME },
            "pod_name": { "description": "Kubernetes pod; null if not told", ...NAME },
            "metrics": {
              "description": "Statistics of its samples; of counters, avg is what they grew by",
              "type": "object",
              "additionalProperties": { "$ref": "#/$defs/metric" },
            },
          }),
        },
      }),
    },
    "error_summary": {
      "description": "Scrapes that failed, by what went wrong",
      "type": "array",
      "items": closedObject({
        "error_details": {
          "description": "What failed",
          ...closedObject({
            "type": text("ScrapeError"),
            "message": text("What went wrong"),
          }),
        },
        "count": count("How often"),
      }),
    },
  }),
};
