import {
  closedObject,
  count,
  flag,
  type JsonSchema,
  listOf,
  number,
  numberOrNull,
  text,
  textOrNull,
  versionedFile,
} from "./json_schema.ts";
import { PART } from "./sweep_schema.ts";
import { END_REASON } from "./end_reason_definition.ts";

const GATE: Readonly<Record<string, JsonSchema>> = {
  "name": text("The objective"),
  "condition": text("Objective"),
  "found": text("Measured value"),
  "met": flag("Whether it was met"),
  "doubtful": flag("Whether the client's own error could have changed the verdict"),
  "conclusive": {
    "description": "Whether the interval excludes the limit; null if that is not known",
    "type": ["boolean", "null"],
  },
  "value": numberOrNull("The value that was found; null without one"),
  "lower": numberOrNull("Lower end of its 95 % interval, widened by the client's error"),
  "upper": numberOrNull("Upper end of that interval"),
  "threshold": number("Limit of the objective"),
  "unit": text("Unit of both"),
};

/** The answer of a capacity search. */
export const SEARCH_SCHEMA: JsonSchema = versionedFile(
  "search_export.json",
  "The answer of a capacity search, how sure it is, and its runs.",
  {
    "variable": {
      "description": "Load that is varied",
      "enum": ["concurrency", "sessions", "request_rate"],
    },
    "answer": numberOrNull("The largest load that meets every objective; null if there is none"),
    "answer_per_gpu": numberOrNull("The answer by the GPUs of --gpus; null if they are not stated"),
    "at_least": flag("Whether the server may well carry more"),
    "limited_by": textOrNull("The objective that is missed above; client, range or errors"),
    "interval": {
      "description": "The answer, and the smallest load above it that misses; null for none",
      "type": ["array", "null"],
      "items": { "type": ["number", "null"] },
    },
    "confirmed": flag("Whether two runs agree about the answer, or a longer run decided it"),
    "proven": flag(
      "Whether it is conclusive that the answer meets every objective and the limit misses one",
    ),
    "objectives": listOf(
      closedObject({
        ...GATE,
        "interval": {
          "description": "95 % confidence interval of the value",
          "type": ["array", "null"],
          "items": { "type": ["number", "null"] },
        },
      }),
      "Each objective at the answer",
    ),
    "points": listOf(
      closedObject({
        "value": number("The load"),
        "met": flag("Whether every objective was met"),
        "missed": listOf({ "type": "string" }, "Objectives that were missed"),
        "conclusive": flag("Whether confidence intervals exclude the opposite result"),
        "longer": flag("Whether the run is the longer repetition of an inconclusive one"),
        "limited_by_client": flag("Whether this machine could not send more"),
        "ended_early": textOrNull("Why it was ended before its time; null if it was not"),
        "ended_early_reason": END_REASON,
        "folder": text("Its files"),
        "gates": listOf(closedObject(GATE), "Each objective"),
        "requests": {
          "description": "Requests by how they ended",
          ...closedObject({
            "sent": count("All that were sent"),
            "succeeded": count("Valid ones"),
            "failed": count("Others, without those that were cancelled on purpose"),
          }),
        },
        "measurement_error": textOrNull("The verdict on the client's own error"),
        ...PART,
        "parameters": {
          "description": "Options that only this run has",
          "type": "object",
          "additionalProperties": { "type": ["number", "string"] },
        },
      }),
      "The runs, in their order",
    ),
    "bounds": {
      "description": "The smallest and the largest load",
      "type": "array",
      "items": { "type": "number" },
    },
    "precision": number(
      "Relative width of the interval at which the search ends",
    ),
    "is_complete": flag("False if it was interrupted"),
    "cli_command": text("The command without secrets"),
    "notes": listOf({ "type": "string" }, "Notes that change how the answer is read"),
  },
);
