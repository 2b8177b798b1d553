import type { OptionRow } from "./option.ts";

/** Returns the allowed values of an option as text; undefined if any text is allowed, or none. */
export function valueText(row: OptionRow): string | undefined {
  if (row.choices !== undefined) {
    return `${row.kind === "texts" ? "any of" : "one of"} ${row.choices.join(", ")}`;
  }
  if (row.kind === "flag" || row.kind === "text" || row.kind === "texts") return undefined;
  const { min, max, unit, exclusive, unlimited } = row;
  if (min === max) return String(min);
  const number = row.integer
    ? `a whole number${unit === undefined ? "" : ` of ${unit}`}`
    : unit ?? "a number";
  const range = exclusive
    ? `above ${grouped(min)}, at most ${grouped(max)}`
    : `from ${grouped(min)} to ${grouped(max)}`;
  const several = row.sweeps ? "; several, with commas between, make a run of each" : "";
  return `${number} ${range}${unlimited ? ", or inf" : ""}${several}`;
}

function grouped(bound: number): string {
  return bound.toLocaleString("en-US", { maximumFractionDigits: 6 });
}
