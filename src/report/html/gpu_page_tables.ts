import { countText, figureText } from "../../core/chart/figure_text.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { htmlTable } from "./html_table.ts";

const STATISTICS = ["avg", "min", "p50", "p99", "max"] as const;
/** Most rows of the table of all GPUs. */
const MAX_ROWS = 400;

/** Returns the energy cost of the results and the metrics of each GPU; empty if there were none. */
export function gpuPageTables({ gpu }: ProfileReport): string {
  const gpus =
    gpu?.report.endpoints.flatMap(({ url, gpus }) =>
      gpus.map((one) => ({ ...one, place: new URL(url).host }))
    ) ?? [];
  if (gpu === undefined || gpus.length === 0) return "";
  const rows = gpus.flatMap(({ identity, figures, place }) =>
    figures.map(({ field, stats }) => [
      `GPU ${identity.index} of ${place} (${identity.name}): ${field.header}`,
      field.unit,
      ...STATISTICS.map((name) => {
        const value = (stats as Partial<Record<string, number>>)[name];
        return value === undefined || Number.isNaN(value) ? "" : figureText(value);
      }),
    ])
  );
  const energy = htmlTable({
    head: ["GPUs together", "unit", "value"],
    rows: gpu.efficiency.map(({ tag, header, unit, value }) => [
      `${tag.startsWith("amd") ? "AMD" : "NVIDIA"} ${header}`,
      unit,
      figureText(value),
    ]),
    textColumns: [1],
  });
  const each = htmlTable({
    head: ["metric", "unit", ...STATISTICS],
    rows: rows.slice(0, MAX_ROWS),
    textColumns: [1],
  });
  const more = rows.length - MAX_ROWS;
  return [
    "<h3>GPUs</h3>",
    gpu.efficiency.length === 0 ? "" : energy,
    `<details><summary>Each of ${countText(gpus.length)} GPUs</summary>${each}`,
    more > 0 ? `<p class="soft">and ${countText(more)} more</p>` : "",
    "</details>\n",
  ].join("");
}
