/**
 * Model of a metrics response: everything that the Prometheus text format 0.0.4 and OpenMetrics 1.0
 * can express, independent of the notation.
 */

/** Types a family can have. The classic word `untyped` and the OpenMetrics word `unknown` are one. */
export type FamilyType =
  | "counter"
  | "gauge"
  | "histogram"
  | "summary"
  | "unknown"
  | "info"
  | "stateset"
  | "gaugehistogram";

/** One line with a value. */
export interface MetricSample {
  /** The sample's own name, as on the wire: `ttft_bucket`, not `ttft`. */
  readonly name: string;
  /** Label values by name; the record has no prototype, so `constructor` is a label like another. */
  readonly labels: Readonly<Record<string, string>>;
  /** The value. */
  readonly value: number;
}

/** Samples that belong together, with what the page says about them. */
export interface MetricFamily {
  /** The family's name; counters lose `_total`, unless that name is taken by another type. */
  readonly name: string;
  /** The type given by a TYPE line, else `unknown`. */
  readonly type: FamilyType;
  /** The text of the HELP line, unescaped, else empty. */
  readonly help: string;
  /** The unit given by an OpenMetrics UNIT line. */
  readonly unit: string | null;
  /** Samples in the order of the page. */
  readonly samples: readonly MetricSample[];
}

/** A defect of a page and its place. */
export interface ParseProblem {
  /** The line, counted from 1. */
  readonly line: number;
  /** The column in UTF-16 code units, counted from 1. */
  readonly column: number;
  /** The expected text and the one found. */
  readonly message: string;
}

/** The HELP, TYPE and UNIT of one name on a page. */
export interface FamilyMetadata {
  /** The name as these lines give it: a classic counter's ends in `_total`. */
  readonly name: string;
  /** The type, `null` where no TYPE line gave a valid one. */
  readonly type: FamilyType | null;
  /** The HELP text, unescaped, else empty. */
  readonly help: string;
  /** The unit of an OpenMetrics page. */
  readonly unit: string | null;
}

/** One series: what a name and a set of labels stand for on every page of an endpoint. */
export interface SampleSeries {
  /** Position in `TextParser.series`. */
  readonly id: number;
  /** The name as on the wire. */
  readonly name: string;
  /** Unescaped, sorted by name in the order of UTF-16 code units; empty values are kept. */
  readonly labels: readonly (readonly [name: string, value: string])[];
}
