import { millisecondsText } from "../../../core/chart/figure_text.ts";
import type { ColorName } from "../../../core/chart/chart.ts";
import { paintOf } from "../../../core/chart/palette.ts";
import type { RequestDetail } from "./page_data.ts";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 640;
const ROW = 20;
const LABELS = 90;
const COLORS: Readonly<Record<string, ColorName>> = {
  "queue wait": "purple",
  "blocked": "grey",
  "name lookup": "purple",
  "connect": "vermilion",
  "send": "orange",
  "wait": "client",
  "receive": "decode",
};

/**
 * Returns the chart of one request: a bar for each part of its time, and the times of its content.
 */
export function waterfall({ parts, chunkMs, chunks }: RequestDetail): SVGElement {
  const rows = [...parts.map(([label]) => label), ...(chunkMs.length > 0 ? ["content"] : [])];
  const start = parts.reduce((least, [, from]) => Math.min(least, from), 0);
  const end = Math.max(...parts.map(([, , to]) => to), ...chunkMs, start + 1e-3);
  const at = (ms: number): number => LABELS + (ms - start) / (end - start) * (WIDTH - LABELS - 70);
  const svg = drawn("svg", {
    viewBox: `0 0 ${WIDTH} ${rows.length * ROW + 4}`,
    role: "img",
    "aria-label": parts.map(([label, from, to]) => `${label} ${millisecondsText(to - from)}`).join(
      ", ",
    ),
  });
  parts.forEach(([label, from, to], row) => {
    const y = row * ROW;
    svg.append(
      text(0, y + 14, label),
      drawn("rect", {
        x: at(from),
        y: y + 3,
        width: Math.max(1, at(to) - at(from)),
        height: ROW - 7,
        fill: paintOf(COLORS[label] ?? "grey", false),
      }),
      text(at(to) + 4, y + 14, millisecondsText(to - from)),
    );
  });
  if (chunkMs.length > 0) {
    const y = parts.length * ROW;
    svg.append(text(0, y + 14, "content"));
    for (const ms of chunkMs) {
      svg.append(
        drawn("rect", { x: at(ms), y: y + 3, width: 1.5, height: ROW - 7, fill: "currentColor" }),
      );
    }
    svg.append(text(at(chunkMs.at(-1) as number) + 6, y + 14, `${chunks} pieces`));
  }
  return svg;
}

function text(x: number, y: number, words: string): SVGElement {
  const element = drawn("text", { x, y, "font-size": 12, fill: "currentColor" });
  element.textContent = words;
  return element;
}

function drawn(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}
