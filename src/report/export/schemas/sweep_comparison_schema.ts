import { ANSWERS_WITHOUT_LOAD, COMPARABLE, DIFFERENCE } from "./comparison_schema.ts";
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
import { SETTINGS } from "./sweep_export_schema.ts";

const SPEEDS = "Output tokens/s/user, pooled";

/** Bounds of an interval; null if they are not known. */
function intervalOf(description: string): JsonSchema {
  return {
    "description": `${description}: lower and upper end; null if they are not known`,
    "type": "array",
    "items": { "type": ["number", "null"] },
    "minItems": 2,
    "maxItems": 2,
  };
}

function rangeOf(description: string): JsonSchema {
  return {
    "description": `${description}, from the slowest to the fastest point; null if there is none`,
    "anyOf": [
      { "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 },
      { "type": "null" },
    ],
  };
}

const SIDE_POINT = closedObject({
  "settings": SETTINGS,
  "interactivity": numberOrNull(`${SPEEDS}; null if it is not known`),
  "interactivity_interval": intervalOf("95 % interval"),
  "throughput": numberOrNull("Output tokens/s, in the unit of throughput; null if it is not known"),
  "throughput_interval": intervalOf("95 % interval"),
  "on_frontier": flag("Whether no other point of its side beats it"),
  "runs": count("Runs of the point"),
});

/** `compare.json` */
export const SWEEP_COMPARISON_SCHEMA: JsonSchema = versionedFile(
  "compare.json",
  "Two sweeps compared: points with equal settings, and the frontiers of both.",
  {
    "a": text("Name of the first side"),
    "b": text("Name of the other side"),
    "comparable": COMPARABLE,
    "finding": text("Comparison of the frontiers in one sentence"),
    "points": listOf(
      closedObject({
        "settings": SETTINGS,
        "window": {
          "description": "Part of the runs that is compared: their steady states or whole runs",
          "enum": ["steady", "run"],
        },
        "runs": {
          "description": "Runs of the point by side",
          ...closedObject({ "a": count("Runs of the first side"), "b": count("Of the other") }),
        },
        "differences": listOf(
          DIFFERENCE,
          "A statistic each, from the first side to the other; intervals hold together in a point",
        ),
        "answers_without_load": ANSWERS_WITHOUT_LOAD,
      }, ["answers_without_load"]),
      "Points that both sweeps have, joined by their settings",
    ),
    "only_a": listOf(SETTINGS, "Settings of points of the first side only"),
    "only_b": listOf(SETTINGS, "Settings of points of the other side only"),
    "throughput": {
      "description": "Throughput of the frontiers",
      ...closedObject({
        "metric": text("<metric>_<statistic>; per GPU if both sides state their GPUs"),
        "unit": text("Its unit"),
      }),
    },
    "frontier": listOf(
      closedObject({
        "interactivity": number(SPEEDS),
        "a": number("Throughput of the first side at this speed"),
        "b": number("Throughput of the other side at this speed"),
        "difference": number("Difference as a fraction of a"),
        "lower": numberOrNull("Lower end of its pointwise 95 % interval; null if it is not known"),
        "upper": numberOrNull("Upper end of its pointwise 95 % interval; null if it is not known"),
        "verdict": {
          "description": "Whether b serves significantly more or less",
          "enum": ["better", "worse", "not significant", "not comparable"],
        },
      }),
      "Both frontiers by ascending speed, over the range that both reach; between two points, the " +
        "logarithm of the throughput is linear",
    ),
    "range": {
      "description": "Speeds of the frontiers",
      ...closedObject({
        "both": rangeOf("Speeds that both sides reach"),
        "a": rangeOf("Speeds of the first side"),
        "b": rangeOf("Speeds of the other side"),
      }),
    },
    "sides": {
      "description": "Points of the frontiers' workloads by side",
      ...closedObject({
        "a": listOf(SIDE_POINT, "Points of the first side"),
        "b": listOf(SIDE_POINT, "Points of the other side"),
      }),
    },
    "notes": listOf({ "type": "string" }, "Facts needed to read the comparison"),
  },
);
