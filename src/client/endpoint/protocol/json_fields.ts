/** Reading of parsed JSON whose shape is not known. */

/** Whether a value is a JSON object. */
export function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a string unchanged, anything else as the empty string. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
