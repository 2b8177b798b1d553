import { escapedControls } from "./escaped_controls.ts";

/**
 * JSON text in which big integers stand digit for digit, numbers that JSON cannot hold are left out,
 * and every control character is escaped.
 * @param indent spaces a level; 0 for one line
 */
export function jsonText(value: unknown, indent = 2): string {
  // Lines of records are mostly texts, which need no second look at what is in them.
  if (typeof value === "string") return escapedControls(JSON.stringify(value));
  const json = JSON.stringify(
    value,
    (_key, entry) => {
      if (typeof entry === "bigint") return rawNumber(entry.toString());
      if (typeof entry === "number" && !Number.isFinite(entry)) return undefined;
      return entry;
    },
    indent,
  );
  return escapedControls(json);
}

/** JSON text on one line that ends it. */
export function jsonLine(text: string): string {
  return `${JSON.stringify(JSON.parse(text))}\n`;
}

/** A number that is written exactly as these digits. */
function rawNumber(digits: string): unknown {
  // In all runtimes this product supports, but not yet in TypeScript's library.
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits);
}
