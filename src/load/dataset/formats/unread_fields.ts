import * as z from "npm:zod@4.6.7";
import { escapedControls } from "../../../core/files/escaped_controls.ts";

/** Maximum number of field names that are counted, and that a notice lists. */
const MAX_COUNTED = 1000;
const MAX_LISTED = 12;
const MAX_NAME = 60;

/** Counts the fields of an input file's rows that its format does not read. */
export class UnreadFields {
  readonly #rows = new Map<string, number>();
  #count = 0;

  /** Counts a row, whose value was checked by a schema. */
  addRow(value: unknown, schema: z.ZodType): void {
    this.add(unreadNames(value, schema));
  }

  /** Counts a row with fields that are not read. */
  add(names: Iterable<string>): void {
    this.#count++;
    for (const name of new Set(names)) {
      const known = this.#rows.get(name);
      if (known !== undefined || this.#rows.size < MAX_COUNTED) {
        this.#rows.set(name, (known ?? 0) + 1);
      }
    }
  }

  /** Returns a sentence with the fields and the number of rows that have them; undefined for none. */
  notice(path: string): string | undefined {
    if (this.#rows.size === 0) return undefined;
    const sorted = [...this.#rows].sort(([, a], [, b]) => b - a);
    const listed = sorted.slice(0, MAX_LISTED).map(([name, rows]) => `${shown(name)} (${rows})`);
    const more = sorted.length > MAX_LISTED ? `, and ${sorted.length - MAX_LISTED} others` : "";
    return `${path}: fields that are not read or sent, with the number of rows: ` +
      `${listed.join(", ")}${more}; rows read: ${this.#count}`;
  }
}

/** A name as a message has it: of unusual characters, in quotes and escaped. */
function shown(name: string): string {
  const short = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}...` : name;
  return /^[\w .-]+$/.test(short) ? short : escapedControls(JSON.stringify(short));
}

/** Names of the fields that a schema does not have; of objects within the row as a path. */
function unreadNames(value: unknown, schema: z.ZodType, path = ""): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return unreadNames(value, schema.unwrap() as z.ZodType, path);
  }
  if (schema instanceof z.ZodArray) {
    const { element } = schema;
    return Array.isArray(value)
      ? value.flatMap((entry) => unreadNames(entry, element as z.ZodType, path))
      : [];
  }
  if (!(schema instanceof z.ZodObject) || typeof value !== "object" || value === null) return [];
  const shape = schema.shape as Readonly<Record<string, z.ZodType>>;
  return Object.entries(value).flatMap(([name, entry]) => {
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return known === undefined ? [path + name] : unreadNames(entry, known, `${path}${name}.`);
  });
}
