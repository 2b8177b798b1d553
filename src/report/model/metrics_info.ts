import type { EndpointSeries } from "../../telemetry/timeseries/endpoint_series.ts";
import type { SeriesIdentity } from "../../telemetry/timeseries/series.ts";
import type { ServerFact, ServerInfo } from "../server_info/server_info.ts";
import { serverText } from "../server_info/server_text.ts";
import { compare, labelText } from "./label_order.ts";

/** Most facts of an endpoint. */
const MAX_FACTS = 500;
const MAX_VALUE = 200;

/**
 * Returns the servers' configurations from their metrics endpoints: the labels of metrics called
 * `..._info`, such as `vllm:cache_config_info`. The configuration is constant during a run, so any
 * scrape will do, also the scrape before a short run. One entry for each endpoint that has such
 * metrics.
 */
export function metricsInfo(
  endpoints: readonly { readonly url: string; readonly series: Pick<EndpointSeries, "series"> }[],
): ServerInfo[] {
  return endpoints.map(({ url, series: { series } }) => ({
    url,
    facts: factsOf(
      [...series].map(({ identity }) => identity).filter(({ name }) => name.endsWith("_info")),
    ),
    asked: [],
  })).filter(({ facts }) => facts.length > 0);
}

/** Labels by the metric's name; those of several series of a name get their number. */
function factsOf(series: readonly SeriesIdentity[]): ServerFact[] {
  const names = [...Map.groupBy(series, ({ name }) => name)].sort(([a], [b]) => compare(a, b));
  return names.flatMap(([name, some]) =>
    some.sort((a, b) => compare(labelText(a), labelText(b))).flatMap(({ labels }, at) =>
      labels.map(([label, value]): ServerFact => [
        `${name}${some.length === 1 ? "" : `[${at + 1}]`}.${label}`,
        serverText(value).slice(0, MAX_VALUE),
      ])
    )
  ).filter(([, value]) => value !== "").slice(0, MAX_FACTS);
}
