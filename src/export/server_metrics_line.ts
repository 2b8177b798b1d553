import type { ScrapedPage } from "../prometheus/scraped_page.ts";
import type { EndpointSeries, KeptSample } from "../timeseries/endpoint_series.ts";
import { HistogramSeries, SummarySeries } from "../timeseries/series.ts";
import { jsonLine } from "./json_document.ts";

/**
 * A line of `server_metrics_export.jsonl`: every metric of a scrape as the server told it, under
 * the names of the other files.
 * @param endpoint has taken in the page already
 * @param url where the endpoint is, as it may be shown
 */
export function serverMetricsLine(
  endpoint: EndpointSeries,
  page: ScrapedPage,
  url: string,
  baseEpochNs: bigint,
): string {
  const metrics = new Map<string, Map<unknown, Map<string, unknown>>>();
  for (const sample of endpoint.lastSamples()) {
    if (sample.series instanceof SummarySeries) continue;
    const { name, labels } = sample.series.identity;
    let entries = metrics.get(name);
    if (entries === undefined) metrics.set(name, entries = new Map());
    let entry = entries.get(sample.series);
    if (entry === undefined) {
      entry = new Map();
      if (labels.length > 0) entry.set("labels", new Map(labels));
      entries.set(sample.series, entry);
    }
    put(entry, sample);
  }
  return jsonLine({
    "endpoint_url": url,
    "timestamp_ns": baseEpochNs + BigInt(page.firstByteNs),
    "endpoint_latency_ns": BigInt(page.latencyNs),
    "metrics": new Map([...metrics].map(([name, entries]) => [name, [...entries.values()]])),
    "request_sent_ns": baseEpochNs + BigInt(page.sentNs),
    "first_byte_ns": baseEpochNs + BigInt(page.firstByteNs),
  });
}

function put(entry: Map<string, unknown>, { series, part, value }: KeptSample): void {
  if (!(series instanceof HistogramSeries)) entry.set("value", value);
  else if (typeof part === "string") entry.set(part, value);
  else {
    const buckets = entry.get("buckets") as Map<string, number> | undefined;
    if (buckets !== undefined) buckets.set(part.bound, value);
    else entry.set("buckets", new Map([[part.bound, value]]));
  }
}
