import { DIAGNOSIS_CODES } from "../../diagnosis/diagnosis.ts";
import { EVIDENCE_KEYS, evidenceType } from "../../diagnosis/evidence_json.ts";
import { BOUNDED_STATISTICS } from "../../../measurement/own_error/bounded_statistics.ts";
import {
  closedObject,
  count,
  flag,
  type JsonSchema,
  number,
  numberOrNull,
  text,
  textOrNull,
} from "./json_schema.ts";
import { MEASUREMENT_ERROR } from "./measurement_error_definition.ts";

const CELL_VERDICT: JsonSchema = {
  "description": "Worst verdict among p50 of TTFT, ITL and latency, and the throughputs",
  "enum": ["valid", "suspect", "invalid", "not_proven"],
};

const INTERVAL: JsonSchema = closedObject({
  "lower": number("Lower end of the 95 % confidence interval; the metric's unit"),
  "upper": numberOrNull(
    "Upper end of the 95 % confidence interval; the metric's unit; null if there is none",
  ),
  "verdict": {
    "description": "Not proven with fewer than ten samples beyond the percentile, or where the " +
      "interval is wider than 10 % either way",
    "enum": ["proven", "not_proven"],
  },
});

/** The key `sampling_error`. */
export const SAMPLING_ERROR: JsonSchema = {
  "description": "95 % confidence intervals by tag and statistic: what another run like this one " +
    "would measure; absent without records of requests",
  "type": "object",
  "additionalProperties": closedObject(
    Object.fromEntries(BOUNDED_STATISTICS.map((name) => [name, INTERVAL])),
    BOUNDED_STATISTICS,
  ),
};

/** The key `steady_state`. */
export const STEADY_STATE: JsonSchema = {
  "description": "Results of the part of the run in which load and server were in a steady state",
  "oneOf": [
    closedObject({ "none": text("Why there is no steady state") }),
    closedObject({
      "start_ns": { "description": "Start; ns since 1970", "type": "integer" },
      "end_ns": { "description": "End; ns since 1970", "type": "integer" },
      "seconds": number("Length; seconds"),
      "rule": text("How start and end were found"),
      "metrics": {
        "description":
          "Distributions over the requests that start in it, rates of what completes in " +
          "it, and levels, by tag; units as those of the tag at the top level",
        "type": "object",
        "additionalProperties": closedObject(
          Object.fromEntries(BOUNDED_STATISTICS.map((name) => [name, { "type": "number" }])),
          BOUNDED_STATISTICS,
        ),
      },
      "sampling_error": SAMPLING_ERROR,
      "measurement_error": MEASUREMENT_ERROR,
      "verdict": CELL_VERDICT,
      "censored_requests": count(
        "Requests that start in it and that the client ended before their reply was complete",
      ),
      "lower_bounds": {
        "description": "Statistics that are lower bounds because of these requests, by tag",
        "type": "object",
        "additionalProperties": { "type": "array", "items": { "enum": [...BOUNDED_STATISTICS] } },
      },
    }, ["measurement_error"]),
  ],
};

/** The key `validity`. */
export const VALIDITY: JsonSchema = {
  "description": "Verdicts of the statistics of the window shown",
  ...closedObject({
    "window": { "description": "Window that is reported and evaluated", "enum": ["steady", "run"] },
    "verdict": CELL_VERDICT,
    "proven": count("Statistics that are valid"),
    "of": count("Statistics of TTFT, ITL, latency and the throughputs that the run has"),
    "blockers": {
      "description": "Reasons why the other statistics are not valid",
      "type": "array",
      "items": { "type": "string" },
    },
  }),
};

/** The key `load`. */
export const LOAD: JsonSchema = {
  "description": "Load of the steady state, or of the whole run if it has none",
  ...closedObject({
    "loop": { "description": "How load is offered", "enum": ["closed", "open", "varying"] },
    "offered_rate": numberOrNull("Arrivals per second; of a closed loop, starts"),
    "served_rate": numberOrNull("Valid replies per second"),
    "mean_in_flight": numberOrNull("Mean number of requests in flight"),
    "target_in_flight": numberOrNull("Number in flight that a closed loop asks for; else null"),
    "backlog_slope": numberOrNull("Requests/s by which the backlog of an open loop grows"),
    "backlog_slope_lower": numberOrNull("Lower 95 % bound of that"),
    "after_last_send_share": numberOrNull(
      "Share of the run, from the first start to the last end, after the last start",
    ),
    "stall": {
      "description":
        "Longest time without any content while requests were in flight, after the first " +
        "content, if it is longer than 5 % of the window and three times the median TTFT; else null",
      "oneOf": [
        { "type": "null" },
        closedObject({
          "start_seconds": number("Start, from the first start of a request; seconds"),
          "seconds": number("Length; seconds"),
          "in_window": flag("Whether it is in the window that is shown"),
        }),
      ],
    },
  }),
};

/** The key `evidence`. */
export const EVIDENCE: JsonSchema = {
  "description": "Measurements from which the diagnosis follows, over the window that is shown; " +
    "times in ms; unknown ones are missing",
  ...closedObject(
    Object.fromEntries(
      Object.entries(EVIDENCE_KEYS).map(([name, [key, description]]) => [
        key,
        {
          ...{ "description": description, "type": evidenceType(name) },
          ...(evidenceType(name) === "object"
            ? { "additionalProperties": { "type": "number" } }
            : {}),
        },
      ]),
    ),
    Object.values(EVIDENCE_KEYS).map(([key]) => key),
  ),
};

/** The key `diagnosis`. */
export const DIAGNOSIS: JsonSchema = {
  "description": "Bottleneck of the run, as far as the evidence shows it",
  ...closedObject({
    "code": { "description": "The finding as a code", "enum": [...DIAGNOSIS_CODES] },
    "text": text("The finding in one sentence"),
    "cause": textOrNull("Meaning or cause of the finding"),
    "evidence": {
      "description": "Facts that support the finding",
      "type": "array",
      "items": closedObject({
        "what": text("Name of the fact"),
        "value": text("Value with its unit"),
        "source": text("Where it is from"),
      }),
    },
    "unknown": {
      "description": "Missing facts that would narrow the finding",
      "type": "array",
      "items": { "type": "string" },
    },
    "try": {
      "description": "What to do, most promising first",
      "type": "array",
      "items": { "type": "string" },
    },
  }),
};
