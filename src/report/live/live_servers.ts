/** The newest numbers of the servers: the rows of the short report, from their last pages. */

import { BRIEF_ROLES, type Engine, INNERMOST_FIRST } from "../../telemetry/engines/engine.ts";
import { labelNumber, shareScale } from "../../telemetry/engines/level_values.ts";
import { type EngineMetrics, pageEngines } from "../../telemetry/engines/page_engines.ts";
import { type RoleSeries, roleSeries } from "../../telemetry/engines/role_series.ts";
import {
  isShare,
  type RoleName,
  ROLES,
  type ShareName,
  SHARES,
} from "../../telemetry/engines/roles.ts";
import type { EndpointSeries, Series } from "../../telemetry/timeseries/endpoint_series.ts";
import {
  HistogramSeries,
  ScalarSeries,
  type SeriesIdentity,
} from "../../telemetry/timeseries/series.ts";
import type { ScrapedEndpoint } from "../model/scraped_endpoint.ts";
import { distinctEndpoints } from "../model/distinct_endpoints.ts";
import { MS_PER } from "../model/milliseconds.ts";
import type { LiveLevels, LiveResults, LiveServer, LiveServerFigure } from "./live_model.ts";

/** Pages over which a mean time, or a ratio of two counters, is taken. */
const PAGES = 10;

/** Two totals whose growth is wanted, page by page. */
interface Pair {
  readonly top: number;
  readonly bottom: number;
}

/** A series of a page. */
interface LiveSeries extends Pick<SeriesIdentity, "name" | "type" | "labels"> {
  readonly samples: Series;
}

type Page = ReadonlyMap<Engine, EngineMetrics<LiveSeries>>;

/** See the module's comment. */
export class LiveServers {
  /** Totals of the last pages of each number of each endpoint, the oldest first. */
  readonly #pairs = new Map<string, Pair[]>();
  /** Counters when they were first seen. */
  readonly #firsts = new Map<string, number>();
  /** Engines of endpoints, and the number of series that they were found in. */
  readonly #pages = new WeakMap<EndpointSeries, { readonly count: number; readonly page: Page }>();
  /** Endpoints that show a process of their own. */
  #distinct: ReadonlySet<string> = new Set();
  /** Number of scrapes at which these are next compared. */
  #compareAt = 0;

  /** The servers as their pages are now; to be called once after each page. */
  at(endpoints: readonly ScrapedEndpoint[]): Pick<LiveResults, "servers" | "levels"> {
    const scrapes = Math.max(0, ...endpoints.map(({ series }) => series.timesNs.length));
    if (scrapes >= this.#compareAt) {
      this.#distinct = new Set(distinctEndpoints(endpoints).endpoints.map(({ url }) => url));
      this.#compareAt = 2 * scrapes;
    }
    const pages = endpoints.map((endpoint) => this.#pageOf(endpoint));
    const distinct = pages.filter((_, at) => this.#distinct.has(endpoints[at]?.url ?? ""));
    return {
      servers: endpoints.map((endpoint, at) => this.#server(endpoint, pages[at] as Page)),
      levels: levelsOf(distinct),
    };
  }

  /** The engines of an endpoint; the same as before, as long as it has no new series. */
  #pageOf({ series }: ScrapedEndpoint): Page {
    const all = [...series.series];
    const known = this.#pages.get(series);
    if (known?.count === all.length) return known.page;
    const page = pageEngines(all.map((samples): LiveSeries => ({ ...samples.identity, samples })));
    this.#pages.set(series, { count: all.length, page });
    return page;
  }

  #server({ url, disabled }: ScrapedEndpoint, page: Page): LiveServer {
    return {
      url,
      kind: [...page.keys()].map(({ name }) => name).join(", "),
      figures: [...page].flatMap(([engine, metrics]) =>
        (engine.brief ?? BRIEF_ROLES).flatMap((name) => {
          const key = `${url}\n${engine.name}\n${name}`;
          return isShare(name)
            ? this.#share(key, name, engine, metrics)
            : this.#role(key, name, roleSeries(engine, metrics, name));
        })
      ),
      problem: disabled,
    };
  }

  #role(
    key: string,
    role: RoleName,
    found: RoleSeries<LiveSeries> | undefined,
  ): LiveServerFigure[] {
    if (found === undefined || found.series.length === 0) return [];
    const { label, kind, ifAny } = ROLES[role];
    const value = kind === "time"
      ? this.#growth(key, total(found, "sum"), total(found, "count")) *
        (MS_PER.get(found.source.unit) ?? 1)
      : kind === "count"
      ? this.#increase(key, total(found, ROLES[role].ofHistogram ?? "sum"))
      : levelNow([found]) ?? NaN;
    if (ifAny && !(value > 0)) return [];
    const of = kind === "time" ? "time" : isRatio(found) ? "share" : "count";
    return [{ label, of, value }];
  }

