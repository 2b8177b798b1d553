/** JSON whose keys are in order, so that equal values have equal texts. Infinity and NaN are texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, entry) => {
    if (typeof entry === "number" && !Number.isFinite(entry)) return String(entry);
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return entry;
    return Object.fromEntries(Object.entries(entry).sort(([a], [b]) => a < b ? -1 : 1));
  });
}
