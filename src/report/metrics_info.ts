import type { ServerFact, ServerInfo } from "../server_info/server_info.ts";
import type { SeriesReport, ServerMetricsReport } from "./server_metrics_report.ts";

/** Most facts of an endpoint. */
const MAX_FACTS = 500;
const MAX_VALUE = 200;

/**
 * What metrics pages say of the servers' configurations: the labels of metrics that are called
 * `..._info`, `vllm:cache_config_info` among them. One entry for each endpoint that has some.
 */
export function metricsInfo(metrics: ServerMetricsReport | undefined): ServerInfo[] {
  const series = (metrics?.metrics ?? []).filter(({ name }) => name.endsWith("_info"))
    .flatMap(({ series }) => series);
  return [...Map.groupBy(series, ({ endpointUrl }) => endpointUrl)].map(([url, some]) => ({
    url,
    facts: factsOf(some),
    asked: [],
  }));
}

/** Labels by the metric's name; those of several series of a name get their number. */
function factsOf(series: readonly SeriesReport[]): ServerFact[] {
  return [...Map.groupBy(series, ({ name }) => name)].flatMap(([name, some]) =>
    some.flatMap(({ labels }, at) =>
      labels.map(([label, value]): ServerFact => [
        `${name}${some.length === 1 ? "" : `[${at + 1}]`}.${label}`,
        clean(value).slice(0, MAX_VALUE),
      ])
    )
  ).filter(([, value]) => value !== "").slice(0, MAX_FACTS);
}

function clean(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").toWellFormed().trim();
}