  #share(
    key: string,
    name: ShareName,
    engine: Engine,
    metrics: EngineMetrics<LiveSeries>,
  ): LiveServerFigure[] {
    const { label, part, whole, plus = 0, ifAny } = SHARES[name];
    const [parts, wholes] = [part, whole].map((role) => roleSeries(engine, metrics, role));
    if (parts === undefined || wholes === undefined) return [];
    const value = plus + this.#growth(key, total(parts, "sum"), total(wholes, "sum"));
    return ifAny && !(value > plus) ? [] : [{ label, of: plus === 0 ? "share" : "count", value }];
  }

  /** Increase of a counter since it was first seen: before that, the run had not begun. */
  #increase(key: string, sum: number): number {
    const first = this.#firsts.get(key) ?? sum;
    this.#firsts.set(key, first);
    return Math.max(0, sum - first);
  }

  /** How much one total grew for each that the other did, over the last pages. */
  #growth(key: string, top: number, bottom: number): number {
    const pairs = this.#pairs.get(key) ?? [];
    this.#pairs.set(key, pairs);
    pairs.push({ top, bottom });
    if (pairs.length > PAGES) pairs.shift();
    const [first] = pairs as [Pair];
    return bottom > first.bottom ? (top - first.top) / (bottom - first.bottom) : NaN;
  }
}

/** The levels of the servers of some pages together, in the innermost layer that has each. */
function levelsOf(pages: readonly Page[]): LiveLevels {
  const levelOf = (role: RoleName) => {
    const found = pages.flatMap((page) =>
      [...page].flatMap(([engine, metrics]) => {
        const series = roleSeries(engine, metrics, role);
        return series === undefined ? [] : [{ layer: engine.layer, series }];
      })
    );
    const layer = INNERMOST_FIRST.find((layer) => found.some((one) => one.layer === layer));
    return levelNow(found.filter((one) => one.layer === layer).map(({ series }) => series)) ?? NaN;
  };
  return {
    running: levelOf("running"),
    waiting: levelOf("waiting"),
    kvUsage: levelOf("kv_usage"),
  };
}

/** Sum of the newest values of all instances; of shares, the largest. undefined without any. */
function levelNow(found: readonly RoleSeries<LiveSeries>[]): number | undefined {
  const values = found.flatMap(({ series, source: { valueLabel } }) =>
    series.flatMap(({ samples, labels }) => {
      if (!(samples instanceof ScalarSeries)) return [];
      if (valueLabel === undefined) return [samples.values.lastValue];
      return labelNumber(labels, valueLabel) ?? [];
    })
  );
  const [first] = found;
  if (values.length === 0 || first === undefined) return undefined;
  if (first.source.together === "sum") return values.reduce((sum, value) => sum + value, 0);
  const largest = Math.max(...values);
  return largest * shareScale(first.source, largest);
}

function isRatio({ source: { unit } }: RoleSeries<LiveSeries>): boolean {
  return unit === "ratio";
}

/** The newest totals of series, added up: of counters, or of what histograms observed. */
function total({ series }: RoleSeries<LiveSeries>, of: "sum" | "count"): number {
  return series.reduce((all, { samples }) => {
    if (samples instanceof ScalarSeries) return all + samples.values.lastValue;
    return samples instanceof HistogramSeries ? all + samples[of].lastValue : all;
  }, 0);
}
