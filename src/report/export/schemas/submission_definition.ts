import { SUBMISSION_REASONS } from "../../../core/run_end/submission_reason.ts";
import { closedObject, count, flag, type JsonSchema, text } from "./json_schema.ts";

/** The keys of runs of recorded sessions: their scenario, and whether they are valid submissions. */
export const SUBMISSION_FIELDS: Readonly<Record<string, JsonSchema>> = {
  "scenario": {
    "description": "Set of locked settings; absent without --scenario",
    ...closedObject({
      "name": text("Name of the scenario"),
      "version": text("Version of the benchmark whose locks they are"),
      "window": {
        "description":
          "Window whose output lengths and client error are checked: steady_state, or the whole run",
        "enum": ["steady", "run"],
      },
    }),
  },
  "submission_valid": {
    "description":
      "Whether the run meets the locks of its scenario that this version knows; null " +
      "for recorded sessions without a scenario",
    "type": ["boolean", "null"],
  },
  "length_mismatch": {
    "description": "Replies to recorded sessions with other lengths than recorded, by usage",
    ...closedObject({
      "checked": count("Replies whose length the server reports"),
      "mismatched": count("Replies that are not as long as recorded"),
      "comparable": flag("Whether they are at most 1 %"),
    }),
  },
  "submission_reasons": {
    "description": "Why submission_valid is false",
    "type": "array",
    "items": {
      "enum": [...SUBMISSION_REASONS],
    },
  },
};
