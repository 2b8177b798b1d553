/** Values under the cursor, next to it. Screen readers get them as announcements. */

import type { PlotReading } from "../../../core/chart/point_plot.ts";

/** Distance from the cursor, in CSS pixels. */
const DISTANCE = 14;

/** See the module's comment. */
export class ChartTip {
  readonly #host: HTMLElement;
  readonly #box = document.createElement("div");

  /** @param host the chart's element */
  constructor(host: HTMLElement) {
    this.#host = host;
    this.#box.className = "tip";
    this.#box.hidden = true;
    this.#box.setAttribute("aria-hidden", "true");
    host.append(this.#box);
  }

  /** Shows values at a distance from the left edge of the chart. */
  show({ place, rows }: PlotReading, left: number): void {
    if (rows.length === 0) return this.hide();
    const head = document.createElement("b");
    head.textContent = place;
    this.#box.replaceChildren(
      head,
      ...rows.map(([label, value]) => {
        const row = document.createElement("div");
        row.append(...[label, value].map((text) => {
          const cell = document.createElement("span");
          cell.textContent = text;
          return cell;
        }));
        return row;
      }),
    );
    this.#box.hidden = false;
    const room = this.#host.clientWidth;
    const width = this.#box.offsetWidth;
    const right = left + DISTANCE;
    const start = right + width <= room ? right : Math.max(0, left - DISTANCE - width);
    this.#box.style.left = `${start}px`;
    this.#box.style.top = "6px";
  }

  /** Hides the values. */
  hide(): void {
    this.#box.hidden = true;
  }
}
