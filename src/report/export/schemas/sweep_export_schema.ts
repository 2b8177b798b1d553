import {
  closedObject,
  count,
  flag,
  type JsonSchema,
  listOf,
  number,
  numberOrNull,
  text,
  versionedFile,
} from "./json_schema.ts";
import { DIAGNOSIS } from "./steady_state_definition.ts";
import { INTERVAL_FROM, PART } from "./sweep_schema.ts";

/** Settings of a point of a sweep. */
export const SETTINGS: JsonSchema = {
  "description": "Parameters that vary with their values; inf for no limit",
  "type": "object",
  "additionalProperties": { "type": ["number", "string"] },
};

const POINT: JsonSchema = closedObject({
  "settings": SETTINGS,
  "window": {
    "description": "Part of the runs that is shown: the steady state if all have one",
    "enum": ["steady", "run"],
  },
  "metrics": {
    "description": "Means of that part over the runs, by <metric>_<statistic>",
    "type": "object",
    "additionalProperties": { "type": ["number", "null"] },
  },
  "units": {
    "description": "Units of the metrics, by <metric>_<statistic>",
    "type": "object",
    "additionalProperties": { "type": "string" },
  },
  "intervals": {
    "description": "95 % confidence intervals of the metrics, by <metric>_<statistic>",
    "type": "object",
    "additionalProperties": closedObject({
      "lower": number("Lower end"),
      "upper": numberOrNull("Upper end; null if there is no bound"),
    }),
  },
  "interval_from": INTERVAL_FROM,
  ...PART,
  "diagnosis": {
    "description": "Bottleneck of the point's last run, compared with the time between " +
      "tokens at a concurrency of 1 where the sweep has it; null in runs of older versions",
    "anyOf": [DIAGNOSIS, { "type": "null" }],
  },
  "verdict": {
    "description": "Worst verdict among the runs; null without a result",
    "enum": ["valid", "not_proven", "suspect", "invalid", null],
  },
  "on_frontier": flag("Whether no other point beats it on both axes of the frontier"),
  "knee": flag(
    "Whether it is the smallest load of its workload whose throughput is within 5 % of the best, " +
      "or inside the joint 95 % interval of both",
  ),
  "time_parts": listOf(
    closedObject({
      "name": text("Part of a request's time"),
      "ms": number("Its mean in ms"),
      "source": text("Origin of the time"),
    }),
    "Parts of the mean time of a request, the largest first; empty if they are not known",
  ),
  "speculation": {
    "description": "Speculative decoding at the point, means over the runs; null without drafts",
    "anyOf": [
      closedObject({
        "acceptance_rate": numberOrNull("Accepted tokens of all draft tokens, from 0 to 1"),
        "acceptance_length": numberOrNull("Tokens of a decode step with a draft"),
        "tokens_per_step": numberOrNull("Generated tokens of a decode step"),
      }),
      { "type": "null" },
    ],
  },
  "sessions": {
    "description": "Sessions of the runs that count; null where each session is one request",
    "anyOf": [
      closedObject({
        "started": count("Sessions whose first request was sent"),
        "completed": count("Sessions whose requests all succeeded"),
        "failed": count("Sessions that ended with a failed request"),
        "cut_off": count("Sessions that the end of the run cut off"),
      }),
      { "type": "null" },
    ],
  },
  "runs": count("Runs of the point"),
  "successful_runs": count("Runs of the point that count"),
  "folders": listOf({ "type": "string" }, "Folders of the runs"),
});

/** `sweep_export.json` */
export const SWEEP_EXPORT_SCHEMA: JsonSchema = versionedFile(
  "sweep_export.json",
  "The points of a sweep: settings, statistics with intervals, limits, frontier and knee.",
  {
    "model": text("The model under test; empty if it is not known"),
    "parameters": listOf(
      closedObject({
        "name": text("Name of the parameter"),
        "values": listOf({ "type": ["number", "string"] }, "Its values in their order"),
      }),
      "The parameters that vary",
    ),
    "gpus": numberOrNull("GPUs behind the servers; null if they are not stated or differ"),
    "frontier_axes": {
      "description": "The two statistics of the frontier, throughput first; null without results",
      "anyOf": [
        {
          "type": "array",
          "minItems": 2,
          "maxItems": 2,
          "items": closedObject({
            "metric": text("<metric>_<statistic>"),
            "direction": {
              "description": "Which values are better",
              "enum": ["maximize", "minimize"],
            },
          }),
        },
        { "type": "null" },
      ],
    },
    "points": listOf(POINT, "The points in their order"),
    "confidence_level": number("Level of intervals over runs, such as 0.95"),
    "is_complete": flag("Whether all planned runs are done"),
    "cli_command": text("The command line, without secrets"),
    "notes": listOf({ "type": "string" }, "Notes on what happened between the runs"),
  },
);
