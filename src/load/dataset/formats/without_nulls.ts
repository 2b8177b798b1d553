/**
 * Returns a record without its null fields, and its turns without their null fields. A null is
 * equivalent to a missing field; programs write both. Deeper levels, such as a body, stay
 * unchanged.
 */
export function withoutNulls<T>(record: T): T {
  const fields = withoutNullFields(record);
  const turns = (fields as { turns?: unknown } | null)?.turns;
  return Array.isArray(turns) ? { ...fields, turns: turns.map(withoutNullFields) } : fields;
}

function withoutNullFields<T>(value: T): T {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.values(value).includes(null)
    ? Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null)) as T
    : value;
}
