/**
 * Roles of the servers of a run: the one place where the numbers of engines are put together, for
 * tables, charts, objectives, and files.
 */

import type { HistogramEstimator } from "../../core/statistics/histogram/histogram_estimator.ts";
import type { TimeWindow } from "../../core/statistics/sample_window.ts";
import { type Engine, INNERMOST_FIRST } from "../../telemetry/engines/engine.ts";
import { ENGINES } from "../../telemetry/engines/engines.ts";
import { type EngineMetrics, pageEngines } from "../../telemetry/engines/page_engines.ts";
import { roleSeries } from "../../telemetry/engines/role_series.ts";
import { ScalarSeries } from "../../telemetry/timeseries/series.ts";
import { type RoleName, ROLES, type ShareName, SHARES } from "../../telemetry/engines/roles.ts";
import { levelFigure, type LevelMean, type LevelStatistics } from "./level_figure.ts";
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
  /** URLs of the endpoints, in the order of the options. */
  readonly endpoints: readonly string[];
  /** Series on all endpoints, by the names that the table has for their metrics. */
  readonly metrics: EngineMetrics<RoleInput>;
}

/** An endpoint and the engines on its pages. */
interface RolePage {
  readonly endpoint: RoleEndpoint;
  readonly engines: ReadonlyMap<Engine, EngineMetrics<RoleInput>>;
}

/** See the module's comment. */
export class ServerRoles {
  readonly #endpoints: readonly RoleEndpoint[];
  readonly #context: RoleContext;
  #seen: readonly RolePage[] | undefined;
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

  /** The engines on all pages, in the order of the table. */
  get engines(): SeenEngine[] {
    const seen = new Map<Engine, { endpoints: string[]; metrics: Map<string, RoleInput[]> }>();
    for (const { endpoint, engines } of this.#pages) {
      for (const [engine, metrics] of engines) {
        const known = seen.get(engine) ??
          { endpoints: [] as string[], metrics: new Map<string, RoleInput[]>() };
        seen.set(engine, known);
        known.endpoints.push(endpoint.url);
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
    const { engine, layers = INNERMOST_FIRST, preferred, selector = [] } = query;
    if (preferred !== undefined || selector.length > 0) return this.#figure(role, query);
    const key = [role, engine?.name, ...layers].join("\n");
    if (!this.#known.has(key)) this.#known.set(key, this.#figure(role, query));
    return this.#known.get(key);
  }

  /** A ratio of two roles in the layer that knows its parts; undefined if nothing was counted. */
  share(name: ShareName, query: RoleQuery = {}): number | undefined {
    const { part, whole, plus = 0, ifAny } = SHARES[name];
    for (const layer of query.layers ?? INNERMOST_FIRST) {
      const inLayer = { ...query, layers: [layer] };
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
    { engine, layers = INNERMOST_FIRST, preferred, selector = [] }: RoleQuery = {},
  ): readonly RolePart[] {
    const { models = [] } = this.#context;
    const parts = this.#pages.flatMap(({ endpoint, engines }) =>
      [...engines].flatMap(([other, metrics]): RolePart[] => {
        if (engine !== undefined && other !== engine) return [];
        const found = roleSeries(other, metrics, role, { models, selector });
        // A label that no series has yet, such as that of a failure, has been counted zero times.
        const isZero = ROLES[role].kind === "count" && found?.source.where !== undefined &&
          selector.length === 0;
        return found === undefined || (found.series.length === 0 && !isZero)
          ? []
          : [{ engine: other, endpoint, ...found }];
      })
    );
    const own = parts.filter(({ endpoint: { url } }) => preferred?.has(url));
    const known = own.length > 0 ? own : parts;
    const layer = layers.find((layer) => known.some((part) => part.engine.layer === layer));
    return inOneUnit(known.filter((part) => part.engine.layer === layer));
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
      ...{ role, layer: first.engine.layer, unit: first.source.unit },
      engines: [...new Set(parts.map((part) => part.engine.name))],
      endpoints: [...new Set(parts.map(({ endpoint }) => endpoint.url))],
      instances: parts.reduce((sum, { series }) => sum + series.length, 0),
      ...(parts.some(({ source }) => source.perStep) ? { perStep: true } : {}),
      ...(parts.some(({ source }) => source.isPartial) ? { isPartial: true } : {}),
      ...statistics,
    };
  }
}

/** Parts whose numbers can be added up: those in the unit of the first. */
function inOneUnit(parts: readonly RolePart[]): readonly RolePart[] {
  return parts.filter(({ source: { unit } }) => unit === parts[0]?.source.unit);
}
