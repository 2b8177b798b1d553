/** What is known of the client's own error, as far as a page shows it. */

/** Bounds of a statistic, in its metric's unit. */
export interface FigureBounds {
  readonly lower: number;
  readonly upper: number;
}

/** The client's error: a word for the run, and the bounds of each statistic by tag and name. */
export interface ErrorBounds {
  readonly verdict: string;
  readonly metrics: Readonly<Record<string, Readonly<Record<string, FigureBounds>>>>;
  readonly reasons?: readonly string[];
}

/** The farthest that the true value of a statistic can be from the one given; undefined if unknown. */
export function largestError(
  bounds: ErrorBounds | undefined,
  tag: string,
  statistic: string,
  value: number,
): number | undefined {
  const found = bounds?.metrics[tag]?.[statistic];
  if (found === undefined) return undefined;
  const error = Math.max(value - found.lower, found.upper - value);
  return Number.isFinite(error) && error >= 0 ? error : undefined;
}
