import { BOUNDED_STATISTICS } from "../../../measurement/own_error/bounded_statistics.ts";
import { closedObject, type JsonSchema } from "./json_schema.ts";

const VERDICT: JsonSchema = {
  "description": "Shifted by at most 5 % (valid), at most 20 % (suspect), or possibly more",
  "enum": ["valid", "suspect", "invalid"],
};

const STATISTIC: JsonSchema = closedObject({
  "lower": { "description": "Least true value; the metric's unit", "type": "number" },
  "upper": { "description": "Greatest true value; the metric's unit", "type": "number" },
  "verdict": VERDICT,
});

/** The key `measurement_error`. */
export const MEASUREMENT_ERROR: JsonSchema = {
  "description": "Bounds of the client error, measured by canaries; " +
    "absent with --no-canaries, and where no request succeeded",
  ...closedObject({
    "verdict": {
      ...VERDICT,
      "description": "Worst of p50 of TTFT, ITL and latency, and of the throughputs",
    },
    "metrics": {
      "description": "By tag and statistic; 95 % of the true values lie between the bounds",
      "type": "object",
      "additionalProperties": closedObject(
        Object.fromEntries(BOUNDED_STATISTICS.map((name) => [name, STATISTIC])),
        BOUNDED_STATISTICS,
      ),
    },
    "reasons": {
      "description": "Why it is not valid and what to do; a sentence each",
      "type": "array",
      "items": { "type": "string" },
    },
  }),
};
