/**
 * Roles of the servers of a run: the one place where the numbers of engines are put together, for
 * tables, charts, objectives, and files.
 */

import type { HistogramEstimator } from "../../core/statistics/histogram/histogram_estimator.ts";
import type { TimeWindow } from "../../core/statistics/sample_window.ts";
import {
  type Engine,
  INNERMOST_FIRST,
  type Layer,
  USUAL_FRONT_ORDER,
} from "../../telemetry/engines/engine.ts";
import { ENGINES } from "../../telemetry/engines/engines.ts";
import {
  type EngineMetrics,
  knownName,
  pageEngines,
} from "../../telemetry/engines/page_engines.ts";
import { type Pool, poolNamed, POOLS } from "../../telemetry/engines/place.ts";
import { roleSeries } from "../../telemetry/engines/role_series.ts";
import { ScalarSeries } from "../../telemetry/timeseries/series.ts";
import { type RoleName, ROLES, type ShareName, SHARES } from "../../telemetry/engines/roles.ts";
import { instanceCount } from "./instance_key.ts";
import { levelFigure, type LevelMean, type LevelStatistics } from "./level_figure.ts";
import {
  hasEngine,
  layerOn,
  type PageCounts,
  type PagePlace,
  pagePlaces,
  poolOfSeries,
  type RolePage,
} from "./page_places.ts";
import { hasRestarted } from "./restarted_totals.ts";
import type { RoleEndpoint, RoleFigure, RoleInput, RolePart, RoleQuery } from "./role_figure.ts";
import { countFigure, timeFigure } from "./total_figures.ts";

/** Settings of roles besides the endpoints. */
export interface RoleContext {
  /** undefined if only the statistics of series are known. */
  readonly window?: TimeWindow | undefined;
  readonly estimator?: HistogramEstimator | undefined;
  /** Models that the run asked for. */
  readonly models?: readonly string[] | undefined;
  /** Basis of the means of levels. @default "samples" */
  readonly levelMean?: LevelMean | undefined;
}

/** An engine on the pages of a run. */
export interface SeenEngine {
  readonly engine: Engine;
  /** URLs of its endpoints, fronts with its metrics left out, in the order of the options. */
  readonly endpoints: readonly string[];
  /** Series on all endpoints, by the names that the table has for their metrics. */
  readonly metrics: EngineMetrics<RoleInput>;
}

/** See the module's comment. */
export class ServerRoles {
  readonly #endpoints: readonly RoleEndpoint[];
  readonly #context: RoleContext;
  #seen: readonly RolePage[] | undefined;
  #placed: ReadonlyMap<RolePage, PagePlace> | undefined;
  #pools: readonly Pool[] | undefined;
  #restarted: ReadonlySet<string> | undefined;
  readonly #known = new Map<string, RoleFigure | undefined>();

  /** @param endpoints each process once */
  constructor(endpoints: readonly RoleEndpoint[], context: RoleContext = {}) {
    this.#endpoints = endpoints;
    this.#context = context;
  }

