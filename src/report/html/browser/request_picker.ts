/** Selects a request in the chart of all requests, and shows its details. */

import type uPlot from "npm:uplot@1.6.32";
import { figureText, millisecondsText } from "../../../core/chart/figure_text.ts";
import type { ChartView } from "./chart_view.ts";
import type { RequestDetail } from "./page_data.ts";
import { themeColor } from "./theme_color.ts";
import { waterfall } from "./waterfall.ts";

/** Farther from a mark, a click means nothing; in pixels. */
const REACH = 24;

/** See the module's comment. */
export class RequestPicker {
  readonly #requests: readonly RequestDetail[];
  readonly #panel: HTMLElement;
  #chosen: number | undefined;
  #view: ChartView | undefined;

  /** @param panel where the details go */
  constructor(requests: readonly RequestDetail[], panel: HTMLElement) {
    this.#requests = requests;
    this.#panel = panel;
  }

  /** Handles clicks and keys of the chart. */
  attach(view: ChartView): void {
    this.#view = view;
    const { over } = view.plot;
    let downX = NaN;
    over.addEventListener("mousedown", ({ clientX }) => downX = clientX);
    over.addEventListener("click", ({ clientX, clientY }) => {
      // The end of a stretch that was chosen is no click.
      if (Math.abs(clientX - downX) > 3) return;
      const { left, top } = over.getBoundingClientRect();
      const nearest = this.#nearest(clientX - left, clientY - top);
      if (nearest !== undefined) this.#choose(nearest);
    });
    view.host.addEventListener("keydown", (event) => {
      const step = { n: 1, p: -1, Enter: 0 }[event.key];
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const from = this.#chosen ?? view.plot.cursor.idx ?? -step;
      const to = from + step;
      if (to >= 0 && to < this.#requests.length) this.#choose(to);
    });
  }

  /** Draws the marks. */
  draw(plot: uPlot): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    this.#requests.forEach(({ start, latencyMs, outcome, radius }, index) => {
      const x = plot.valToPos(start, "x", true);
      // What failed at once is seen as well.
      const lowest = bbox.top + bbox.height - 5 * devicePixelRatio;
      const y = Math.min(lowest, plot.valToPos(latencyMs, "y", true));
      const r = radius * devicePixelRatio;
      ctx.beginPath();
      if (outcome === "valid") {
        ctx.fillStyle = `${themeColor("client")}8c`;
        ctx.arc(x, y, r, 0, 2 * Math.PI);
        ctx.fill();
      } else {
        // Failures differ by their form as well.
        const arm = 4 * devicePixelRatio;
        ctx.strokeStyle = themeColor(outcome === "failed" ? "bad" : "grey");
        ctx.lineWidth = 2 * devicePixelRatio;
        ctx.moveTo(x - arm, y - arm);
        ctx.lineTo(x + arm, y + arm);
        ctx.moveTo(x + arm, y - arm);
        ctx.lineTo(x - arm, y + arm);
        ctx.stroke();
      }
      if (index !== this.#chosen) return;
      ctx.beginPath();
      ctx.strokeStyle = themeColor("ink");
      ctx.lineWidth = 2 * devicePixelRatio;
      ctx.arc(x, y, r + 5 * devicePixelRatio, 0, 2 * Math.PI);
      ctx.stroke();
    });
    ctx.restore();
  }

  #nearest(left: number, top: number): number | undefined {
    const plot = this.#view?.plot;
    let best: number | undefined;
    let least = REACH;
    this.#requests.forEach(({ start, latencyMs }, index) => {
      if (plot === undefined) return;
      const distance = Math.hypot(
        plot.valToPos(start, "x") - left,
        plot.valToPos(latencyMs, "y") - top,
      );
      if (distance < least) [best, least] = [index, distance];
    });
    return best;
  }

  #choose(index: number): void {
    const request = this.#requests[index] as RequestDetail;
    this.#chosen = index;
    this.#view?.plot.redraw(false, false);
    const heading = document.createElement("h4");
    heading.textContent = `Request ${request.number}: ${request.outcome}`;
    const list = document.createElement("dl");
    for (const [name, value] of factsOf(request)) {
      const term = document.createElement("dt");
      const description = document.createElement("dd");
      term.textContent = name;
      description.textContent = value;
      list.append(term, description);
    }
    this.#panel.replaceChildren(heading, waterfall(request), list);
  }
}

function factsOf(request: RequestDetail): [name: string, value: string][] {
  const { start, latencyMs, ttftMs, inputTokens, outputTokens, id, error } = request;
  const facts: [string, string | null][] = [
    ["error", error || null],
    ["start", `${figureText(start)} s`],
    ["latency", millisecondsText(latencyMs)],
    ["TTFT", ttftMs === null ? null : millisecondsText(ttftMs)],
    ["tokens in", inputTokens === null ? null : String(inputTokens)],
    ["tokens out", outputTokens === null ? null : String(outputTokens)],
    ["request id", id || null],
  ];
  return facts.flatMap(([name, value]) => value === null ? [] : [[name, value]]);
}
