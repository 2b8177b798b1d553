import { TAGS } from "./tags_definition.ts";
import { closedObject, DIALECT, flag, type JsonSchema, text } from "./json_schema.ts";

/** `gate.json` */
export const GATE_SCHEMA: JsonSchema = {
  "$schema": DIALECT,
  "$id": "urn:inferometer:gate.json",
  "title": "gate.json",
  "description": "What was asked of a run, what was found, and whether that will do.",
  ...closedObject({
    "schema_version": { "description": "Version of the layout", "const": "1.0" },
    "product": text("The program that judged, with its version"),
    "tags": TAGS,
    "met": flag("Whether all gates are met"),
    "gates": {
      "description": "One after another as they were asked for",
      "type": "array",
      "items": closedObject(
        {
          "kind": {
            "description": "A threshold, or a difference from a baseline",
            "enum": ["slo", "regression"],
          },
          "name": text("Name of the figure, as it is shown"),
          "condition": text("What was asked for, as it is shown"),
          "found": text("What was found, as it is shown"),
          "met": flag("Whether this one is met"),
          "doubtful": flag("Whether the client's own error could have changed the verdict"),
          "remark": { "description": "What must be known besides", "type": ["string", "null"] },
          "source": { "description": "Who measured it", "enum": ["client", "server", "gpu"] },
          "metric": text("Tag of a client metric, or name of a server's"),
          "statistic": text("Name of the statistic; avg of a metric that has one value"),
          "operator": {
            "description": "How the figure is held against the threshold",
            "enum": ["<", "<=", ">", ">="],
          },
          "threshold": { "description": "In unit", "type": "number" },
          "unit": text("Unit of threshold, value and bounds"),
          "value": { "description": "The figure; absent if there is none", "type": "number" },
          "max_regression": { "description": "Largest allowed share", "type": "number" },
          "before": { "description": "The baseline's figure", "type": "number" },
          "after": { "description": "The run's figure", "type": "number" },
          "difference": { "description": "As a share of the baseline's", "type": "number" },
          "lower": { "description": "Lower end of what is possible", "type": "number" },
          "upper": { "description": "Upper end of what is possible", "type": "number" },
        },
        [
          ...["source", "operator", "threshold", "unit", "value", "max_regression", "before"],
          ...["after", "difference", "lower", "upper"],
        ],
      ),
    },
  }, ["tags"]),
};
