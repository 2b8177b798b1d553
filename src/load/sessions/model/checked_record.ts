import type * as z from "npm:zod@4.6.7";
import type { InputRecord, JsonPath } from "../../dataset/formats/input_record.ts";

/** Fields that are sent unchanged. */
const SENT_FIELDS = new Set(["messages", "tools", "content", "tool_calls"]);

/**
 * Returns the validated content of a record without its nulls at any depth, except in fields that
 * are sent.
 * @param value that is checked instead of the whole record
 * @throws {DatasetError} if it is not JSON, or not of this shape
 */
export function checkedRecord<T>(
  record: InputRecord,
  schema: z.ZodType<T>,
  value: unknown = record.json,
): T {
  const result = schema.safeParse(withoutNulls(value));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw record.error(issue?.message ?? result.error.message, (issue?.path ?? []) as JsonPath);
}

/** Returns a value without its nulls at any depth, except in fields that are sent. */
export function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    // Lists of ids are long.
    return typeof value[0] === "object" ? value.map(withoutNulls) : value;
  }
  return Object.fromEntries(
    Object.entries(value).filter(([, field]) => field !== null)
      .map(([name, field]) => [name, SENT_FIELDS.has(name) ? field : withoutNulls(field)]),
  );
}
