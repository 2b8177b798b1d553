import { PageReader } from "../../src/telemetry/scrape/page_reader.ts";
import { EndpointSeries } from "../../src/telemetry/timeseries/endpoint_series.ts";

const LIMITS = { bodyBytes: 1e6, samples: 1e4, labels: 99, labelValueBytes: 999, series: 1e4 };

/** Pages, one a second from zero on. */
export function endpointOf(pages: readonly string[]): EndpointSeries {
  const series = new EndpointSeries();
  const reader = new PageReader(LIMITS);
  pages.forEach((text, second) => {
    const times = { sentNs: second * 1e9, firstByteNs: second * 1e9, latencyNs: 0 };
    const reading = reader.reading(
      new TextEncoder().encode(text),
      "text/plain; version=0.0.4",
      times,
    );
    let step = reading.next();
    while (!step.done) step = reading.next();
    series.add(step.value);
  });
  return series;
}
