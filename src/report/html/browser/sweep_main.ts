/** The script of the pages of sweeps: draws their plots. */

import type { Plot } from "../../../core/chart/plot.ts";
import { drawPlots } from "./draw_plots.ts";
import { activateButtons } from "./page_buttons.ts";

const plots: readonly Plot[] = JSON.parse(
  document.getElementById("data")?.textContent ?? "[]",
);
const live = document.getElementById("announcements");
const announce = (text: string): void => {
  if (live !== null) live.textContent = text;
};

document.documentElement.classList.add("has-script");
// Colours are those of the style sheet, so a change of theme draws nothing again.
activateButtons(() => {}, announce);
drawPlots(plots, announce);
