import type { GpuField } from "../../../telemetry/gpu/gpu_fields.ts";
import { fieldKinds } from "../../gate/gpu_figure.ts";
import { missingFor } from "../../gate/missing_for.ts";
import { parseSlos, type Slo } from "../../gate/slo.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import type { VerifyPlan } from "../verify_plan.ts";
import { UsageError } from "../../options/usage_error.ts";

/**
 * The objectives of a run.
 * @param customFields of its GPUs
 * @param verify checks of its answers
 * @throws {UsageError} for one that cannot be read, or that no such run can have a value of
 */
export function resolveSlos(
  { slo = [], streaming, noServerMetrics, noGpuTelemetry, costPerHour, gpus }: ProfileSettings,
  customFields: readonly GpuField[],
  verify: VerifyPlan | undefined,
): readonly Slo[] {
  const slos = parseSlos(slo, fieldKinds(customFields));
  for (const one of slos) {
    const missing = missingFor(one, {
      ...{ streaming, serverMetrics: !noServerMetrics },
      gpuTelemetry: !noGpuTelemetry,
      cost: costPerHour !== undefined,
      gpus: gpus !== undefined && gpus.length > 0,
      answers: verify?.answers === true,
      drift: verify?.sample !== undefined,
    });
    if (missing !== undefined) {
      throw new UsageError("--slo", `"${one.name}" has no value without ${missing}`);
    }
  }
  return slos;
}
