import type { ParsedPage, TextParser } from "../../../../src/telemetry/prometheus/text_parser.ts";
import { type PlainSample, sortedSamples } from "./plain_samples.ts";

/** The samples of a page in its order, with the names and labels of their series. */
export function samplesOf(parser: TextParser, page: ParsedPage): PlainSample[] {
  return Array.from({ length: page.count }, (_, index) => {
    const series = parser.series[page.ids[index] as number];
    if (series === undefined) throw new Error(`There is no series ${page.ids[index]}`);
    return { name: series.name, labels: series.labels, value: page.values[index] as number };
  });
}

/** The samples of a page, whatever its order. */
export function sortedSamplesOf(parser: TextParser, page: ParsedPage): PlainSample[] {
  return sortedSamples(samplesOf(parser, page));
}
