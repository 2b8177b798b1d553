import { distributionOf } from "../../measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import { cachedShare, type TurnResults } from "../../measurement/metrics/session_results.ts";
import { knownText, wholeNumber } from "./number_text.ts";

/**
 * Cells of some requests of sessions: their number, medians of these times, means of tokens of prompts
 * and outputs, and the prefix cache hit rate.
 */
export function outcomeCells(
  group: Pick<TurnResults, "results" | "succeeded">,
  times: readonly MetricTag[],
): string[] {
  const { results, succeeded } = group;
  const mean = (tag: MetricTag): string => knownText(distributionOf(results, tag)?.avg, 0);
  return [
    wholeNumber(succeeded),
    ...times.map((tag) => knownText(distributionOf(results, tag)?.p50)),
    mean("input_sequence_length"),
    mean("output_sequence_length"),
    knownText(cachedShare(group), 1),
  ];
}
