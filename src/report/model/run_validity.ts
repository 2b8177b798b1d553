import {
  type Cell,
  JUDGED_STATISTICS,
  PERCENTILES,
} from "../../measurement/own_error/bounded_statistics.ts";
import {
  type CellVerdict,
  cellVerdict,
  SHOWN_CELLS,
  worstCell,
} from "../../measurement/sampling/cell_verdict.ts";
import { MIN_BEYOND } from "../../measurement/sampling/proof_limits.ts";
import { distributionOf } from "../../measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import { judgedWindow, type ShownWindow } from "./shown_window.ts";

/** Overall validity of a run's statistics. */
export interface RunValidity {
  /** Worst verdict of the statistics by which a run is evaluated. */
  readonly verdict: CellVerdict;
  /** How many of the statistics that the run shows are valid, and of how many. */
  readonly proven: number;
  readonly of: number;
  /** Reasons why the others are not valid; a clause each, with the statistics. */
  readonly blockers: readonly string[];
}

const NAMES: Readonly<Partial<Record<MetricTag, string>>> = {
  "time_to_first_token": "TTFT",
  "inter_token_latency": "ITL",
  "request_latency": "latency",
  "request_throughput": "requests/s",
  "output_token_throughput": "tokens/s",
};

/** Evaluates each statistic of the window that is shown. */
export function runValidity(
  shown: ShownWindow,
  judged: readonly Cell[] = JUDGED_STATISTICS,
): RunValidity {
  const window = judgedWindow(shown);
  const cells = SHOWN_CELLS.flatMap((cell) => {
    const verdict = cellVerdict(window, cell);
    return verdict === undefined ? [] : [{ cell, verdict }];
  });
  const of = (wanted: CellVerdict): Cell[] =>
    cells.filter(({ verdict }) => verdict === wanted).map(({ cell }) => cell);
  const unproven = of("not_proven");
  const isUnmeasured = shown.measurementError === undefined;
  const few = isUnmeasured ? [] : unproven.filter((cell) => isFew(shown, cell));
  const wide = isUnmeasured ? [] : unproven.filter((cell) => !few.includes(cell));
  return {
    verdict: worstCell(window, judged),
    proven: of("valid").length,
    of: cells.length,
    blockers: [
      ...clause("client error above 20 %", of("invalid")),
      ...clause("client error above 5 %", of("suspect")),
      ...sampleClause(shown, few),
      ...clause("confidence interval wider than 10 %", wide),
      ...(isUnmeasured && cells.length > 0 ? ["the client error was not measured"] : []),
    ],
  };
}

/** Whether fewer samples than prove a percentile lie beyond it. */
function isFew({ results }: ShownWindow, [tag, statistic]: Cell): boolean {
  const percentile = PERCENTILES.find(([name]) => name === statistic);
  const count = distributionOf(results, tag)?.count ?? 0;
  return percentile !== undefined && count * (1 - percentile[1] / 100) < MIN_BEYOND;
}

/** Percentiles with too few requests beyond them, and how many the highest one needs. */
function sampleClause({ results }: ShownWindow, cells: readonly Cell[]): string[] {
  const percentiles = PERCENTILES.filter(([name]) =>
    cells.some(([, statistic]) => statistic === name)
  );
  const [highest] = percentiles.toReversed();
  if (highest === undefined) return [];
  const counts = cells.map(([tag]) => distributionOf(results, tag)?.count ?? 0);
  const needed = Math.ceil(MIN_BEYOND / (1 - highest[1] / 100) - 1e-9);
  const names = percentiles.map(([name]) => name).join(", ");
  return [
    `sample too small for ${names}: ${highest[0]} needs ${needed} requests, there are ` +
    `${Math.min(...counts)}`,
  ];
}

function clause(reason: string, cells: readonly Cell[]): string[] {
  return cells.length === 0 ? [] : [`${reason}: ${cells.map(cellName).join(", ")}`];
}

/** Name of a statistic, as `TTFT p99`. */
function cellName([tag, statistic]: Cell): string {
  const name = NAMES[tag] ?? tag;
  return tag.endsWith("_throughput") ? name : `${name} ${statistic}`;
}
