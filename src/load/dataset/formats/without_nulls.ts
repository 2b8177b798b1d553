/**
 * A record without the fields that are null, and its turns without theirs: they say nothing, as fields
 * that are missing; programs write both. What lies deeper, such as a body, stays as it is.
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
