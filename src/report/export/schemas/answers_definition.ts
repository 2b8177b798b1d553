import { ANOMALY_KINDS } from "../../../measurement/answers/anomaly_kinds.ts";
import { INVALID_REASONS, INVALID_REPLY } from "../../../measurement/answers/invalid_reason.ts";
import { closedObject, count, type JsonSchema, listOf, number, textOrNull } from "./json_schema.ts";

function orNull(description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { type: _type, ...rest } = closedObject(properties);
  return { description, "type": ["object", "null"], ...rest };
}

function fraction(description: string): JsonSchema {
  return { ...number(`${description}; from 0 to 1`), "minimum": 0, "maximum": 1 };
}

function share(description: string, of: string): JsonSchema {
  return orNull(`${description}; null if that was not checked`, {
    "share": fraction(`Share of ${of}`),
    "count": count("Replies that were checked"),
  });
}

/** The key `answers`. */
export const ANSWERS: JsonSchema = {
  "description": "Checks of the answers; null for what was not checked",
  ...closedObject({
    "sample": {
      "description": "Prompts that were sent quietly and under load; null without --verify drift",
      "type": ["integer", "null"],
    },
    "drift": orNull("Answers of the sample that change; null without --verify drift", {
      "under_load": fraction("Share of answers under load that differ from the first quiet pass"),
      "noise_floor": fraction("Share of answers that differ between both quiet passes"),
      "lower": number("Lower end of the 95 % interval of under_load minus noise_floor"),
      "upper": number("Upper end of the 95 % interval of under_load minus noise_floor"),
    }),
    "correct": share("Answers compared with expected ones", "correct answers"),
    "wrong": orNull("Answers that are not the expected ones; null if none was expected", {
      "count": count("Wrong answers"),
      "unchecked": count("Answers that could not be compared"),
      "examples": listOf(
        closedObject({
          "request": count("Number of the request in the profiling phase, from 0"),
          "flaw": textOrNull("First difference"),
        }),
        "The first wrong answers",
      ),
    }),
    "valid": share("Replies checked against the schema of their own request", "valid replies"),
    "invalid": orNull("Replies that break a requirement of their own request; null without one", {
      "kind": { "description": "Kind of these replies", "const": INVALID_REPLY },
      "count": count("Invalid replies"),
      "unchecked": count("Replies whose form could not be checked"),
      "tokens": count("Output and reasoning tokens of the invalid replies"),
      "reasons": {
        "description": "Invalid replies by the first reason",
        ...closedObject(
          Object.fromEntries(
            INVALID_REASONS.map((reason) => [reason, count(`Invalid replies with ${reason}`)]),
          ),
        ),
      },
      "examples": listOf(
        closedObject({
          "request": count("Number of the request in the profiling phase, from 0"),
          "reason": { "description": "Why the reply is invalid", "enum": INVALID_REASONS },
          "flaw": textOrNull("First place and rule that is broken"),
        }),
        "The first invalid replies",
      ),
    }),
    "anomalous": share("Replies checked for anomalies", "replies with at least one anomaly"),
    "anomalies": {
      "description": "Replies of the profiling phase with each kind of anomaly",
      ...closedObject(
        Object.fromEntries(ANOMALY_KINDS.map((kind) => [kind, count(`Replies with ${kind}`)])),
      ),
    },
  }),
};
