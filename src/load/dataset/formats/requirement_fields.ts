import * as z from "npm:zod@4.6.7";

/** Fields of a row that go into the body: tools, and what the reply must be. */
export const REQUIREMENT_FIELDS = {
  "tools": z.array(z.unknown()).optional(),
  "tool_choice": z.unknown().optional(),
  "parallel_tool_calls": z.boolean().optional(),
  "response_format": z.record(z.string(), z.unknown()).optional(),
  // Names of vLLM, SGLang and llama.cpp that no column of a dataset has by chance.
  "structured_outputs": z.record(z.string(), z.unknown()).optional(),
  "guided_json": z.unknown().optional(),
  "guided_regex": z.string().optional(),
  "guided_choice": z.array(z.unknown()).optional(),
  "guided_grammar": z.string().optional(),
  "json_schema": z.unknown().optional(),
  "ebnf": z.string().optional(),
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
