/** A plot on the page: drawn at its real width, and read by pointer and keys. */

import type { BarPlot } from "../../../core/chart/bar_plot.ts";
import { barBoxes } from "../../../core/chart/bar_plot_svg.ts";
import { type LanePlot, laneReading } from "../../../core/chart/lane_plot.ts";
import { laneBoxes } from "../../../core/chart/lane_plot_svg.ts";
import type { PlotReading, PointPlot } from "../../../core/chart/point_plot.ts";
import { plotLayout } from "../../../core/chart/point_plot_svg.ts";
import { type Plot, plotSvg } from "../../../core/chart/plot.ts";
import { sentenceOf } from "./chart_reading.ts";
import { ChartTip } from "./chart_tip.ts";

/** Distance up to which the pointer is at a point, in CSS pixels. */
const REACH = 40;
/** Steps of an arrow key with Shift. */
const FAST = 10;

/** A place of a plot that can be read. */
interface Stop {
  readonly x: number;
  readonly y: number;
  readonly reading: PlotReading;
}

/** See the module's comment. */
export class PlotView {
  readonly #plot: Plot;
  /** Whether it is read along its x axis, not point by point. */
  readonly #isAlong: boolean;
  readonly #host: HTMLElement;
  readonly #announce: (text: string) => void;
  readonly #tip: ChartTip;
  readonly #drawing = document.createElement("div");
  #width = 0;
  /** By ascending x; of bars in their order. */
  #stops: readonly Stop[] = [];
  #at = -1;

  /** @param host the plot's element, whose content is replaced */
  constructor(
    plot: Plot,
    host: HTMLElement,
    announce: (text: string) => void,
  ) {
    this.#plot = plot;
    this.#isAlong = plot.kind === "points" && plot.readings !== undefined;
    this.#host = host;
    this.#announce = announce;
    host.replaceChildren(this.#drawing);
    this.#tip = new ChartTip(host);
    host.tabIndex = 0;
    host.setAttribute("role", "group");
    host.setAttribute("aria-roledescription", "interactive chart");
    host.setAttribute("aria-label", plot.name);
    host.setAttribute("aria-describedby", "plot-keys");
    host.addEventListener("pointermove", (event) => this.#onPointer(event));
    host.addEventListener("pointerleave", () => this.#hide());
    host.addEventListener("blur", () => this.#hide());
    host.addEventListener("keydown", (event) => this.#onKey(event));
    new ResizeObserver(() => this.draw()).observe(host);
    this.draw();
  }

  /** Draws the plot at the width that it has now. */
  draw(): void {
    const width = Math.floor(this.#host.clientWidth);
    if (width <= 0 || width === this.#width) return;
    this.#width = width;
    this.#hide();
    const plot = this.#plot;
    this.#drawing.innerHTML = plotSvg(plot, width);
    this.#stops = stopsOf(plot, width);
  }

  #onPointer(event: PointerEvent): void {
    const { left, top } = this.#drawing.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    let nearest = -1;
    let least = this.#isAlong ? Infinity : REACH;
    for (const [index, stop] of this.#stops.entries()) {
      const distance = this.#isAlong ? Math.abs(stop.x - x) : Math.hypot(stop.x - x, stop.y - y);
      if (distance < least) [nearest, least] = [index, distance];
    }
    if (nearest < 0) this.#hide();
    else if (nearest !== this.#at) this.#show(nearest);
  }

  #onKey(event: KeyboardEvent): void {
    const step = event.shiftKey ? FAST : 1;
    const last = this.#stops.length - 1;
    const targets: Readonly<Record<string, number>> = {
      ArrowRight: this.#at + step,
      ArrowLeft: this.#at < 0 ? last : this.#at - step,
      Home: 0,
      End: last,
    };
    if (event.key === "Escape") this.#hide();
    const target = targets[event.key];
    if (target === undefined || last < 0) return;
    event.preventDefault();
    this.#show(Math.max(0, Math.min(last, target)));
    this.#announce(sentenceOf((this.#stops[this.#at] as Stop).reading));
  }

  #show(index: number): void {
    const stop = this.#stops[index] as Stop;
    this.#at = index;
    this.#tip.show(stop.reading, stop.x);
    const cursor = this.#drawing.querySelector(this.#isAlong ? ".cursor" : ".ring");
    cursor?.setAttribute(this.#isAlong ? "x1" : "cx", String(stop.x));
    cursor?.setAttribute(this.#isAlong ? "x2" : "cy", String(this.#isAlong ? stop.x : stop.y));
    cursor?.setAttribute("visibility", "visible");
  }

  #hide(): void {
    this.#at = -1;
    this.#tip.hide();
    for (const one of this.#drawing.querySelectorAll(".cursor, .ring")) {
      one.setAttribute("visibility", "hidden");
    }
  }
}

function stopsOf(plot: Plot, width: number): Stop[] {
  switch (plot.kind) {
    case "bars":
      return barStops(plot, width);
    case "lanes":
      return laneStops(plot, width);
    case "points":
      return pointStops(plot, width);
  }
}

function laneStops(plot: LanePlot, width: number): Stop[] {
  return laneBoxes(plot, width).flatMap((box) => {
    const lane = plot.lanes[box.lane];
    const reading = lane && laneReading(lane, box.call);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    return reading === undefined ? [] : [{ x, y, reading }];
  });
}

function pointStops(plot: PointPlot, width: number): Stop[] {
  const layout = plotLayout(plot, width);
  if (plot.readings !== undefined) {
    return plot.readings.map(({ reading, x }) => ({ x: layout.x(x), y: 0, reading }));
  }
  return plot.points.map(({ reading, x, y }) => ({ x: layout.x(x), y: layout.y(y), reading }))
    .sort((a, b) => a.x - b.x);
}

function barStops(plot: BarPlot, width: number): Stop[] {
  return barBoxes(plot, width).flatMap((box) => {
    const reading = plot.rows[box.row]?.parts[box.part]?.reading;
    return reading === undefined
      ? []
      : [{ x: box.x + box.width / 2, y: box.y + box.height / 2, reading }];
  });
}
