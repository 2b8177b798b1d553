/** A run of another tool as its result file tells of it. */

/** An object in a file. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** One request. What a file does not say is NaN. */
export interface ForeignRequest {
  /** Nanoseconds after the run's start. */
  readonly startNs: number;
  readonly latencyMs: number;
  readonly ttftMs: number;
  readonly itlMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Milliseconds between the chunks of a reply; undefined if the file does not have them. */
  readonly gapsMs: readonly number[] | undefined;
  /** What went wrong; undefined for a request that did not fail. */
  readonly error: string | undefined;
}

/** Statistics of a metric that the file has without its requests, such as `avg` and `p99`. */
export interface ForeignFigures {
  readonly unit: string;
  readonly stats: Readonly<Record<string, number>>;
}

/** See the module's comment. */
export interface ForeignResult {
  /** The program as `name/version`. */
  readonly product: string;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly durationSeconds: number;
  readonly model: string;
  readonly url: string | undefined;
  readonly endpointType: string;
  /** The load as the file's settings have it: type, requests, concurrency, rate. */
  readonly load: Readonly<Record<string, string | number>>;
  /** Each request; undefined if the file has statistics alone. */
  readonly requests: readonly ForeignRequest[] | undefined;
  /** Figures by our tags, as the tool computed them. */
  readonly figures: ReadonlyMap<string, ForeignFigures>;
  /** Requests as the tool counted them, of which its file may have some or none. */
  readonly succeeded: number;
  readonly failed: number;
  /** What a reader of the figures has to know, a sentence each. */
  readonly notes: readonly string[];
}

/** A value as an object; an empty one if it is none. */
export function objectIn(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as JsonObject
    : {};
}

/** A value as a number; NaN if it is none. */
export function numberIn(value: unknown): number {
  return typeof value === "number" ? value : NaN;
}

/** A value as a list; an empty one if it is none. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Entries that are numbers, without the others. */
export function numbersIn(values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => Number.isFinite(value)));
}

/** Figures of one statistic each that are there. */
export function figuresOf(
  rows: readonly (readonly [tag: string, unit: string, value: number])[],
): [string, ForeignFigures][] {
  return rows.filter(([, , value]) => Number.isFinite(value))
    .map(([tag, unit, avg]) => [tag, { unit, stats: { avg } }]);
}
