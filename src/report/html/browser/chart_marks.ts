/** Parts of a chart that are not its series: spans, reference values, labels, the unit. */

import type uPlot from "npm:uplot@1.6.32";
import { axisTitle } from "../../../core/chart/axis_text.ts";
import type { Chart } from "../../../core/chart/chart.ts";
import { labelColor, themeColor } from "./theme_color.ts";

/** Font of all text on a canvas. */
export const FONT = '12px "Inter", "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif';
/** Distance between two labels at the ends of lines, in CSS pixels. */
const LABEL_STEP = 15;
const HATCH_STEP = 6;

/** Draws what is behind the series. */
export function drawSpans(plot: uPlot, { spans }: Chart): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, 0, bbox.width, bbox.top + bbox.height);
  ctx.clip();
  for (const { from, kind, label, to } of spans) {
    const left = plot.valToPos(from, "x", true);
    const width = Math.max(
      kind === "stall" ? 2 * devicePixelRatio : 0,
      plot.valToPos(to, "x", true) - left,
    );
    if (kind === "stall") hatch(plot, left, width);
    else if (kind === "phase") {
      ctx.fillStyle = themeColor("ramp");
      ctx.fillRect(left, bbox.top, width, bbox.height);
    }
    if (kind !== "stall") spanLabel(plot, label, left, width, kind === "window");
  }
  ctx.restore();
}

/** The label of a window is bold; a label that does not fit is left out. */
function spanLabel(plot: uPlot, label: string, left: number, width: number, isBold: boolean): void {
  const { ctx, bbox } = plot;
  const [start, end] = [Math.max(left, bbox.left), Math.min(left + width, bbox.left + bbox.width)];
  ctx.font = scaledFont(isBold);
  ctx.fillStyle = themeColor(isBold ? "second" : "soft");
  ctx.textAlign = "center";
  if (ctx.measureText(label).width > end - start + 8 * devicePixelRatio) return;
  ctx.fillText(label, (start + end) / 2, bbox.top - 5 * devicePixelRatio);
}

function hatch({ bbox, ctx }: uPlot, left: number, width: number): void {
  ctx.save();
  ctx.strokeStyle = themeColor("bad");
  ctx.lineWidth = devicePixelRatio;
  ctx.beginPath();
  ctx.rect(left, bbox.top, width, bbox.height);
  ctx.clip();
  ctx.beginPath();
  for (let x = left - bbox.height; x < left + width; x += HATCH_STEP * devicePixelRatio) {
    ctx.moveTo(x, bbox.top + bbox.height);
    ctx.lineTo(x + bbox.height, bbox.top);
  }
  ctx.stroke();
  ctx.restore();
}

/** Draws reference values, each with its label. */
export function drawMarks(plot: uPlot, { marks }: Chart): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = themeColor("second");
  ctx.fillStyle = themeColor("text");
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.font = scaledFont(true);
  const [right, bottom] = [bbox.left + bbox.width, bbox.top + bbox.height];
  const gap = 5 * devicePixelRatio;
  for (const { label, at, axis } of marks) {
    const place = plot.valToPos(at, axis, true);
    ctx.beginPath();
    if (axis === "x") {
      if (place < bbox.left || place > right) continue;
      ctx.moveTo(place, bbox.top);
      ctx.lineTo(place, bottom);
      const isRight = place > (bbox.left + right) / 2;
      ctx.textAlign = isRight ? "right" : "left";
      ctx.fillText(label, place + (isRight ? -gap : gap), bbox.top + 12 * devicePixelRatio);
    } else {
      if (place < bbox.top || place > bottom) continue;
      ctx.moveTo(bbox.left, place);
      ctx.lineTo(right, place);
      ctx.textAlign = "left";
      const isHigh = place - bbox.top < 16 * devicePixelRatio;
      ctx.fillText(label, bbox.left + gap, isHigh ? place + 14 * devicePixelRatio : place - gap);
    }
    ctx.stroke();
  }
  ctx.restore();
}

/** Writes the unit above the y axis. */
export function drawUnit({ bbox, ctx }: uPlot, { y }: Chart): void {
  ctx.save();
  ctx.font = scaledFont(false);
  ctx.fillStyle = themeColor("soft");
  ctx.textAlign = "left";
  ctx.fillText(axisTitle(y), 0, bbox.top - 10 * devicePixelRatio);
  ctx.restore();
}

/** Writes the labels where the lines end, moved apart where they would overlap. */
export function drawEndLabels(plot: uPlot, { series }: Chart): void {
  const { ctx, bbox } = plot;
  const { max = null } = plot.scales["x"] ?? {};
  const step = LABEL_STEP * devicePixelRatio;
  const labels = series.filter(({ isUnlabelled }) => isUnlabelled !== true).flatMap((one) => {
    const { color, label, shape, upper, x, y } = one;
    if (shape === "points") return [];
    let last = x.length - 1;
    while (last >= 0 && ((x[last] as number) > (max ?? Infinity) || (y[last] ?? null) === null)) {
      last--;
    }
    const low = y[last];
    if (low === null || low === undefined) return [];
    const high = upper?.[last] ?? low;
    // A part of a stack that is empty at the end is named where the others are.
    const place = plot.valToPos(
      shape === "line" || shape === "steps" ? high : (low + high) / 2,
      "y",
      true,
    );
    return [{ color, label, place: Math.max(place, bbox.top + step / 2) }];
  }).sort((a, b) => a.place - b.place);
  for (let at = 1; at < labels.length; at++) {
    const [before, label] = [labels[at - 1], labels[at]] as [{ place: number }, { place: number }];
    label.place = Math.max(label.place, before.place + step);
  }
  const excess = Math.max(0, (labels.at(-1)?.place ?? 0) - bbox.top - bbox.height);
  ctx.save();
  ctx.font = scaledFont(true);
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  for (const { color, label, place } of labels) {
    ctx.fillStyle = labelColor(color);
    ctx.fillText(label, bbox.left + bbox.width + 8 * devicePixelRatio, place - excess);
  }
  ctx.restore();
}

function scaledFont(isBold: boolean): string {
  const size = `${12 * devicePixelRatio}px`;
  return `${isBold ? "600 " : ""}${FONT.replace("12px", size)}`;
}
