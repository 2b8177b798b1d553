import type { JsonSchema } from "./json_schema.ts";

/** The labels of a run. */
export const TAGS: JsonSchema = {
  "description": "Labels set with --tag; absent if there are none",
  "type": "object",
  "additionalProperties": { "type": "string" },
  "minProperties": 1,
};
