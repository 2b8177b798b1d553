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
    "name": text("Name of the figure, as it is shown"),
    "condition": text("Objective, as it is shown"),
    "found": text("Value found, as it is shown"),
    "met": flag("Whether this one is met"),
    "doubtful": flag("Whether the client's own error could have changed the verdict"),
    "conclusive": flag(
      "Whether the confidence interval, widened by the client's own error, leaves out the limit",
    ),
    "requests_needed": numberOrNull(
      "Requests that would make it conclusive, about; null if it is, or that is not known",
    ),
    "remark": textOrNull("What must be known besides"),
    "source": { "description": "Who measured it", "enum": ["client", "server", "gpu"] },
    "metric": text("Tag of a client metric, or name of a server's"),
    "statistic": text("Name of the statistic; avg of a metric that has one value"),
    "operator": {
      "description": "How the figure is held against the threshold",
      "enum": ["<", "<=", ">", ">="],
    },
    "threshold": number("In unit"),
    "unit": text("Unit of threshold, value and bounds"),
    "value": number("The figure; absent if there is none"),
    "max_regression": number("Largest allowed share"),
    "before": number("The baseline's figure"),
    "after": number("The run's figure"),
    "difference": number("As a share of the baseline's"),
    "lower": number("Lower end of what is possible"),
    "upper": number("Upper end of what is possible"),
  },
  [
    ...["source", "operator", "threshold", "unit", "value", "max_regression", "before"],
    ...["after", "difference", "lower", "upper"],
  ],
);

/** `gate.json` */
export const GATE_SCHEMA: JsonSchema = versionedFile(
  "gate.json",
  "What was asked of a run, what was found, and whether that will do.",
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
