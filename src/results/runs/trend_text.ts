import { quantityText } from "../../core/chart/figure_text.ts";
import { displayWidth } from "../../report/console/display_width.ts";
import { printableText } from "../../report/console/printable_text.ts";
import { startText } from "./run_table.ts";
import type { TrendPoint } from "./run_history.ts";

const MAX_FOLDER = 28;
const MIN_BAR = 10;
const MAX_BAR = 50;
/** Eighths of a character. */
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A figure over time: a line for each run, with a bar from zero to its value. */
export function trendText(name: string, points: readonly TrendPoint[], width: number): string {
  const rows = points.map(({ run, value, unit }) => ({
    start: startText(run.startMs),
    folder: printableText(run.folder, MAX_FOLDER),
    figure: quantityText(value, unit),
    value,
  }));
  const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map(displayWidth));
  const folderWidth = widest(rows.map(({ folder }) => folder));
  const figureWidth = widest(rows.map(({ figure }) => figure));
  const room = width - 16 - folderWidth - figureWidth - 6;
  const barWidth = Math.max(MIN_BAR, Math.min(MAX_BAR, room));
  const most = Math.max(0, ...rows.map(({ value }) => value));
  return [
    `${printableText(name)} over time`,
    ...rows.map(({ start, folder, figure, value }) => {
      const blanks = " ".repeat(folderWidth - displayWidth(folder));
      return `${start.padEnd(16)}  ${folder}${blanks}  ${figure.padStart(figureWidth)}  ${
        bar(most > 0 ? value / most : 0, barWidth)
      }`.trimEnd();
    }),
    "",
  ].join("\n");
}

function bar(share: number, width: number): string {
  const eighths = Math.round(Math.max(0, share) * width * 8);
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}
