import { grouped } from "../../src/report/console/number_text.ts";
import { renderTable } from "../../src/report/console/text_table.ts";
import type { BenchRow } from "./bench_row.ts";
import { median } from "./median.ts";
import { medianRatio } from "./median_ratio.ts";
import { OURS } from "./product.ts";

/** Width of the table where the label column gives way. */
const TABLE_WIDTH = 170;
const MIN_LABEL_WIDTH = 24;

/**
 * The rows as a table: medians, in parentheses ours as a multiple of a peer's, targets, and what
 * else the machine did meanwhile.
 */
export function resultTable(rows: readonly BenchRow[]): string {
  const known = new Set(rows.flatMap(({ values }) => [...values.keys()]));
  known.delete(OURS);
  const peers = [...known];
  return renderTable({
    head: ["measured", OURS, ...peers, "target", "met", "steal", "others", "stalls", "server"],
    rows: rows.map((row) => [
      `${row.label} (${row.unit})`,
      figure(row, OURS),
      ...peers.map((peer) => peerFigure(row, peer)),
      row.targets.map(({ text }) => text).join(", "),
      row.targets.map((target) => verdict(target.isMet(row))).join(", "),
      range(row.machine.map(({ stealShare }) => stealShare)),
      range(row.machine.map(({ othersShare }) => othersShare)),
      range(row.machine.map(({ stallShare }) => stallShare)),
      range(row.machine.map(({ targetShare }) => targetShare)),
    ]),
    flexible: 0,
    minFlexible: MIN_LABEL_WIDTH,
    alignments: ["left", ...numbers(1 + peers.length), "left", "left", ...numbers(4)],
  }, TABLE_WIDTH);
}

function numbers(columns: number): "right"[] {
  return Array.from({ length: columns }, () => "right");
}

function figure(row: BenchRow, name: string): string {
  const values = row.values.get(name) ?? [];
  return values.length === 0 ? "" : grouped(median(values), row.decimals ?? 2);
}

function peerFigure(row: BenchRow, peer: string): string {
  const ratio = medianRatio(row, OURS, peer);
  const shown = figure(row, peer);
  return ratio === undefined ? shown : `${shown} (${ratio.toFixed(2)}x)`;
}

function verdict(isMet: boolean | undefined): string {
  if (isMet === undefined) return "-";
  return isMet ? "yes" : "NO";
}

/** Median and highest share over the runs. */
function range(shares: readonly number[]): string {
  if (shares.length === 0) return "";
  const percent = (share: number): string => (share * 100).toFixed(0);
  return `${percent(median(shares))}..${percent(Math.max(...shares))} %`;
}
