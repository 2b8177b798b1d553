import type { Plot } from "../../../core/chart/plot.ts";
import { PlotView } from "./plot_view.ts";

/** Draws the plots that the page has places for, and again at the width of paper for a print. */
export function drawPlots(plots: readonly Plot[], announce: (text: string) => void): void {
  const views = plots.flatMap((plot) => {
    const host = document.getElementById(`plot-${plot.id}`);
    return host === null ? [] : [new PlotView(plot, host, announce)];
  });
  addEventListener("beforeprint", () => views.forEach((view) => view.draw()));
}
