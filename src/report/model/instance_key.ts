import type { RoleInput, RolePart } from "./role_figure.ts";

/** A series with its origin, as far as the instance depends on it. */
type Origin = Pick<RolePart, "endpoint" | "source">;

/** Labels by which an instance divides what it counts: outcomes of requests, and their kind. */
const DIVIDING: ReadonlySet<string> = new Set([
  ...["finished_reason", "finish_reason", "reason", "status", "status_code", "http_code"],
  ...["err", "error_type", "method", "route", "is_streaming"],
]);

/**
 * Names the instance that a series is of: its endpoint and labels, without those that only divide
 * what one instance reports.
 */
export function instanceKey(
  { endpoint, source: { label, where = {} } }: Origin,
  { labels }: Pick<RoleInput, "labels">,
): string {
  const own = labels.filter(([name]) =>
    name !== label && !Object.hasOwn(where, name) && !DIVIDING.has(name)
  );
  return JSON.stringify([endpoint.url, own.toSorted(([a], [b]) => a < b ? -1 : 1)]);
}

/** Number of instances that the series of some parts are of. */
export function instanceCount(
  parts: readonly (Origin & Pick<RolePart, "series">)[],
): number {
  return new Set(parts.flatMap((part) => part.series.map((one) => instanceKey(part, one)))).size;
}

/** Number of instances all of whose series are idle. */
export function idleInstances(
  series: readonly { readonly key: string; readonly isIdle: boolean }[],
): number {
  const busy = new Set(series.filter(({ isIdle }) => !isIdle).map(({ key }) => key));
  return new Set(series.map(({ key }) => key).filter((key) => !busy.has(key))).size;
}
