/** Draws stacked bars as SVG at the width that they are shown with. */

import type { BarPlot } from "./bar_plot.ts";
import { element, escapedMarkup } from "./markup.ts";

/** Height of a bar and distance to the next one. */
const ROOMY = { height: 24, gap: 10 } as const;
const DENSE = { height: 14, gap: 8 } as const;
const CHARACTER = 8;
/** Space between the bars and their texts. */
const SPACE = 8;

/** A part of a bar in CSS pixels. */
export interface BarBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly row: number;
  readonly part: number;
}

/** Returns the places of all parts at a width in CSS pixels. */
export function barBoxes({ isDense, rows }: BarPlot, width: number): BarBox[] {
  const { height, gap } = isDense ? DENSE : ROOMY;
  const { left, right } = edges(rows, width);
  const most = Math.max(...rows.map(({ parts }) => sum(parts.map(({ value }) => value))));
  const scale = most > 0 ? (right - left) / most : 0;
  return rows.flatMap(({ parts }, row) => {
    let x = left;
    return parts.map(({ value }, part) => {
      const box = { x, y: row * (height + gap), height, row, part };
      x += value * scale;
      return { ...box, width: value * scale };
    });
  });
}

/** Returns the bars. */
export function barPlotSvg(plot: BarPlot, width: number): string {
  const { isDense, name, rows } = plot;
  const size = isDense ? DENSE : ROOMY;
  const rowHeight = size.height + size.gap;
  const height = rows.length * rowHeight;
  const { left } = edges(rows, width);
  const boxes = barBoxes(plot, width);
  return element(
    "svg",
    {
      ...{ viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": name },
      "font-size": 12,
    },
    [
      ...boxes.map(({ height, part, row, width, x, y }) =>
        element("rect", {
          ...{ x, y, height, width: Math.max(0, width - 2), rx: 2 },
          fill: `var(--${rows[row]?.parts[part]?.color})`,
        })
      ),
      ...rows.flatMap(({ label, total }, row) => {
        const y = row * rowHeight + size.height / 2 + 4;
        const own = boxes.filter((box) => box.row === row);
        const end = Math.max(left, ...own.map((box) => box.x + box.width));
        return [
          text(left - SPACE, y, label, "end"),
          text(end + SPACE, y, total, "start"),
        ];
      }),
    ].join(""),
  );
}

function edges(rows: BarPlot["rows"], width: number): { left: number; right: number } {
  const longest = (texts: readonly string[]): number =>
    Math.max(0, ...texts.map(({ length }) => length)) * CHARACTER;
  return {
    left: longest(rows.map(({ label }) => label)) + SPACE,
    right: width - longest(rows.map(({ total }) => total)) - 2 * SPACE,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function text(x: number, y: number, words: string, anchor: "start" | "end"): string {
  return element("text", {
    ...{ x, y, "text-anchor": anchor, fill: "var(--second)", "font-weight": 600 },
  }, escapedMarkup(words));
}
