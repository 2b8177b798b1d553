/** The script of a report: makes its charts interactive. */

import type { Chart } from "../../../core/chart/chart.ts";
import { ClockGroup } from "./clock_group.ts";
import { drawPlots } from "./draw_plots.ts";
import { activateButtons } from "./page_buttons.ts";
import type { PageData } from "./page_data.ts";
import { RequestPicker } from "./request_picker.ts";

const data: PageData = JSON.parse(document.getElementById("data")?.textContent ?? "{}");
const live = document.getElementById("announcements");
const groups: ClockGroup[] = [];

function announce(text: string): void {
  if (live !== null) live.textContent = text;
}

/** Returns the element for a chart's interactive version; undefined if the page has none. */
function hostOf({ id, title, caption }: Chart): HTMLElement | undefined {
  const figure = document.getElementById(`chart-${id}`);
  const host = document.createElement("div");
  host.className = "live";
  host.tabIndex = 0;
  host.setAttribute("role", "group");
  host.setAttribute("aria-roledescription", "interactive chart");
  host.setAttribute("aria-label", `${title}. ${caption}`);
  host.setAttribute("aria-describedby", "chart-keys");
  figure?.querySelector(".still")?.after(host);
  return figure === null ? undefined : host;
}

function drawClock(): void {
  const reset = document.getElementById("reset-zoom");
  const clock = new ClockGroup("clock", announce, (isZoomed) => {
    if (reset !== null) reset.hidden = !isZoomed;
  });
  reset?.addEventListener("click", () => clock.reset());
  groups.push(clock);
  const panel = document.getElementById("request-details");
  for (const id of data.clock) {
    const chart = data.charts.find((chart) => chart.id === id);
    const host = chart && hostOf(chart);
    if (chart === undefined || host === undefined) continue;
    if (id !== "requests" || panel === null) {
      clock.add(chart, host);
      continue;
    }
    const picker = new RequestPicker(data.requests, panel);
    picker.attach(clock.add(pointsInOrder(chart), host, { onDraw: (plot) => picker.draw(plot) }));
  }
}

/** The points of all outcomes over one row of requests: several may have started at the same time. */
function pointsInOrder(chart: Chart): Chart {
  const x = data.requests.map(({ start }) => start);
  return {
    ...chart,
    series: chart.series.map((series) => ({
      ...series,
      x,
      y: data.requests.map(({ outcome, latencyMs }) => outcome === series.label ? latencyMs : null),
    })),
  };
}

/** Draws the charts below one by one, so that the page can be used before all of them are drawn. */
function drawOthers(rest = data.charts.filter(({ id }) => !data.clock.includes(id))): void {
  const [chart, ...others] = rest;
  if (chart === undefined) {
    performance.mark("report-drawn");
    return;
  }
  const host = hostOf(chart);
  if (host !== undefined) {
    const group = new ClockGroup(chart.id, announce, () => {});
    group.add(chart, host);
    groups.push(group);
  }
  setTimeout(() => drawOthers(others));
}

/**
 * Connects the buttons that switch a metric's charts between both kinds of axis; one chart is
 * hidden.
 */
function activateAxisButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-axis]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const section = button.closest("section");
      if (section === null) return;
      const isLog = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(isLog));
      for (const part of section.querySelectorAll<HTMLElement>("[data-scale]")) {
        part.hidden = (part.dataset["scale"] === "log") !== isLog;
      }
      for (const group of groups) group.resize();
    });
  }
}

document.documentElement.classList.add("has-script");
drawClock();
activateAxisButtons();
activateButtons(() => groups.forEach((group) => group.redraw()), announce);
new ResizeObserver(() => groups.forEach((group) => group.resize())).observe(document.body);
drawPlots(data.plots, announce);
performance.mark("report-ready");
setTimeout(() => drawOthers());
