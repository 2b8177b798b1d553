import { parseBucketBound } from "../prometheus/bucket_bound.ts";
import { ValueColumn } from "./value_column.ts";

/** Meaning of a series' numbers over time. */
export type SeriesType = "gauge" | "counter" | "histogram" | "summary" | "unknown";

/** Name and labels of a series. */
export interface SeriesIdentity {
  /** Name of the metric as it is exported: counters have lost `_total`. */
  readonly name: string;
  readonly type: SeriesType;
  /** Sorted by name; a histogram's have no `le`. */
  readonly labels: readonly (readonly [name: string, value: string])[];
  /** Help text of the server, empty for none. */
  readonly description: string;
  readonly unit: string | null;
}

/** A series with one number for each scrape. */
export class ScalarSeries {
  readonly identity: SeriesIdentity;
  /** Numbers of the series and of its metric within their endpoint. */
  readonly number: number;
  readonly metricNumber: number;
  /** Whether the series appeared on a page without a finite value before it had one. */
  wasSeenEmpty = false;
  readonly values = new ValueColumn();

  constructor(identity: SeriesIdentity, number: number, metricNumber: number) {
    this.identity = identity;
    this.number = number;
    this.metricNumber = metricNumber;
  }
}

/** A bucket of a histogram series. */
export interface Bucket {
  /** The bound as the server first spelled it, `+Inf` for any infinity above. */
  readonly bound: string;
  readonly upperBound: number;
  readonly counts: ValueColumn;
}

/** A series with cumulative bucket counts, their sum and number for each scrape. */
export class HistogramSeries {
  readonly identity: SeriesIdentity;
  /** Numbers of the series and of its metric within their endpoint. */
  readonly number: number;
  readonly metricNumber: number;
  /** Whether the series appeared on a page without a finite value before it had one. */
  wasSeenEmpty = false;
  readonly #buckets = new Map<number, Bucket>();
  readonly sum = new ValueColumn();
  readonly count = new ValueColumn();

  constructor(identity: SeriesIdentity, number: number, metricNumber: number) {
    this.identity = identity;
    this.number = number;
    this.metricNumber = metricNumber;
  }

  /** The buckets that were ever seen, by ascending bound. */
  get buckets(): Bucket[] {
    return [...this.#buckets.values()].sort((a, b) => a.upperBound - b.upperBound);
  }

  /**
   * The bucket of a bound. `1`, `1.0` and `1e0` are the same one; a missing bound is infinite.
   * Undefined if the text is no number.
   */
  bucket(bound: string | undefined): Bucket | undefined {
    const upperBound = bound === undefined ? Infinity : parseBucketBound(bound);
    if (upperBound === undefined) return undefined;
    const known = this.#buckets.get(upperBound);
    if (known !== undefined) return known;
    const bucket: Bucket = {
      bound: upperBound === Infinity ? "+Inf" : bound as string,
      upperBound,
      counts: new ValueColumn(),
    };
    this.#buckets.set(upperBound, bucket);
    return bucket;
  }
}

/** A series with quantiles that the server computed itself, over its whole life. */
export class SummarySeries {
  readonly identity: SeriesIdentity;
  /** Numbers of the series and of its metric within their endpoint. */
  readonly number: number;
  readonly metricNumber: number;
  /** Whether the series appeared on a page without a finite value before it had one. */
  wasSeenEmpty = false;
  /** By the quantile's text, as `0.5`. */
  readonly quantiles = new Map<string, ValueColumn>();
  readonly sum = new ValueColumn();
  readonly count = new ValueColumn();

  constructor(identity: SeriesIdentity, number: number, metricNumber: number) {
    this.identity = identity;
    this.number = number;
    this.metricNumber = metricNumber;
  }

  /** The column of a quantile. */
  quantile(text: string): ValueColumn {
    let column = this.quantiles.get(text);
    if (column === undefined) this.quantiles.set(text, column = new ValueColumn());
    return column;
  }
}
