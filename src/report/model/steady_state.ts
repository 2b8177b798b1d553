import type { MetricResults } from "../../measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import type { BoundedStatistic } from "../../measurement/own_error/bounded_statistics.ts";
import type { MeasurementError } from "../../measurement/own_error/measurement_error.ts";
import type { SamplingErrors } from "../../measurement/sampling/sampling_errors.ts";

/** Results of the part of a run in which load and server were in a steady state. */
export interface SteadyResults {
  /** Times in ns of the run's clock. */
  readonly startNs: number;
  readonly endNs: number;
  /** Start of the window in ns since 1970. */
  readonly startEpochNs: bigint;
  readonly endEpochNs: bigint;
  readonly seconds: number;
  /** How start and end were found. */
  readonly rule: string;
  /**
   * Distributions over the requests that start in it, rates of what completes in it, and levels. Counts
   * and shares of failures are those of the whole run, and not among them.
   */
  readonly results: MetricResults;
  /** undefined if the client's error was not measured. */
  readonly measurementError: MeasurementError | undefined;
  readonly sampling: SamplingErrors;
  /**
   * Requests that start in it and that the client ended before their reply was complete: their latencies
   * are longer than observed.
   */
  readonly censoredRequests: number;
  /** Statistics that are therefore lower bounds. */
  readonly lowerBounds: ReadonlyMap<MetricTag, readonly BoundedStatistic[]>;
}

/** Steady state of a run, or the reason why it has none. */
export type SteadyState = SteadyResults | { readonly none: string };

/** The results of a steady state; undefined if there is none. */
export function steadyResults(steady: SteadyState | undefined): SteadyResults | undefined {
  return steady === undefined || "none" in steady ? undefined : steady;
}
