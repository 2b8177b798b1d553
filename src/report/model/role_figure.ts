/** The number of a role: what all instances of a layer report together. */

import type { Bucket } from "../../core/statistics/histogram/histogram_statistics.ts";
import type { PercentileBounds } from "../../core/statistics/histogram/percentile_bounds.ts";
import type { Engine, Layer } from "../../telemetry/engines/engine.ts";
import type { Place, Pool } from "../../telemetry/engines/place.ts";
import type { SeriesHead } from "../../telemetry/engines/page_engines.ts";
import type { Selector } from "../../telemetry/engines/role_series.ts";
import type { RoleSource } from "../../telemetry/engines/role_source.ts";
import type { RoleName } from "../../telemetry/engines/roles.ts";
import type { EndpointSeries, Series } from "../../telemetry/timeseries/endpoint_series.ts";
import type { SeriesReport } from "./series_report.ts";

/** Statistics of a role over a run. */
export interface RoleFigure {
  readonly role: RoleName;
  readonly layer: Layer;
  /** Names of the engines. */
  readonly engines: readonly string[];
  readonly unit: string | null;
  /** Instances whose series were put together, and those of them whose series stayed at zero. */
  readonly instances: number;
  readonly idleInstances: number;
  /** URLs of the endpoints that the instances are on. */
  readonly endpoints: readonly string[];
  /** By the names that statistics have in files; one that is not known is missing. */
  readonly stats: Readonly<Record<string, number>>;
  /** Range of the exact value of each estimate. */
  readonly bounds?: Readonly<Record<string, PercentileBounds>> | undefined;
  /** Observations of times up to each bound; undefined if bounds differ. */
  readonly buckets?: readonly Bucket[] | undefined;
  /** Number for each value of the label that a role is split by. */
  readonly by?: Readonly<Record<string, number>> | undefined;
  /** Whether it may leave some out. */
  readonly isPartial?: true | undefined;
  /** Whether times are of decode steps, not of tokens. */
  readonly perStep?: true | undefined;
  /**
   * Seconds from the end of the run to the only page that has the level, because none was scraped
   * between start and end; negative if it came before. undefined if pages were.
   */
  readonly lateSeconds?: number | undefined;
}

/** A selection of instances. */
export interface RoleQuery {
  /** @default every engine */
  readonly engine?: Engine | undefined;
  /** Layers in the order in which the role is looked for. @default the innermost first */
  readonly layers?: readonly Layer[] | undefined;
  /** URLs of the endpoints to look at; others are used if these do not have the role. */
  readonly preferred?: ReadonlySet<string> | undefined;
  /** Labels that series must have; `role` and `layer` name pools and layers. */
  readonly selector?: Selector | undefined;
  /** Pools of the instances; those of no known pool are unified. @default all */
  readonly pools?: readonly Pool[] | undefined;
}

/** A series with what is known about it. */
export interface RoleInput extends SeriesHead {
  readonly endpointUrl: string;
  /** Statistics over the run; undefined if it has no samples there. */
  readonly report: SeriesReport | undefined;
  /** Samples over time; undefined if only statistics are known. */
  readonly samples: Series | undefined;
}

/** An endpoint with its series. */
export interface RoleEndpoint {
  readonly url: string;
  /** Times of the scrapes; undefined if only statistics are known. */
  readonly scrapes: Pick<EndpointSeries, "timesNs" | "firstPageNs" | "series"> | undefined;
  readonly series: readonly RoleInput[];
  /** Place as the user states it; undefined for none. */
  readonly place?: Place | undefined;
  /** Whether it is that of an inference server that requests are sent to. */
  readonly isOwn?: boolean | undefined;
}

/** Series of a role on one endpoint. */
export interface RolePart {
  readonly engine: Engine;
  /** The engine's layer, or that of its endpoint. */
  readonly layer: Layer;
  readonly endpoint: RoleEndpoint;
  readonly source: RoleSource;
  readonly series: readonly RoleInput[];
}
