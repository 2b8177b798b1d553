/** A number as JSON has it: null if it is not known or infinite. */
export function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
