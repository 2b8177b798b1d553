import type { Calibration } from "../../measurement/calibration/calibration.ts";
import type { Limit } from "../../measurement/calibration/limits.ts";
import type { Trial } from "../../measurement/calibration/trial.ts";
import { errorChart } from "./error_chart.ts";
import { wholeNumber } from "./number_text.ts";
import { printableText } from "./printable_text.ts";
import { renderTable } from "./text_table.ts";

/** Maximum number of columns of the chart. */
const MAX_CHART_WIDTH = 80;

/** Returns the result of a calibration as a table and a chart of each metric's error. */
export function calibrationReport(
  { machine, limits }: Calibration,
  trials: readonly Trial[],
  width: number,
): string {
  const { hostname, os, arch, cores } = machine;
  const rows = [...Map.groupBy(limits, ({ workers, share }) => `${workers} ${share}`).values()];
  const table = renderTable({
    head: ["Workers", "Within", "TTFT: streams", "events/s", "requests/s", "ITL: streams"],
    rows: rows.map((limits) => {
      const [ttft, itl] = (["ttft", "itl"] as const).map((metric) =>
        limits.find((limit) => limit.metric === metric) as Limit
      ) as [Limit, Limit];
      return [
        String(ttft.workers),
        `${ttft.share * 100} %`,
        streamsText(ttft),
        numberText(ttft.eventsPerSecond),
        numberText(ttft.requestsPerSecond),
        streamsText(itl),
      ];
    }),
    flexible: 0,
    minFlexible: 7,
    alignments: ["right", "right", "right", "right", "right", "right"],
  }, width);
  const chartWidth = Math.min(width, MAX_CHART_WIDTH);
  const charts = (["ttft", "itl"] as const).map((metric) =>
    errorChart(
      `Error of ${metric.toUpperCase()} (worst of avg, p50, p99) over streams`,
      trials.map(({ workers, streams, errors }) => ({ workers, streams, error: errors[metric] })),
      chartWidth,
    )
  );
  return [
    `Capacity of ${printableText(hostname, 40)} (${os} ${arch}, ${cores} cores)`,
    "",
    table,
    "",
    ...charts.flatMap((chart) => [chart, ""]),
  ].join("\n");
}

/** The streams of a limit; a `+` where the limit lies higher. */
function streamsText({ streams, isOpen }: Limit): string {
  return `${numberText(streams)}${isOpen ? "+" : ""}`;
}

function numberText(value: number): string {
  return value === 0 ? "-" : wholeNumber(Math.round(value));
}
