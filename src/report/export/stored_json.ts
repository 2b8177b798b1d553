import { escapedControls } from "../../core/files/escaped_controls.ts";

/**
 * Returns JSON text that only this product reads. Numbers that JSON cannot hold, including big
 * integers, are written as `{"$float": "Infinity"}` and `{"$int": "1"}`.
 */
export function storedJson(value: unknown): string {
  const text = JSON.stringify(
    value,
    (_key, entry) => {
      if (typeof entry === "bigint") return { "$int": String(entry) };
      return typeof entry === "number" && !Number.isFinite(entry)
        ? { "$float": String(entry) }
        : entry;
    },
    2,
  );
  return escapedControls(text);
}

/**
 * The value of such a text.
 * @throws {SyntaxError} if it is not JSON
 */
export function readStoredJson(text: string): unknown {
  return JSON.parse(text, (_key, value) => {
    if (typeof value?.["$float"] === "string") return Number(value["$float"]);
    return typeof value?.["$int"] === "string" ? BigInt(value["$int"]) : value;
  });
}
