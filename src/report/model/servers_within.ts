import { meanLevelOverTime, rowLevels } from "../../telemetry/engines/level_values.ts";
import type { EndpointSeries, Series } from "../../telemetry/timeseries/endpoint_series.ts";
import { ScalarSeries } from "../../telemetry/timeseries/series.ts";
import type { ScrapedEndpoint, ServerMetricsContext } from "./scraped_endpoint.ts";
import type { RoleEndpoint, RoleInput } from "./role_figure.ts";
import type { RunPart, ServerFiguresOfPart } from "./server_metrics_report.ts";
import { seriesReport, type SeriesReportOptions } from "./series_reports.ts";
import type { SeriesReport } from "./series_report.ts";
import { ServerRoles } from "./server_roles.ts";

/**
 * Finds what servers reported of parts of a run.
 * @param endpoints those with data
 * @param processes those of them whose numbers are put together: each process once
 */
export function serversWithin(
  endpoints: readonly ScrapedEndpoint[],
  processes: readonly ScrapedEndpoint[],
  context: ServerMetricsContext,
): (part: RunPart) => ServerFiguresOfPart {
  let known: (RunPart & { readonly figures: ServerFiguresOfPart }) | undefined;
  return (part) => {
    // Console, objectives and diagnosis ask for the part that is shown, which comes first; slices follow.
    if (known !== undefined && (known.startNs !== part.startNs || known.endNs !== part.endNs)) {
      return figuresOf(part, endpoints, processes, context);
    }
    known ??= { ...part, figures: figuresOf(part, endpoints, processes, context) };
    return known.figures;
  };
}

function figuresOf(
  part: RunPart,
  endpoints: readonly ScrapedEndpoint[],
  processes: readonly ScrapedEndpoint[],
  { baseEpochNs, estimator, models, window: run }: ServerMetricsContext,
): ServerFiguresOfPart {
  const endNs = Number(part.endNs - baseEpochNs);
  const goesOn = run.goesOn === true || endNs < run.endNs;
  const window = { startNs: Number(part.startNs - baseEpochNs), endNs, goesOn };
  const places = new Map(processes.map(({ series, place }) => [series, place]));
  const all = new Map(endpoints.map((endpoint): [EndpointSeries, RoleEndpoint] => {
    const { url, series: scrapes } = endpoint;
    const options = { endpointUrl: url, window, sliceNs: undefined, estimator, baseEpochNs };
    const series = [...scrapes.series].map((one) => new LazySeries(one, scrapes, options));
    return [scrapes, { url, scrapes, series, place: places.get(scrapes) }];
  }));
  const known = processes.flatMap((endpoint) => all.get(endpoint.series) ?? []);
  let series: readonly SeriesReport[] | undefined;
  return {
    get series() {
      return series ??= [...all.values()].flatMap((endpoint) =>
        endpoint.series.flatMap(({ report }) => report ?? [])
      );
    },
    roles: new ServerRoles(known, { window, estimator, models, levelMean: "time" }),
  };
}

/** A series whose statistics are found when they are asked for: most are not. */
class LazySeries implements RoleInput {
  readonly name: string;
  readonly type: string;
  readonly labels: RoleInput["labels"];
  readonly samples: Series;
  readonly #scrapes: EndpointSeries;
  readonly #options: SeriesReportOptions;
  #found: { readonly report: SeriesReport | undefined } | undefined;

  constructor(samples: Series, scrapes: EndpointSeries, options: SeriesReportOptions) {
    const { name, type, labels } = samples.identity;
    this.name = name;
    this.type = type;
    this.labels = labels;
    this.samples = samples;
    this.#scrapes = scrapes;
    this.#options = options;
  }

  get endpointUrl(): string {
    return this.#options.endpointUrl;
  }

  get report(): SeriesReport | undefined {
    this.#found ??= { report: this.#statistics() };
    return this.#found.report;
  }

  #statistics(): SeriesReport | undefined {
    const report = seriesReport(this.samples, this.#scrapes, this.#options);
    const { samples } = this;
    if (report === undefined || !(samples instanceof ScalarSeries) || this.type === "counter") {
      return report;
    }
    const { timesNs } = this.#scrapes;
    const line = { timesNs, levels: rowLevels([samples.values.runs()], timesNs.length, "sum") };
    const avg = meanLevelOverTime([line], this.#options.window);
    return { ...report, stats: { ...report.stats, "avg": avg } };
  }
}
