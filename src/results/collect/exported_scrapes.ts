import type { RoleEndpoint } from "../../report/model/role_figure.ts";
import { KNOWN_METRICS } from "../../telemetry/engines/engines.ts";
import { knownName } from "../../telemetry/engines/page_engines.ts";
import { HistogramSeries, ScalarSeries } from "../../telemetry/timeseries/series.ts";
import { type JsonObject, objectOf } from "./exported_files.ts";

/** Names of the metrics that roles are read from; others would only take memory. */
const READ: ReadonlySet<string> = new Set(KNOWN_METRICS.map(keyOf));

function keyOf(name: string): string {
  return (knownName(name)?.name ?? name).replace(/_total$/, "");
}

/** The scrapes of an endpoint, line by line, as series over time. */
export class ExportedScrapes {
  readonly #url: string;
  readonly #timesNs: number[] = [];
  readonly #series = new Map<string, ScalarSeries | HistogramSeries>();

  constructor(url: string) {
    this.#url = url;
  }

  /** Adds the metrics of a line; lines come in the order of their times. */
  add(timeNs: number, metrics: JsonObject): void {
    const row = this.#timesNs.push(timeNs) - 1;
    for (const [name, all] of Object.entries(metrics)) {
      if (!READ.has(keyOf(name))) continue;
      for (const one of Array.isArray(all) ? all : []) this.#addSample(row, name, objectOf(one));
    }
  }

  /** Everything so far. */
  get endpoint(): RoleEndpoint {
    const series = [...this.#series.values()];
    return {
      url: this.#url,
      scrapes: { series, timesNs: Float64Array.from(this.#timesNs), firstPageNs: () => NaN },
      series: series.map((samples) => ({
        ...samples.identity,
        ...{ endpointUrl: this.#url, samples, report: undefined },
      })),
    };
  }

  #addSample(row: number, name: string, sample: JsonObject = {}): void {
    const { value, sum, count } = sample;
    const isScalar = typeof value === "number";
    if (!isScalar && typeof sum !== "number") return;
    const series = this.#known(name, sample["labels"], isScalar);
    if (series instanceof ScalarSeries) {
      if (isScalar) series.values.set(row, value);
      return;
    }
    if (typeof sum === "number") series.sum.set(row, sum);
    if (typeof count === "number") series.count.set(row, count);
  }

  /** The series of a name and labels, a new one if there is none yet. */
  #known(name: string, labelObject: unknown, isScalar: boolean): ScalarSeries | HistogramSeries {
    const labels = Object.entries(objectOf(labelObject) ?? {})
      .map(([label, value]) => [label, String(value)] as const)
      .sort(([a], [b]) => a < b ? -1 : 1);
    const key = JSON.stringify([name, labels]);
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    // Lines do not have the types of metrics.
    const identity = { name, labels, description: "", unit: null };
    const number = this.#series.size;
    const series = isScalar
      ? new ScalarSeries({ ...identity, type: "unknown" }, number, number)
      : new HistogramSeries({ ...identity, type: "histogram" }, number, number);
    this.#series.set(key, series);
    return series;
  }
}
