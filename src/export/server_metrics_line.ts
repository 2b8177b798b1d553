import type { ScrapedPage } from "../prometheus/scraped_page.ts";
import type { EndpointSeries, KeptSample } from "../timeseries/endpoint_series.ts";
import { HistogramSeries, SummarySeries } from "../timeseries/series.ts";
import { jsonText } from "./json_text.ts";

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
  const metrics = new Map<string, Map<unknown, Record<string, unknown>>>();
  for (const sample of endpoint.lastSamples()) {
    if (sample.series instanceof SummarySeries) continue;
    const { name, labels } = sample.series.identity;
    let entries = metrics.get(name);
    if (entries === undefined) metrics.set(name, entries = new Map());
    let entry = entries.get(sample.series);
    if (entry === undefined) {
      entry = labels.length === 0 ? {} : { "labels": fromPairs(labels) };
      entries.set(sample.series, entry);
    }
    put(entry, sample);
  }
  return jsonText({
    "endpoint_url": url,
    "timestamp_ns": baseEpochNs + BigInt(page.firstByteNs),
    "endpoint_latency_ns": BigInt(page.latencyNs),
    "metrics": fromPairs([...metrics].map(([name, entries]) => [name, [...entries.values()]])),
    "request_sent_ns": baseEpochNs + BigInt(page.sentNs),
    "first_byte_ns": baseEpochNs + BigInt(page.firstByteNs),
  }, 0);
}

function put(entry: Record<string, unknown>, { series, part, value }: KeptSample): void {
  if (!(series instanceof HistogramSeries)) entry["value"] = value;
  else if (typeof part === "string") entry[part] = value;
  else {
    const buckets = entry["buckets"] as Record<string, number> | undefined;
    if (buckets !== undefined) buckets[part.bound] = value;
    else {
      const first: Record<string, number> = Object.create(null);
      first[part.bound] = value;
      entry["buckets"] = first;
    }
  }
}

/** An object whose keys come from the wire: none of them means anything to the language. */
function fromPairs<T>(pairs: readonly (readonly [string, T])[]): Record<string, T> {
  const object: Record<string, T> = Object.create(null);
  for (const [key, value] of pairs) object[key] = value;
  return object;
}
