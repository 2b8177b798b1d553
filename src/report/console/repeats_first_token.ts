import { distributionOf, type MetricResults } from "../../measurement/metrics/metric_results.ts";

/**
 * Whether the first output token is the first token, as without reasoning: one row is enough then.
 */
export function repeatsFirstToken(results: MetricResults): boolean {
  const first = distributionOf(results, "time_to_first_token");
  const output = distributionOf(results, "time_to_first_output_token");
  return first !== undefined && first.sum === output?.sum && first.count === output.count;
}
