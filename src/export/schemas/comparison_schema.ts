import { TAGS } from "./tags_definition.ts";
import { closedObject, DIALECT, type JsonSchema, text } from "./json_schema.ts";

/** `comparison.json` */
export const COMPARISON_SCHEMA: JsonSchema = {
  "$schema": DIALECT,
  "$id": "urn:inferometer:comparison.json",
  "title": "comparison.json",
  "description": "How runs differ from the first one, and what is beyond chance.",
  ...closedObject({
    "schema_version": { "description": "Version of the layout", "const": "1.0" },
    "product": text("The program that compared, with its version"),
    "comparisons": {
      "description": "The first side with each of the others",
      "type": "array",
      "items": closedObject({
        "before": text("Name of the first side"),
        "after": text("Name of the other"),
        "before_tags": TAGS,
        "after_tags": TAGS,
        "differences": {
          "description": "A statistic each; those that a side has not are left out",
          "type": "array",
          "items": closedObject(
            {
              "metric": text("Tag of the metric"),
              "statistic": text("Name of the statistic"),
              "unit": text("Unit of before and after"),
              "before": { "description": "The figure of the first side", "type": "number" },
              "after": { "description": "That of the other", "type": "number" },
              "difference": {
                "description": "Share of before; of the error rate in percentage points",
                "type": "number",
              },
              "lower": { "description": "Lower end of the interval", "type": "number" },
              "upper": { "description": "Upper end of the interval", "type": "number" },
              "verdict": {
                "description": "What is beyond chance",
                "enum": ["better", "worse", "cannot tell"],
              },
              "remark": { "description": "Why there is no interval", "type": ["string", "null"] },
            },
            ["difference", "lower", "upper"],
          ),
        },
        "notes": {
          "description": "What must be known besides",
          "type": "array",
          "items": { "type": "string" },
        },
      }, ["before_tags", "after_tags"]),
    },
  }),
};