  get #pages(): readonly RolePage[] {
    return this.#seen ??= this.#endpoints.map((endpoint) => ({
      endpoint,
      engines: pageEngines(endpoint.series),
    }));
  }

  get #places(): ReadonlyMap<RolePage, PagePlace> {
    return this.#placed ??= pagePlaces(this.#pages, (page) => this.#countsOf(page));
  }

  /** The place that was found for each endpoint, in their order. */
  get places(): readonly PagePlace[] {
    return this.#pages.flatMap((page) => this.#places.get(page) ?? []);
  }

  /** The layer and the pool that a series is of; undefined if they are not known. */
  placeOf(
    { endpointUrl, labels, name }: Pick<RoleInput, "endpointUrl" | "labels" | "name">,
  ): { readonly layer: Layer | undefined; readonly pool: Pool | undefined } {
    const engine = knownName(name)?.engine;
    const found = [...this.#places].find(([{ endpoint }]) => endpoint.url === endpointUrl);
    if (engine === undefined || found === undefined) {
      return { layer: engine?.layer, pool: found?.[1].pool };
    }
    const [, place] = found;
    return { layer: layerOn(place, engine), pool: poolOfSeries(engine, { labels }) ?? place.pool };
  }

  /** URLs of the endpoints whose process restarted in the window. */
  get restarted(): ReadonlySet<string> {
    return this.#restarted ??= new Set(
      this.#endpoints.filter((endpoint) => hasRestarted(endpoint, this.#context.window))
        .map(({ url }) => url),
    );
  }

  /** Pools of a deployment that separates prefill and decode; none of any other. */
  get pools(): readonly Pool[] {
    return this.#pools ??= this.#findPools();
  }

  #findPools(): readonly Pool[] {
    const known = new Set(
      [...this.#places].flatMap(([page, { pool, isFront }]) =>
        isFront || !hasEngine(page) ? [] : [pool ?? "unified", ...seriesPools(page)]
      ),
    );
    return known.has("prefill") || known.has("decode")
      ? POOLS.filter((pool) => known.has(pool))
      : [];
  }

  /** The instances whose caches save work: in a prefill/decode pair, others receive KV caches. */
  get prefilling(): Pick<RoleQuery, "pools"> {
    return this.pools.length === 0 ? {} : { pools: ["prefill", "unified"] };
  }

  /** The engines on all pages, in the order of the table. */
  get engines(): SeenEngine[] {
    const seen = new Map<Engine, { endpoints: string[]; metrics: Map<string, RoleInput[]> }>();
    for (const page of this.#pages) {
      const { endpoint, engines } = page;
      const place = this.#places.get(page) as PagePlace;
      for (const [engine, metrics] of engines) {
        const known = seen.get(engine) ??
          { endpoints: [] as string[], metrics: new Map<string, RoleInput[]>() };
        seen.set(engine, known);
        if (layerOn(place, engine) === engine.layer) known.endpoints.push(endpoint.url);
        for (const [name, series] of metrics) {
          known.metrics.set(name, [...known.metrics.get(name) ?? [], ...series]);
        }
      }
    }
    return ENGINES.flatMap((engine) => {
      const rest = seen.get(engine);
      return rest === undefined ? [] : [{ engine, ...rest }];
    });
  }

  /** Gauges without a page between start and end, by the page that is the nearest. */
  get lateLevels(): { readonly series: RoleInput; readonly level: LevelStatistics }[] {
    return this.#endpoints.flatMap((endpoint) =>
      endpoint.series.flatMap((series) => {
        const { report, samples } = series;
        if (report !== undefined || !(samples instanceof ScalarSeries)) return [];
        const source = { names: [series.name], together: "sum", unit: null } as const;
        const level = levelFigure([{ endpoint, source, series: [series] }], this.#context.window);
        return level?.lateSeconds === undefined ? [] : [{ series, level }];
      })
    );
  }

  /** The number of a role in the first layer that knows it; undefined if none does. */
  figure(role: RoleName, query: RoleQuery = {}): RoleFigure | undefined {
    const { engine, layers = INNERMOST_FIRST, pools = [], preferred, selector = [] } = query;
    if (preferred !== undefined || selector.length > 0) return this.#figure(role, query);
    const key = [role, engine?.name, ...layers, ...pools].join("\n");
    if (!this.#known.has(key)) this.#known.set(key, this.#figure(role, query));
    return this.#known.get(key);
  }

  /** A ratio of two roles in the layer that knows its parts; undefined if nothing was counted. */
  share(name: ShareName, query: RoleQuery = {}): number | undefined {
    const { part, whole, plus = 0, ifAny, ofCaches } = SHARES[name];
    const chosen = choiceOf(query);
    const isAny = chosen.pools === undefined && ofCaches !== undefined;
    // What replies report of a pair, and what fronts count by them, is no share of caches.
    if (isAny && ofCaches === "unified" && this.pools.length > 0) return undefined;
    const asked = isAny ? { ...chosen, ...this.prefilling } : chosen;
    for (const layer of asked.layers ?? INNERMOST_FIRST) {
      const inLayer = { ...asked, layers: [layer] };
      const [counted, total] = [part, whole].map((role) =>
        this.figure(role, inLayer)?.stats["total"]
      );
      if (counted === undefined || total === undefined) continue;
      return total > 0 && !(ifAny && counted === 0) ? plus + counted / total : undefined;
    }
    return undefined;
  }

  /** The series of a role in the first layer that has it, endpoint by endpoint. */
  parts(
    role: RoleName,
    query: RoleQuery = {},
  ): readonly RolePart[] {
    const { engine, layers = INNERMOST_FIRST, pools, preferred, selector = [] } = choiceOf(query);
    const { models = [] } = this.#context;
    const parts = this.#pages.flatMap((page) => {
      const { endpoint, engines } = page;
      const place = this.#places.get(page) as PagePlace;
      return [...engines].flatMap(([other, metrics]): RolePart[] => {
        if (engine !== undefined && other !== engine) return [];
        const found = roleSeries(other, metrics, role, { models, selector });
        const series = found?.series.filter((one) => isIn(pools, other, one, place)) ?? [];
        // A label that no series has yet, such as that of a failure, has been counted zero times.
        const isZero = ROLES[role].kind === "count" && found?.source.where !== undefined &&
          selector.length === 0 && (pools === undefined || isIn(pools, other, undefined, place));
        return found === undefined || (series.length === 0 && !isZero) ? [] : [{
          engine: other,
          layer: layerOn(place, other),
          endpoint,
          source: found.source,
          series,
        }];
      });
    });
    const own = parts.filter(({ endpoint: { url } }) => preferred?.has(url));
    const known = own.length > 0 ? own : parts;
    const layer = layers.find((layer) => known.some((part) => part.layer === layer));
    const ofLayer = known.filter((part) => part.layer === layer);
    return inOneUnit(layer === "front" ? outermost(ofLayer) : ofLayer);
  }

  /** Totals of the engines on a page; undefined if they count no requests. */
  #countsOf(page: RolePage): PageCounts | undefined {
    const { window, models = [] } = this.#context;
    const total = (role: RoleName): number | undefined => {
      const parts = [...page.engines].flatMap(([engine, metrics]): RolePart[] => {
        const { endpoint } = page;
        if (engine.layer !== "engine") return [];
        const found = roleSeries(engine, metrics, role, { models });
        return found === undefined ? [] : [{ engine, layer: engine.layer, endpoint, ...found }];
      });
      return countFigure(role, parts, { window, estimator: undefined, models })?.stats["total"];
    };
    const requests = total("requests");
    return requests === undefined ? undefined : {
      requests,
      promptTokens: total("prompt_tokens") ?? 0,
      generationTokens: total("generation_tokens") ?? 0,
      received: total("transfer_bytes") ?? 0,
      external: total("external_hits") ?? 0,
    };
  }

  #figure(role: RoleName, query: RoleQuery): RoleFigure | undefined {
    const parts = this.parts(role, query);
    const [first] = parts;
    if (first === undefined) return undefined;
    const { window, estimator, models = [] } = this.#context;
    const options = { window, estimator, models };
    const kind = ROLES[role].kind;
    const statistics = kind === "level"
      ? levelFigure(parts, window, this.#context.levelMean)
      : kind === "count"
      ? countFigure(role, parts, options)
      : timeFigure(parts, options);
    return statistics && {
      ...{ role, layer: first.layer, unit: first.source.unit },
      engines: [...new Set(parts.map((part) => part.engine.name))],
      endpoints: [...new Set(parts.map(({ endpoint }) => endpoint.url))],
      instances: instanceCount(parts),
      ...(parts.some(({ source }) => source.perStep) ? { perStep: true } : {}),
      ...(parts.some(({ source }) => source.isPartial) ? { isPartial: true } : {}),
      ...statistics,
    };
  }
}

