import type { BarPlot } from "./bar_plot.ts";
import { barPlotSvg } from "./bar_plot_svg.ts";
import type { LanePlot } from "./lane_plot.ts";
import { lanePlotSvg } from "./lane_plot_svg.ts";
import type { PointPlot } from "./point_plot.ts";
import { pointPlotSvg } from "./point_plot_svg.ts";

/** A plot of a page. */
export type Plot = PointPlot | BarPlot | LanePlot;

/** Draws a plot at a width in CSS pixels. */
export function plotSvg(plot: Plot, width: number): string {
  switch (plot.kind) {
    case "bars":
      return barPlotSvg(plot, width);
    case "lanes":
      return lanePlotSvg(plot, width);
    case "points":
      return pointPlotSvg(plot, width);
  }
}
