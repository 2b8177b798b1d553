import { REDACTED } from "./redactor.ts";
import { isSecretName } from "./secret_names.ts";

/**
 * Returns the fields of a request body as shown in files: values under a secret's name are
 * replaced.
 */
export function redactedFields(
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return redactedValue(fields) as Record<string, unknown>;
}

function redactedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactedValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map((
      [name, entry],
    ) => [name, isSecretName(name) ? REDACTED : redactedValue(entry)]),
  );
}

/** The texts under secrets' names, at any depth. */
export function secretsOfFields(fields: unknown, isSecret = false): string[] {
  if (typeof fields === "string" || typeof fields === "number") {
    return isSecret ? [String(fields)] : [];
  }
  if (typeof fields !== "object" || fields === null) return [];
  return Object.entries(fields).flatMap(([name, value]) =>
    secretsOfFields(value, isSecret || (!Array.isArray(fields) && isSecretName(name)))
  );
}
