import type { MeasuredRequests } from "./error_finder.ts";
import { type ErrorCircumstances, errorReasons } from "./error_reasons.ts";
import { measureError } from "./measure_error.ts";
import type { MeasurementError } from "./measurement_error.ts";

/** The client's own error, and why it is what it is; undefined where it was not measured. */
export function explainedError(
  measured: MeasuredRequests,
  circumstances: Omit<ErrorCircumstances, "verdict">,
): MeasurementError | undefined {
  const error = measureError(measured);
  return error &&
    { ...error, reasons: errorReasons({ ...circumstances, verdict: error.verdict }) };
}
