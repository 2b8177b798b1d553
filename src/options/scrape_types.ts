import type { ScrapeOptions } from "./server_metrics_types.ts";

/** Options of a scrape without load. */
export interface StandaloneScrapeOptions extends Omit<ScrapeOptions, "serverMetricsInterval"> {
  /** Seconds; until it is interrupted where it is missing. */
  readonly duration?: number;
  /** Seconds between scrapes. @default 0.333 */
  readonly interval?: number;
  readonly artifactDir?: string;
  readonly profileExportPrefix?: string;
  /** @default false */
  readonly overwrite?: boolean;
  /** PEM files. */
  readonly caCert?: readonly string[];
}
