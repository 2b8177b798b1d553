import { missingFor, parseSlos, type Slo } from "../gate/slo.ts";
import type { ProfileSettings } from "../options/profile_options.ts";
import { UsageError } from "../options/usage_error.ts";

/**
 * The objectives of a run.
 * @throws {UsageError} for one that cannot be read, or that no such run can have a value of
 */
export function resolveSlos(
  { slo = [], streaming, noServerMetrics, costPerHour }: ProfileSettings,
): readonly Slo[] {
  const slos = parseSlos(slo);
  for (const one of slos) {
    const missing = missingFor(one, {
      ...{ streaming, serverMetrics: !noServerMetrics },
      cost: costPerHour !== undefined,
    });
    if (missing !== undefined) {
      throw new UsageError("--slo", `"${one.name}" has no value without ${missing}`);
    }
  }
  return slos;
}
