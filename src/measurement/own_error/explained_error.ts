import type { MeasuredRequests } from "./error_finder.ts";
import { type ErrorCircumstances, errorReasons } from "./error_reasons.ts";
import { measureError } from "./measure_error.ts";
import type { MeasurementError } from "./measurement_error.ts";
import { percentileOfKnown } from "./percentile_of_known.ts";

/** The client's own error, and why it is what it is; undefined where it was not measured. */
export function explainedError(
  measured: MeasuredRequests,
  circumstances: Omit<ErrorCircumstances, "verdict" | "piledMs">,
): MeasurementError | undefined {
  const error = measureError(measured);
  if (error === undefined) return undefined;
  const { verdict } = error;
  const piledMs = verdict === "valid" ? 0 : piledP99Ms(measured);
  return { ...error, reasons: errorReasons({ ...circumstances, verdict, piledMs }) };
}

/**
 * Returns the time that ends of replies waited in the socket buffer behind earlier bytes, at the
 * 99th percentile, in milliseconds.
 */
function piledP99Ms({ rows, table }: MeasuredRequests): number {
  const column = table.piled.last;
  // Of a whole table the numbers go when this is known; its parts need them again.
  const piled = rows === undefined ? column.copy() : column.values;
  const own = rows === undefined ? piled : Float64Array.from(rows, (row) => piled[row] as number);
  return percentileOfKnown(own, 99) / 1e6;
}
