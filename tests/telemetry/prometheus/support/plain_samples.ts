import type { MetricFamily } from "../../../../src/telemetry/prometheus/exposition.ts";
import { parseFloatText } from "../../../../src/telemetry/prometheus/float_text.ts";

/** A sample without the family it belongs to. */
export interface PlainSample {
  readonly name: string;
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly value: number;
}

/** Samples in an order that does not depend on the page, bounds written in one way. */
export function sortedSamples(samples: readonly PlainSample[]): PlainSample[] {
  return samples
    .map(({ name, labels, value }): PlainSample => ({
      name,
      labels: labels
        .map(([label, text]): [string, string] => [label, plainBound(label, text)])
        .sort(([a], [b]) => a < b ? -1 : 1),
      value: value === 0 ? 0 : value,
    }))
    .map((sample): [string, PlainSample] => [sampleKey(sample), sample])
    .sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0)
    .map(([, sample]) => sample);
}

/** All samples of some families, sorted. */
export function pageOf(families: readonly MetricFamily[]): PlainSample[] {
  return sortedSamples(
    families.flatMap(({ samples }) =>
      samples.map(({ name, labels, value }) => ({ name, labels: Object.entries(labels), value }))
    ),
  );
}

function sampleKey({ name, labels, value }: PlainSample): string {
  return JSON.stringify([name, labels, String(value)]);
}

/** The references write `le` and `quantile` as Go writes floats; the number is what counts. */
function plainBound(label: string, text: string): string {
  if (label !== "le" && label !== "quantile") return text;
  const number = parseFloatText(text);
  return number === undefined ? text : String(number);
}
