import { incompleteText } from "../model/incomplete_tag.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { durationText } from "./number_text.ts";

/** Returns the outcome of a run apart from its successes and failures, and its duration. */
export function outcomeText(report: ProfileReport): string[] {
  const { cancelled, cancelledOnPurpose, unsentArrivals, retried } = report.requests;
  const { rateLimitReplies, rateLimitSeconds } = report.requests;
  const incomplete = incompleteText(report.tags);
  const seconds = Number(report.endEpochNs - report.startEpochNs) / 1e9;
  return [
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
    ...(cancelledOnPurpose > 0 ? [`${cancelledOnPurpose} cancelled on purpose`] : []),
    ...(rateLimitReplies > 0
      ? [
        `${rateLimitReplies} ${rateLimitReplies === 1 ? "reply" : "replies"} of 429 waited for ` +
        `(${durationText(rateLimitSeconds)} in total)`,
      ]
      : []),
    ...(unsentArrivals > 0
      ? [`${unsentArrivals} ${unsentArrivals === 1 ? "arrival" : "arrivals"} not sent`]
      : []),
    ...(retried > 0 ? [`${retried} retried on a new connection`] : []),
    `in ${durationText(seconds)}`,
    ...(report.wasCancelled ? ["INTERRUPTED, results are partial"] : []),
    ...(incomplete === undefined ? [] : [`INCOMPLETE, ${incomplete}`]),
    ...(report.endedEarly === undefined ? [] : ["ENDED EARLY, results are partial"]),
  ];
}
