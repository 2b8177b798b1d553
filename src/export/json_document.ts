/**
 * A JSON document in pieces. Objects may be given as `Map`s, whose keys keep their order whatever
 * they are called; big integers stand digit for digit; numbers that JSON cannot hold are left out.
 */
export function* jsonDocument(value: unknown): Generator<string> {
  yield* pieces(value, "\n");
}

function* pieces(value: unknown, indent: string): Generator<string> {
  if (typeof value === "bigint") yield value.toString();
  else if (value === null || typeof value !== "object") yield JSON.stringify(value);
  else if (Array.isArray(value)) yield* list(value, indent);
  else yield* object(value instanceof Map ? value : Object.entries(value), indent);
}

function* list(values: readonly unknown[], indent: string): Generator<string> {
  if (values.length === 0) return yield "[]";
  let separator = "[";
  for (const value of values) {
    yield `${separator}${indent}  `;
    yield* pieces(isWritten(value) ? value : null, `${indent}  `);
    separator = ",";
  }
  yield `${indent}]`;
}

function* object(entries: Iterable<[string, unknown]>, indent: string): Generator<string> {
  let separator = "{";
  for (const [key, value] of entries) {
    if (!isWritten(value)) continue;
    yield `${separator}${indent}  ${JSON.stringify(key)}: `;
    yield* pieces(value, `${indent}  `);
    separator = ",";
  }
  yield separator === "{" ? "{}" : `${indent}}`;
}

function isWritten(value: unknown): boolean {
  return value !== undefined && (typeof value !== "number" || Number.isFinite(value));
}
