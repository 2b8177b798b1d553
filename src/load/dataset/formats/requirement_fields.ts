import * as z from "npm:zod@4.6.7";

/** Fields of a row that go into the body: tools, and what the reply must be. */
export const REQUIREMENT_FIELDS = {
  "tools": z.array(z.unknown()).optional(),
  "tool_choice": z.unknown().optional(),
  "response_format": z.record(z.string(), z.unknown()).optional(),
} as const;

const NAMES = Object.keys(REQUIREMENT_FIELDS) as readonly (keyof typeof REQUIREMENT_FIELDS)[];

/** Returns the fields of {@linkcode REQUIREMENT_FIELDS} that a row has. */
export function requirementsOf(
  row: Partial<Record<keyof typeof REQUIREMENT_FIELDS, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    NAMES.flatMap((name) => row[name] === undefined ? [] : [[name, row[name]]]),
  );
}
