import { closedObject, count, type JsonSchema, text } from "./json_schema.ts";
import { metricsByTag } from "./metric_definitions.ts";

/** The key `requests`. */
export const REQUESTS: JsonSchema = {
  "description": "Outcomes of the requests of the profiling phase",
  ...closedObject({
    "sent": count("Requests that were started"),
    "succeeded": count("Valid replies"),
    "failed": count("Failures of every kind, requests cut off at the end included"),
    "cancelled": count("Requests in flight when the run was interrupted, or ended early"),
    "cancelled_on_purpose": count(
      "Requests ended by --request-cancellation-rate; neither successes nor failures",
    ),
    "rate_limit_replies": count("Replies of 429 that were waited for with --on-429 wait"),
    "rate_limit_seconds": {
      "description": "How long requests waited after these, all together; seconds",
      "type": "number",
      "minimum": 0,
    },
    "unsent_arrivals": count("Arrivals that found no slot before the end"),
    "retried": count("Requests sent twice because a pooled connection had been closed"),
  }),
};

/** The key `per_model`. */
export const PER_MODEL: JsonSchema = {
  "description": "Outcomes of the requests to each model; absent for a single model",
  "type": "array",
  "items": closedObject({
    "model": text("Its name"),
    "succeeded": count("Valid replies"),
    "failed": count("Failed requests"),
    "metrics": metricsByTag(
      "Metrics of its valid requests, rates over the duration of the whole run; those without a " +
        "value are absent",
    ),
  }),
};
