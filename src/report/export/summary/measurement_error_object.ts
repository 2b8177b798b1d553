import type { MeasurementError } from "../../../measurement/own_error/measurement_error.ts";

/** The key `measurement_error` of the summary and of the time slices; nothing if it was not measured. */
export function measurementErrorObject(
  error: MeasurementError | undefined,
): Record<string, unknown> {
  if (error === undefined) return {};
  return {
    "measurement_error": {
      "verdict": error.verdict,
      "metrics": Object.fromEntries(error.metrics),
      "reasons": error.reasons,
    },
  };
}
