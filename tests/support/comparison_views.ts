import { compareAll } from "../../src/measurement/compare/comparison.ts";
import type { RunSample } from "../../src/measurement/compare/run_sample.ts";
import type { ComparisonView } from "../../src/report/html/comparison_view.ts";

/** Sides of these samples, compared. */
export function comparisonView(
  sides: readonly (readonly [label: string, samples: readonly RunSample[]])[],
  { settings = [] }: Partial<Pick<ComparisonView, "settings">> = {},
): ComparisonView {
  return {
    sides: sides.map(([label, samples]) => ({
      label,
      runs: samples.map((sample) => ({
        ...{ directory: `runs/${sample.name}`, sample, timeline: [] },
        ...{ product: undefined, machine: "here" },
        client: new Map([["http_req_waiting", { unit: "ms", stats: { "avg": 12, "p99": 20 } }]]),
      })),
    })),
    comparisons: compareAll(sides.map(([label, samples]) => ({ label, samples })), {}),
    settings,
    minDifference: 0.01,
  };
}
