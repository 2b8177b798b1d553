/** Values of `server_truth` that objectives name, such as `cache.hit_rate`. */

import { nearest } from "../options/nearest.ts";

/** Parts of `server_truth` whose values objectives name. */
const PARTS = ["cache", "speculation"];

/** Units of the values by their names. */
const UNITS: ReadonlyMap<string, string> = new Map([
  ...[
    ...["cache.hit_rate", "cache.ideal_hit_rate", "cache.ideal_lru_hit_rate"],
    ...["cache.achieved_of_ideal", "cache.computed_share"],
    ...["speculation.acceptance_rate", "speculation.acceptance_rate_request_mean"],
    ...["speculation.drafted_share"],
  ].map((name) => [name, "ratio"] as const),
  ...[
    ...["speculation.acceptance_length", "speculation.acceptance_length_request_mean"],
    ...["speculation.tokens_per_step"],
  ].map((name) => [name, "tokens"] as const),
]);

/** Names of all values. */
export const TRUTH_NAMES: readonly string[] = [...UNITS.keys()];

/** A value that servers report about themselves, or why there is none. */
export interface TruthFigure {
  readonly value: number | undefined;
  readonly unit: string;
  readonly reason: string | undefined;
}

/** Whether a name begins as those of these values do. */
export function isTruthName(name: string): boolean {
  return PARTS.includes((name.split(".")[0] ?? "").toLowerCase());
}

/** Unit of a value; undefined if there is none of that name. */
export function truthUnit(name: string): string | undefined {
  return UNITS.get(name);
}

/** The name that a misspelt one most likely meant. */
export function nearestTruthName(name: string): string | undefined {
  return nearest(name, TRUTH_NAMES);
}

/** The values of an object `server_truth`, by their names. */
export function truthFigures(truth: unknown): ReadonlyMap<string, TruthFigure> {
  const reasons = fieldsOf(fieldsOf(truth)["reasons"]);
  return new Map(TRUTH_NAMES.map((name): [string, TruthFigure] => {
    const [part = "", key = ""] = name.split(".");
    const value = fieldsOf(fieldsOf(truth)[part])[key];
    const reason = reasons[name];
    return [name, {
      value: typeof value === "number" ? value : undefined,
      unit: truthUnit(name) ?? "",
      reason: typeof reason === "string" ? reason : undefined,
    }];
  }));
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}
