/** Returns the name above all others of a name, and the levels between them. */
export function rootOf(
  name: string,
  parentOf: (name: string) => string | undefined,
): { root: string; depth: number } {
  const seen = new Set<string>();
  let at = name;
  for (let up = parentOf(at); up !== undefined && !seen.has(at); up = parentOf(at)) {
    seen.add(at);
    at = up;
  }
  return { root: at, depth: seen.size };
}
