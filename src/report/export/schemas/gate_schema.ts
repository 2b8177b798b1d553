import { END_REASON } from "./end_reason_definition.ts";
import { TAGS } from "./tags_definition.ts";
import {
  closedObject,
  flag,
  type JsonSchema,
  listOf,
  number,
  numberOrNull,
  text,
  textOrNull,
  versionedFile,
} from "./json_schema.ts";

const GATE = closedObject(
  {
    "kind": {
      "description": "A threshold, or a difference from a baseline",
      "enum": ["slo", "regression"],
    },
    "name": text("Display name of the metric"),
    "condition": text("Objective as displayed"),
    "found": text("Measured value as displayed"),
    "met": flag("Whether this one is met"),
    "doubtful": flag("Whether the client's own error could have changed the verdict"),
    "conclusive": flag(
      "Whether the confidence interval, widened by the client's own error, leaves out the limit",
    ),
    "requests_needed": numberOrNull(
      "Requests that would make it conclusive, about; null if it is, or that is not known",
    ),
    "remark": textOrNull("Additional fact about the result"),
    "source": { "description": "Who measured it", "enum": ["client", "server", "gpu", "truth"] },
    "metric": text("Tag of a client metric, or name of a server's"),
    "statistic": text("Name of the statistic; avg of a metric that has one value"),
    "operator": {
      "description": "Comparison of the value with the threshold",
      "enum": ["<", "<=", ">", ">="],
    },
    "threshold": number("In unit"),
    "unit": text("Unit of threshold, value and bounds"),
    "value": number("Measured value; absent if unknown"),
    "max_regression": number("Maximum relative regression"),
    "before": number("Value of the baseline"),
    "after": number("The run's figure"),
    "difference": number("Difference as a fraction of the baseline"),
    "lower": number("Lower bound of the interval"),
    "upper": number("Upper bound of the interval"),
  },
  [
    ...["source", "operator", "threshold", "unit", "value", "max_regression", "before"],
    ...["after", "difference", "lower", "upper"],
  ],
);

/** `gate.json` */
export const GATE_SCHEMA: JsonSchema = versionedFile(
  "gate.json",
  "Objectives of a run, their measured values, and the results.",
  {
    "tags": TAGS,
    "ended_early_reason": END_REASON,
    "damaged": listOf(
      text("Loss, or the reason why the run is partial, with the run's folder"),
      "Losses of the runs since they were written; absent for none",
    ),
    "damage_allowed": flag("Whether --allow-damaged was given; absent where nothing is damaged"),
    "met": flag("Whether all gates are met; false for a damaged run without --allow-damaged"),
    "conclusive": flag("Whether all gates are conclusive"),
    "gates": listOf(GATE, "Objectives in the order of the command line"),
  },
  ["tags", "damaged", "damage_allowed"],
);