/** A query whose selector has labels only: `role` and `layer` have become pools and layers. */
function choiceOf(query: RoleQuery): RoleQuery {
  const { selector = [] } = query;
  const valuesOf = (wanted: string): string[] | undefined => {
    const values = selector.flatMap(([label, value]) => label === wanted ? [value] : []);
    return values.length === 0 ? undefined : values;
  };
  const [roles, layers] = [valuesOf("role"), valuesOf("layer")];
  if (roles === undefined && layers === undefined) return query;
  // As in --server-metrics, a front is a place besides the pools.
  const isFront = roles?.some((value) => value.toLowerCase() === "front") ?? false;
  return {
    ...query,
    selector: selector.filter(([label]) => label !== "role" && label !== "layer"),
    ...(roles === undefined || isFront
      ? {}
      : { pools: roles.flatMap((value) => poolNamed(value) ?? []) }),
    ...(layers === undefined && !isFront ? {} : {
      layers: INNERMOST_FIRST.filter((layer) => layers?.includes(layer) ?? layer === "front"),
    }),
  };
}

/** Whether a series, or the page as a whole, is of one of some pools. */
function isIn(
  pools: readonly Pool[] | undefined,
  engine: Engine,
  series: RoleInput | undefined,
  place: PagePlace,
): boolean {
  if (pools === undefined) return true;
  const layer = layerOn(place, engine);
  if (layer === "front") return false;
  const own = series === undefined ? undefined : poolOfSeries(engine, series);
  const pool = own ?? place.pool ?? (layer === "gpu" || layer === "tier" ? undefined : "unified");
  return pool !== undefined && pools.includes(pool);
}

function seriesPools({ engines }: RolePage): readonly Pool[] {
  return [...engines].flatMap(([engine, metrics]) =>
    engine.poolLabel === undefined
      ? []
      : [...metrics.values()].flat().flatMap((series) => poolOfSeries(engine, series) ?? [])
  );
}

/** The first of different fronts in a chain; several instances of it are added up. */
function outermost(parts: readonly RolePart[]): readonly RolePart[] {
  const orderOf = ({ engine }: RolePart): number =>
    engine.layer === "front" ? engine.frontOrder ?? USUAL_FRONT_ORDER : Infinity;
  const first = Math.min(...parts.map(orderOf));
  const engine = parts.find((part) => orderOf(part) === first)?.engine;
  return parts.filter((part) => part.engine === engine);
}

/** Parts whose numbers can be added up: those in the unit of the first. */
function inOneUnit(parts: readonly RolePart[]): readonly RolePart[] {
  return parts.filter(({ source: { unit } }) => unit === parts[0]?.source.unit);
}
