/** The newest figures of the servers: the rows of the short report, from their last pages. */

import { type BriefRow, type KeyShare, serverKinds } from "../../telemetry/engines/server_kinds.ts";
import type { EndpointSeries, Series } from "../../telemetry/timeseries/endpoint_series.ts";
import { HistogramSeries, ScalarSeries } from "../../telemetry/timeseries/series.ts";
import type { ScrapedEndpoint } from "../model/build_server_metrics_report.ts";
import type { LiveServer, LiveServerFigure } from "./live_model.ts";

/** Pages over which a mean time, or a share of two counters, is taken. */
const PAGES = 10;

const MS_PER: ReadonlyMap<string | null, number> = new Map([
  ["milliseconds", 1],
  ["microseconds", 1e-3],
]);

/** Two totals of which the growth is wanted, page by page. */
interface Pair {
  readonly top: number;
  readonly bottom: number;
}

/** See the module's comment. */
export class LiveServers {
  /** Totals of the last pages of each figure of each endpoint, the oldest first. */
  readonly #pairs = new Map<string, Pair[]>();
  /** Counters when they were first seen. */
  readonly #firsts = new Map<string, number>();

  /** The servers as their pages say now; to be called once after each page. */
  at(endpoints: readonly ScrapedEndpoint[]): LiveServer[] {
    return endpoints.map(({ url, series, disabled }) => {
      const byName = seriesByName(series);
      const kinds = serverKinds(byName.keys());
      return {
        url,
        kind: kinds.map(({ name }) => name).join(", "),
        figures: kinds.flatMap(({ brief, keyShares }) => [
          ...brief.flatMap((row) => this.#row(url, row, byName)),
          ...keyShares.flatMap((share) => this.#share(url, share, byName)),
        ]),
        problem: disabled,
      };
    });
  }

  #row(
    url: string,
    { label, metrics, of, ifAny }: BriefRow,
    byName: ReadonlyMap<string, readonly Series[]>,
  ): LiveServerFigure[] {
    const name = metrics.find((metric) => byName.has(metric));
    if (name === undefined) return [];
    const all = byName.get(name) as readonly Series[];
    const value = of === "time"
      ? this.#growth(`${url}\n${label}`, totals(all, "sum"), totals(all, "count")) *
        (MS_PER.get(all[0]?.identity.unit ?? null) ?? 1e3)
      : this.#level(`${url}\n${label}`, all, of);
    if (ifAny && !(value > 0)) return [];
    return [{ label, of, value }];
  }

  #level(key: string, all: readonly Series[], of: "count" | "share"): number {
    const values = all.flatMap((series) =>
      series instanceof ScalarSeries ? [series.values.lastValue] : []
    );
    if (values.length === 0) return NaN;
    if (of === "share") return Math.max(...values);
    const sum = values.reduce((total, value) => total + value, 0);
    if (all[0]?.identity.type !== "counter") return sum;
    // What it counted before the run is none of the run's.
    const first = this.#firsts.get(key);
    if (first === undefined) this.#firsts.set(key, sum);
    return Math.max(0, sum - (first ?? sum));
  }

  #share(
    url: string,
    { label, part, whole }: KeyShare,
    byName: ReadonlyMap<string, readonly Series[]>,
  ): LiveServerFigure[] {
    const seriesOf = (names: readonly string[]): Series[] =>
      names.flatMap((name) => byName.get(name) ?? []);
    const [parts, wholes] = [seriesOf(part), seriesOf(whole)];
    if (parts.length === 0 || wholes.length === 0) return [];
    const value = this.#growth(`${url}\n${label}`, totals(parts, "sum"), totals(wholes, "sum"));
    return [{ label, of: "share", value }];
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

function seriesByName(endpoint: EndpointSeries): Map<string, Series[]> {
  const byName = new Map<string, Series[]>();
  for (const series of endpoint.series) {
    const known = byName.get(series.identity.name);
    if (known === undefined) byName.set(series.identity.name, [series]);
    else known.push(series);
  }
  return byName;
}

/** The newest totals of series, added up: counters, or what histograms observed. */
function totals(all: readonly Series[], of: "sum" | "count"): number {
  return all.reduce((total, series) => {
    if (series instanceof ScalarSeries) return total + series.values.lastValue;
    return series instanceof HistogramSeries ? total + series[of].lastValue : total;
  }, 0);
}
