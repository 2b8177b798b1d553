import { END_REASON } from "./end_reason_definition.ts";
import {
  count,
  DIALECT,
  flag,
  type JsonSchema,
  listOf,
  number,
  numberOrNull,
  text,
} from "./json_schema.ts";
import { DIAGNOSIS, LOAD } from "./steady_state_definition.ts";

/** Options that vary, with the values of a point. */
const PARAMETERS: JsonSchema = {
  "description": "The parameters that vary, and their values at the point",
  "type": "object",
  "additionalProperties": { "type": ["number", "string"] },
};

/** Load and diagnosis of a point of a sweep, or of a step of a search. */
export const PART: Readonly<Record<string, JsonSchema>> = {
  "load": {
    "description": "Load of the point's last run; null in runs of older versions",
    "anyOf": [LOAD, { "type": "null" }],
  },
  "diagnosis": {
    "description": "Bottleneck of the last run of the point; null in runs of older versions",
    "anyOf": [DIAGNOSIS, { "type": "null" }],
  },
};

/** Where intervals of a point are from. */
export const INTERVAL_FROM: JsonSchema = {
  "description": "Source of the intervals: run-to-run variance with three or more runs, " +
    "otherwise blocks of requests",
  "enum": ["runs", "requests"],
};

const POINT: JsonSchema = {
  "type": "object",
  "properties": {
    "parameters": PARAMETERS,
    "metrics": {
      "description": "Statistics over the whole runs by <metric>_<statistic>, under AIPerf's keys",
      "type": "object",
      "additionalProperties": { "type": "object" },
    },
    "pareto_optimal": flag("Whether it is on the frontier: no other point beats it on both axes"),
    "num_profile_runs": count("Runs of the point"),
    "num_successful_runs": count("Runs of the point that count"),
    "folders": listOf({ "type": "string" }, "Folders of the runs"),
    "requests": {
      "description": "Requests by how they ended",
      "type": "object",
      "additionalProperties": { "type": "integer" },
    },
    "ended_early_reason": END_REASON,
    "measurement_error": { "description": "The client's own error", "type": "object" },
    "window": {
      "description": "Part of the runs that is shown and ranked: the steady state if all have one",
      "enum": ["steady", "run"],
    },
    "window_metrics": {
      "description": "Means of that part over the runs, by <metric>_<statistic>",
      "type": "object",
      "additionalProperties": { "type": ["number", "null"] },
    },
    "sampling_error": {
      "description": "Confidence intervals of these means, by <metric>_<statistic>",
      "type": "object",
      "additionalProperties": {
        "type": "object",
        "properties": {
          "lower": number("Lower end of the interval"),
          "upper": numberOrNull("Upper end of the interval; null if there is none"),
        },
        "required": ["lower", "upper"],
      },
    },
    "interval_from": INTERVAL_FROM,
    ...PART,
  },
  "required": ["parameters", "metrics", "window", "window_metrics", "load", "diagnosis"],
};

const RANKED: JsonSchema = {
  "type": "object",
  "properties": {
    "best": {
      "description": "Parameters of the best point; null if intervals overlap",
      "type": ["object", "null"],
    },
    "not_significant": listOf(
      { "type": "object" },
      "Points whose intervals overlap with that of the best value; empty if there is a best point",
    ),
    "metric": number("The best value"),
    "unit": text("Unit of the value"),
    "window": { "description": "Part of the runs that it is of", "enum": ["steady", "run"] },
  },
  "required": ["best", "not_significant", "metric", "unit", "window"],
};

/** `profile_export_aiperf_sweep.json` */
export const SWEEP_SCHEMA: JsonSchema = {
  "$schema": DIALECT,
  "$id": "urn:inferometer:profile_export_aiperf_sweep.json",
  "title": "profile_export_aiperf_sweep.json",
  "description": "The points of a sweep under AIPerf's keys, and which of them are the best.",
  "type": "object",
  "properties": {
    "metadata": { "description": "Plan of the sweep", "type": "object" },
    "per_combination_metrics": listOf(POINT, "Points of the sweep, in order"),
    "best_configurations": {
      "description": "The best points; one is missing where intervals overlap",
      "type": "object",
    },
    "pareto_optimal": listOf({ "type": "object" }, "Parameters of the points on the frontier"),
    "ranking": {
      "description": "The best points by throughput and latency, by the part that is shown",
      "type": "object",
      "additionalProperties": RANKED,
    },
  },
  "required": ["metadata", "per_combination_metrics", "best_configurations", "ranking"],
};
