/** Where the numbers of a role are read from. */

import type { RoleName } from "./roles.ts";

/** Way in which series become one number. */
export type Together =
  /** Sum over the instances; of counters and histograms, the sum of their increases. */
  | "sum"
  /** Mean over all instances, idle ones too, and the largest of them. */
  | "mean"
  /** Largest value. */
  | "max"
  /** Sums of histograms: sum of sums by sum of counts. */
  | "histogram"
  /** Sums by the values of a label. */
  | "by";

/** Series that a role is read from. */
export interface RoleSource {
  /** Names of metrics; counters without `_total`. Several are added up; a page must have all. */
  readonly names: readonly string[];
  readonly together: Together;
  /** null for none. */
  readonly unit: string | null;
  /** Values of labels that a series must have. */
  readonly where?: Readonly<Record<string, readonly string[]>>;
  /** Whether a page may have only some of the names. */
  readonly mayLack?: true;
  /** A metric without which this source does not hold. */
  readonly ifPresent?: string;
  /** Label whose values are the parts, for `by`. */
  readonly label?: string;
  /** Label that has the number; the value is always 1. */
  readonly valueLabel?: string;
  /** Label of what is measured: series with the same value are copies. */
  readonly oncePer?: string;
  /** Whether series are of models, and each step of an ensemble counts the same requests. */
  readonly perModel?: true;
  /** Whether it may leave some out, so that less than the client counts means nothing. */
  readonly isPartial?: true;
  /** Whether a histogram has one observation for each decode step, not for each token. */
  readonly perStep?: true;
}

/** Sources of each role; the first that a page has is used. */
export type RoleSources = Readonly<Partial<Record<RoleName, readonly RoleSource[]>>>;

type SourceDetails = Omit<RoleSource, "names" | "together" | "unit">;
type Names = string | readonly string[];

function source(together: Together) {
  return (unit: string | null, names: Names, details: SourceDetails = {}): RoleSource => ({
    ...{ together, unit, names: typeof names === "string" ? [names] : names },
    ...details,
  });
}

/** Source whose series are added up: `sum(unit, names)`. */
export const sum = source("sum");
/** Source whose series are averaged: `mean(unit, names)`. */
export const mean = source("mean");
/** Source of which the largest series is meant: `largest(unit, names)`. */
export const largest = source("max");
/** Source of histograms: `histogram(unit, names)`. */
export const histogram = source("histogram");

/** Source that is split by a label. */
export function by(label: string, unit: string | null, name: string): RoleSource {
  return { together: "by", unit, names: [name], label };
}

/** Sources whose metrics all begin with the same prefix. */
export function prefixed(prefix: string, roles: RoleSources): RoleSources {
  const full = (name: string): string => `${prefix}${name}`;
  return Object.fromEntries(
    Object.entries(roles).map(([role, sources]) => [
      role,
      sources.map(({ names, ifPresent, ...rest }): RoleSource => ({
        ...rest,
        names: names.map(full),
        ...(ifPresent === undefined ? {} : { ifPresent: full(ifPresent) }),
      })),
    ]),
  );
}

/** Names that all begin with the same prefix. */
export function names(prefix: string, ...rest: readonly string[]): string[] {
  return rest.map((name) => `${prefix}${name}`);
}
