/**
 * The order of label columns of a table. Labels that occur together form a family; families are
 * ordered by their first label. Within one, labels that a single row has come first, each part in
 * alphabetical order.
 * @param rows the label names of each row
 */
export function labelColumns(rows: readonly (readonly string[])[]): string[] {
  const counts = new Map<string, number>();
  const family = new Map<string, Set<string>>();
  for (const names of rows) {
    const joined = new Set<string>();
    for (const name of names) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      for (const member of family.get(name) ?? [name]) joined.add(member);
    }
    for (const name of joined) family.set(name, joined);
  }
  const families = [...new Set(family.values())].map((members) => [...members].sort());
  families.sort(([a], [b]) => (a as string) < (b as string) ? -1 : 1);
  return families.flatMap((members) => [
    ...members.filter((name) => counts.get(name) === 1),
    ...members.filter((name) => counts.get(name) !== 1),
  ]);
}
