/**
 * The engines whose metrics are on a page.
 *
 * The longest prefix decides: `vllm_router_requests` is the router's, though vLLM's own names may
 * begin with `vllm_`. Names without a prefix count only where no other server is on the page and
 * two of the telling ones are. Series that a router shows about other servers are no engine's.
 */

import type { Engine } from "./engine.ts";
import { ENGINES } from "./engines.ts";

/** Name, type and labels of a series. */
export interface SeriesHead {
  /** Name as it is exported: counters have lost `_total`. */
  readonly name: string;
  /** `counter`, `gauge`, `histogram`, `summary`; anything else where that is not known. */
  readonly type: string;
  readonly labels: readonly (readonly [name: string, value: string])[];
}

/** Series of an engine, by the names that the table has for their metrics. */
export type EngineMetrics<S> = ReadonlyMap<string, readonly S[]>;

/** Bare names that make an engine of a page without prefixes. */
const LEAST_BARE_NAMES = 2;
/** All prefixes, the longest first. */
const PREFIXES: readonly (readonly [prefix: string, engine: Engine])[] = ENGINES
  .flatMap((engine) => engine.prefixes.map((prefix) => [prefix, engine] as const))
  .sort(([a], [b]) => b.length - a.length);
const BARE = ENGINES.filter(({ bareNames }) => bareNames !== undefined);

/** The series of a page by the engines that they are of. */
export function pageEngines<S extends SeriesHead>(
  page: Iterable<S>,
): ReadonlyMap<Engine, EngineMetrics<S>> {
  const all = [...page];
  const found = new Map<Engine, Map<string, S[]>>();
  const names = new Map<string, ReturnType<typeof knownName>>();
  for (const series of all) {
    // There may be many series of a name.
    if (!names.has(series.name)) names.set(series.name, knownName(series.name));
    const known = names.get(series.name);
    if (known === undefined || isOfOthers(known.engine, series)) continue;
    add(found, known.engine, metricKey(known.name, series), series);
  }
  const hasServer = [...found.keys()].some(({ layer }) => layer !== "tier" && layer !== "gpu");
  if (!hasServer) {
    for (const engine of BARE) {
      const keys = new Set(all.map((series) => metricKey(series.name, series)));
      const telling = engine.bareNames?.filter((name) => keys.has(name)) ?? [];
      if (telling.length < LEAST_BARE_NAMES) continue;
      for (const series of all) add(found, engine, metricKey(series.name, series), series);
    }
  }
  return new Map(ENGINES.flatMap((engine) => {
    const metrics = found.get(engine);
    return metrics === undefined ? [] : [[engine, metrics] as const];
  }));
}

/** The engine that a name belongs to by its prefix, and the name as the table spells it. */
export function knownName(
  name: string,
): { readonly engine: Engine; readonly name: string; readonly bare: string } | undefined {
  const found = PREFIXES.find(([prefix]) => name.startsWith(prefix));
  if (found === undefined) return undefined;
  const [prefix, engine] = found;
  const bare = name.slice(prefix.length);
  const own = engine.hasAliases ? `${engine.prefixes[0]}${bare}` : name;
  return { engine, name: own, bare };
}

/** Name of a metric without the ending that counters have on some pages and not on others. */
export function metricKey(name: string, { type }: Pick<SeriesHead, "type">): string {
  return type === "histogram" ? name : name.replace(/(?<=.)_total$/, "");
}

/** Whether a router shows the series about another server. */
function isOfOthers({ routerLabels = [] }: Engine, { labels }: SeriesHead): boolean {
  return labels.some(([label]) => routerLabels.includes(label));
}

function add<S>(
  found: Map<Engine, Map<string, S[]>>,
  engine: Engine,
  name: string,
  series: S,
): void {
  const metrics = found.get(engine) ?? new Map<string, S[]>();
  found.set(engine, metrics);
  const known = metrics.get(name);
  if (known === undefined) metrics.set(name, [series]);
  else known.push(series);
}
