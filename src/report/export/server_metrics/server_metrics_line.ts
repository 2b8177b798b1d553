import type { ScrapedPage } from "../../../telemetry/prometheus/scraped_page.ts";
import type { EndpointSeries, KeptSample } from "../../../telemetry/timeseries/endpoint_series.ts";
import { SummarySeries } from "../../../telemetry/timeseries/series.ts";
import { jsonLine } from "../json_document.ts";

/** Samples of a series on a page. */
interface Entry {
  readonly series: KeptSample["series"];
  value: number | undefined;
  sum: number | undefined;
  count: number | undefined;
  buckets: (readonly [bound: string, count: number])[] | undefined;
}

/**
 * Yields a line of `server_metrics_export.jsonl`, in pieces: every metric of a scrape as the server
 * reported it, under the names of the other files.
 * @param endpoint has already added the scrape
 * @param url of the endpoint, redacted for display
 * @param phase fields that name the phase it belongs to; empty for none
 */
export function* serverMetricsLine(
  endpoint: EndpointSeries,
  page: ScrapedPage,
  url: string,
  baseEpochNs: bigint,
  phase: string,
): Generator<string> {
  const head = jsonLine({
    "endpoint_url": url,
    "timestamp_ns": baseEpochNs + BigInt(page.firstByteNs),
    "endpoint_latency_ns": BigInt(page.latencyNs),
  });
  yield `${head.slice(0, -1)},"metrics":{`;
  let last: string | undefined;
  for (const entry of entriesOf(endpoint)) {
    const { name } = entry.series.identity;
    const before = name === last ? "," : `${last === undefined ? "" : "],"}${jsonLine(name)}:[`;
    yield before + jsonLine(entryObject(entry));
    last = name;
  }
  if (last !== undefined) yield "]";
  const tail = jsonLine({
    "request_sent_ns": baseEpochNs + BigInt(page.sentNs),
    "first_byte_ns": baseEpochNs + BigInt(page.firstByteNs),
  });
  yield `},${tail.slice(1, -1)}${phase === "" ? "" : `,${phase}`}}`;
}

/** The series of one metric after another, with what they have on the last page. */
function* entriesOf(endpoint: EndpointSeries): Generator<Entry> {
  let entry: Entry | undefined;
  for (const position of positionsBySeries(endpoint)) {
    const sample = endpoint.lastSample(position) as KeptSample;
    const { series } = sample;
    if (series !== entry?.series) {
      if (entry !== undefined) yield entry;
      entry = { series, value: undefined, sum: undefined, count: undefined, buckets: undefined };
    }
    put(entry, sample);
  }
  if (entry !== undefined) yield entry;
}

/**
 * Returns positions of the last scrape's samples, grouped by series, and the series of a metric. So
 * only one series is assembled at a time: the engine would treat tens of thousands of objects that
 * live as long as a line as long-lived.
 */
function positionsBySeries(endpoint: EndpointSeries): Int32Array {
  const positions = new Int32Array(endpoint.lastCount);
  const series = new Int32Array(endpoint.lastCount);
  const metrics = new Int32Array(endpoint.lastCount);
  let kept = 0;
  for (let position = 0; position < endpoint.lastCount; position++) {
    const sample = endpoint.lastSample(position);
    if (sample === undefined || sample.series instanceof SummarySeries) continue;
    positions[kept++] = position;
    series[position] = sample.series.number;
    metrics[position] = sample.series.metricNumber;
  }
  return groupedBy(metrics, groupedBy(series, positions.subarray(0, kept)));
}

/** Positions, those of one key together and as they were, the keys in the order of their first ones. */
function groupedBy(keys: Int32Array, positions: Int32Array): Int32Array {
  const keyOf = (position: number): number => keys[position] as number;
  const most = positions.reduce((most, position) => Math.max(most, keyOf(position)), 0);
  const counts = new Int32Array(most + 1);
  for (const position of positions) counts[keyOf(position)] = counts[keyOf(position)] as number + 1;
  /** Place of a key's next position; -1 for a key that was not met yet. */
  const next = new Int32Array(most + 1).fill(-1);
  let end = 0;
  const grouped = new Int32Array(positions.length);
  for (const position of positions) {
    const key = keyOf(position);
    let at = next[key] as number;
    if (at < 0) {
      at = end;
      end += counts[key] as number;
    }
    grouped[at] = position;
    next[key] = at + 1;
  }
  return grouped;
}

function put(entry: Entry, { part, value }: KeptSample): void {
  if (typeof part === "string") entry[part] = value;
  else if (entry.buckets === undefined) entry.buckets = [[part.bound, value]];
  else entry.buckets.push([part.bound, value]);
}

function entryObject({ series, value, sum, count, buckets }: Entry): unknown {
  const { labels } = series.identity;
  return {
    "labels": labels.length > 0 ? new Map(labels) : undefined,
    "value": value,
    "buckets": buckets === undefined ? undefined : new Map(buckets),
    "sum": sum,
    "count": count,
  };
}
