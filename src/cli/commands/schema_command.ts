import { CONFIG_SCHEMA } from "../../report/export/schemas/config_schema.ts";
import { SCHEMAS } from "../../report/export/schemas/schemas.ts";
import type { JsonSchema } from "../../report/export/schemas/json_schema.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { nearest } from "../../config/options/nearest.ts";
import { writeOut } from "../terminal/terminal.ts";

/** The schemas of a run's files, and of the one that describes a run. */
export const ALL_SCHEMAS: ReadonlyMap<string, JsonSchema> = new Map([...SCHEMAS, [
  "config.yaml",
  CONFIG_SCHEMA,
]]);

/**
 * Runs `inferometer schema`: prints the JSON Schema of a file, or those of all files by their names.
 * @returns the exit code
 * @throws {UsageError} if there is no such file
 */
export function schemaCommand(name: string | undefined): number {
  const schema = name === undefined ? Object.fromEntries(ALL_SCHEMAS) : ALL_SCHEMAS.get(name);
  if (schema === undefined) {
    const names = [...ALL_SCHEMAS.keys()];
    const guess = nearest(name as string, names);
    const advice = guess === undefined
      ? `there are ${names.join(", ")}`
      : `did you mean "${guess}"?`;
    throw new UsageError("NAME", `No schema of "${name}": ${advice}`);
  }
  writeOut(`${JSON.stringify(schema, null, 2)}\n`);
  return EXIT_CODE.done;
}
