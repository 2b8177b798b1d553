import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonSchema } from "../../src/report/export/schemas/json_schema.ts";

/** What of a value is not as its schema says; empty if it is. */
export function schemaProblems(schema: JsonSchema, value: unknown): string[] {
  const validate = new Ajv2020({ strictTypes: false }).compile(schema);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
