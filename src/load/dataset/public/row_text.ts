import type { DatasetRow } from "./dataset_row.ts";

const COLUMN = /\{(\w+)\}/g;

/** The names of columns in a template. */
export function templateColumns(template: string): string[] {
  return [...template.matchAll(COLUMN)].map(([, name]) => name as string);
}

/**
 * Returns a template filled with the values of a row's columns, without whitespace around it.
 * @throws {DatasetError} if the row has no such column
 */
export function filledTemplate(template: string, row: DatasetRow): string {
  return template.replace(COLUMN, (_, name: string) => {
    if (!(name in row.fields)) throw row.error("There is no such column", name);
    return valueText(row.fields[name]);
  }).trim();
}

/** Returns the text of a value in a prompt; several choices get a letter each. */
function valueText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (Array.isArray(value)) return value.map(valueText).join("\n");
  if (typeof value !== "object") return String(value);
  return Object.entries(value).filter(([, text]) => valueText(text) !== "")
    .map(([name, text]) => `${name}.${valueText(text)}`).join(" ");
}
