import { TAGS } from "./tags_definition.ts";
import {
  closedObject,
  count,
  flag,
  type JsonSchema,
  listOf,
  number,
  text,
  textOrNull,
  versionedFile,
} from "./json_schema.ts";

/** A difference of a statistic. */
export const DIFFERENCE = closedObject({
  "metric": text("Tag of the metric"),
  "statistic": text("Name of the statistic"),
  "unit": text("Unit of before and after"),
  "before": number("Value of the first side"),
  "after": number("Value of the other side"),
  "difference": number("Relative to before; percentage points for the error rate and answers"),
  "lower": number("Lower end of the interval"),
  "upper": number("Upper end of the interval"),
  "verdict": {
    "description": "Whether the difference is statistically significant, and in which direction",
    "enum": ["better", "worse", "not significant", "not comparable"],
  },
  "pairs": count("Pairs of equal prompts or sessions, for answers and sessions; 0 if they differ"),
  "remark": textOrNull("Why there is no interval"),
}, ["difference", "lower", "upper", "pairs"]);

/** Whether sides are comparable. */
export const COMPARABLE: JsonSchema = flag(
  "False if replies of a run of recorded sessions have other lengths than recorded, so that no " +
    "difference is better or worse",
);

/** Answers of two sides without load. */
export const ANSWERS_WITHOUT_LOAD: JsonSchema = {
  "description": "Answers before the load to the prompts that both samples of --verify drift have",
  ...closedObject({
    "prompts": count("Prompts that both sides answered"),
    "differ": number("Share of the prompts whose answers differ between the sides"),
    "noise_floor": number("Share whose answers before and after the load differ on one side"),
    "lower": number("Lower end of the 95 % interval of differ minus noise_floor"),
    "upper": number("Upper end of the 95 % interval of differ minus noise_floor"),
    "verdict": {
      "description": "Whether the sides differ by more than the noise floor",
      "enum": ["changed", "not significant"],
    },
  }),
};

/** `comparison.json` */
export const COMPARISON_SCHEMA: JsonSchema = versionedFile(
  "comparison.json",
  "Differences of runs from the first run, and their statistical significance.",
  {
    "comparisons": listOf(
      closedObject({
        "window": {
          "description": "Part of each run that is compared: its steady state or the whole run",
          "enum": ["steady", "run"],
        },
        "comparable": COMPARABLE,
        "interval_from": {
          "description":
            "Source of the intervals: run-to-run variance with three or more runs per side, " +
            "otherwise blocks of requests",
          "enum": ["runs", "requests"],
        },
        "before": text("Name of the first side"),
        "after": text("Name of the other"),
        "before_tags": TAGS,
        "after_tags": TAGS,
        "differences": listOf(
          DIFFERENCE,
          "A statistic each; those that a side has not are left out",
        ),
        "answers_without_load": ANSWERS_WITHOUT_LOAD,
        "notes": listOf({ "type": "string" }, "Facts needed to read the comparison"),
      }, ["before_tags", "after_tags", "answers_without_load"]),
      "The first side compared with each other side",
    ),
  },
);
