import type { SweptOption } from "../../config/options/swept_options.ts";
import { flagOf } from "../../config/options/option.ts";
import { UsageError } from "../../config/options/usage_error.ts";

/** A point of a sweep: one value of each option that is swept. */
export interface SweepPoint {
  /** Index of the point, from 0. */
  readonly index: number;
  /** By the names of the parameters, as `concurrency`, in their order; no limit as users write it. */
  readonly values: Readonly<Record<string, number | "inf">>;
  /** By the options' own names. */
  readonly options: Readonly<Record<string, number>>;
  /** `concurrency=4, isl=128`. */
  readonly label: string;
  /** Whether it repeats an inconclusive step of a search, longer; absent if not. */
  readonly isLonger?: true;
  /** Folder of the point, as AIPerf calls it: `concurrency_4__isl_128`. */
  readonly folder: string;
}

/** Maximum number of points; more are considered a mistake. */
const MAX_POINTS = 10_000;

/**
 * Returns the points of a sweep, the last parameter's values changing first. Without a parameter
 * there is one point.
 * @throws {UsageError} if zipped lists have different lengths
 */
export function sweepPoints(swept: readonly SweptOption[], type: "grid" | "zip"): SweepPoint[] {
  const rows = type === "zip" ? zipped(swept) : product(swept);
  return rows.map((row, index) => {
    const entries = swept.map(({ name }, column) => {
      const value = row[column] as number;
      return [name, value === Infinity ? "inf" : value] as const;
    });
    return {
      index,
      values: Object.fromEntries(entries),
      options: Object.fromEntries(swept.map(({ option }, column) => [option, row[column]])),
      label: entries.map(([name, value]) => `${name}=${value}`).join(", "),
      folder: entries.map(([name, value]) => `${name}_${value}`).join("__"),
    } as SweepPoint;
  });
}

function zipped(swept: readonly SweptOption[]): number[][] {
  const [first, ...others] = swept;
  if (first === undefined) return [[]];
  const other = others.find(({ values }) => values.length !== first.values.length);
  if (other !== undefined) {
    throw new UsageError(
      "--sweep-type",
      `zip needs lists of one length: ${flagOf(first.option)} has ${first.values.length} values, ` +
        `${flagOf(other.option)} ${other.values.length}`,
    );
  }
  return first.values.map((_, row) => swept.map(({ values }) => values[row] as number));
}

function product(swept: readonly SweptOption[]): number[][] {
  const count = swept.reduce((count, { values }) => count * values.length, 1);
  if (count > MAX_POINTS) {
    throw new UsageError("--sweep-type", `grid makes ${count} points, more than ${MAX_POINTS}`);
  }
  return swept.reduce<number[][]>(
    (rows, { values }) => rows.flatMap((row) => values.map((value) => [...row, value])),
    [[]],
  );
}
