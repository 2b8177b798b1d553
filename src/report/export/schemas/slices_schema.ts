import { INPUT_CONFIG } from "./input_config_definition.ts";
import { closedObject, DIALECT, epochNs, type JsonSchema } from "./json_schema.ts";
import { DIAGNOSIS, LOAD } from "./steady_state_definition.ts";
import { MEASUREMENT_ERROR } from "./measurement_error_definition.ts";
import { INCOMPLETE } from "./record_definitions.ts";
import { ALWAYS_THERE, METRIC_DEFINITIONS, metricProperties } from "./metric_definitions.ts";

/** `profile_export_aiperf_timeslices.json` */
export const SLICES_SCHEMA: JsonSchema = {
  "$schema": DIALECT,
  "$id": "urn:inferometer:profile_export_aiperf_timeslices.json",
  "title": "profile_export_aiperf_timeslices.json",
  "description": "The metrics of slices of the profiling phase, all of the same width. A request " +
    "belongs to the slice in which it started; slices in which no request is in flight are left out.",
  ...closedObject({
    "timeslices": {
      "description": "The slices in order of time",
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "start_ns": epochNs("Start of the slice"),
          "end_ns": epochNs("Its end; of the last slice the last reply, if that came earlier"),
          "is_complete": {
            "description": "There if the run ended within the slice",
            "const": false,
          },
          "measurement_error": MEASUREMENT_ERROR,
          "load": LOAD,
          "diagnosis": DIAGNOSIS,
          ...metricProperties(),
        },
        "required": ["start_ns", "end_ns", ...ALWAYS_THERE],
        "additionalProperties": { "$ref": "#/$defs/metric" },
      },
    },
    "input_config": { "$ref": "#/$defs/input_config" },
    "incomplete": INCOMPLETE,
    "recomputed": {
      "description": "There if inferometer recompute made it: what is not as the run had it",
      "type": "string",
    },
  }, ["incomplete", "recomputed"]),
  "$defs": { ...METRIC_DEFINITIONS, "input_config": INPUT_CONFIG },
};
