import type { SeriesIdentity } from "./series.ts";

/**
 * Pairs new series with series that ended, where they differ only by labels that were added or
 * removed. A series that fits several others is paired with none: it is unknown which one continues
 * it.
 * @param added identities of the new series by any keys
 * @returns the ended series of each key that has one
 */
export function continuedSeries<T extends { readonly identity: SeriesIdentity }>(
  added: ReadonlyMap<string, SeriesIdentity>,
  ended: Iterable<T>,
): Map<string, T> {
  const endedByName = Map.groupBy(ended, ({ identity: { name, type } }) => `${type} ${name}`);
  const fits = new Map<string, readonly T[]>();
  const uses = new Map<T, number>();
  for (const [key, identity] of added) {
    const candidates = endedByName.get(`${identity.type} ${identity.name}`) ?? [];
    const fitting = candidates.filter((one) => isRelabelled(one.identity, identity));
    fits.set(key, fitting);
    for (const one of fitting) uses.set(one, (uses.get(one) ?? 0) + 1);
  }
  const pairs = new Map<string, T>();
  for (const [key, [first, ...others]] of fits) {
    if (first !== undefined && others.length === 0 && uses.get(first) === 1) pairs.set(key, first);
  }
  return pairs;
}

/** Whether one of two series has all labels of the other, and more. */
function isRelabelled({ labels: a }: SeriesIdentity, { labels: b }: SeriesIdentity): boolean {
  const [fewer, more] = a.length < b.length ? [a, b] : [b, a];
  if (fewer.length === more.length) return false;
  const values = new Map(more);
  return fewer.every(([name, value]) => values.get(name) === value);
}
