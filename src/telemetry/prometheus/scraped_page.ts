import type { FamilyMetadata } from "./exposition.ts";
import type { SampleSeries } from "./exposition.ts";

/** One scrape of an endpoint, as columns. Times are nanoseconds of the run's clock. */
export interface ScrapedPage {
  readonly sentNs: number;
  /** Arrival of the page's first byte: the time of its values. */
  readonly firstByteNs: number;
  /** From sending to the end of the page. */
  readonly latencyNs: number;
  /** Whether it equals the page before; only the times are passed on then. */
  readonly duplicate: boolean;
  /** Whether the last line, if there is one, has an end; else the page may have been cut off. */
  readonly isWhole: boolean;
  /** Samples that were not on any page before. */
  readonly newSeries: readonly SampleSeries[];
  /** Types and help texts of this page; undefined if they are those of the page before. */
  readonly metadata: readonly FamilyMetadata[] | undefined;
  /** Numbers of the samples in the order of the page. */
  readonly ids: Int32Array;
  /** Values of the samples. */
  readonly values: Float64Array;
  /** Lines that could not be read. */
  readonly problemCount: number;
}
