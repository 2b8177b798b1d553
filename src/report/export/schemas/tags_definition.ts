import type { JsonSchema } from "./json_schema.ts";

/** The labels of a run. */
export const TAGS: JsonSchema = {
  "description": "The labels that the user gave the run with --tag; absent if there are none",
  "type": "object",
  "additionalProperties": { "type": "string" },
  "minProperties": 1,
};
