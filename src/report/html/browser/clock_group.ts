/** Charts with the same x axis: they are zoomed and read together. */

import type { Chart } from "../../../core/chart/chart.ts";
import { quantityText } from "../../../core/chart/figure_text.ts";
import {
  type ChartView,
  chartView,
  type ChartViewEvents,
  readingAt,
  widthOf,
} from "./chart_view.ts";

/** Part of what is shown by which a key zooms and moves. */
const ZOOM_FACTOR = 0.6;
const MOVE_SHARE = 0.2;
/** Points that an arrow with Shift skips. */
const LEAP = 10;

/** See the module's comment. */
export class ClockGroup {
  readonly #key: string;
  readonly #views: ChartView[] = [];
  readonly #announce: (text: string) => void;
  readonly #onZoom: (isZoomed: boolean) => void;

  /**
   * @param announce announces a text to screen readers
   * @param onZoom called when the view is zoomed in, and when the whole axis is shown again
   */
  constructor(key: string, announce: (text: string) => void, onZoom: (isZoomed: boolean) => void) {
    this.#key = key;
    this.#announce = announce;
    this.#onZoom = onZoom;
  }

  /** Adds a chart. `host` takes the keyboard. */
  add(chart: Chart, host: HTMLElement, extra: Partial<ChartViewEvents> = {}): ChartView {
    const view = chartView(chart, host, this.#key, {
      ...extra,
      onZoom: (range) => range === undefined ? this.reset() : this.show(range),
    });
    this.#views.push(view);
    host.addEventListener("keydown", (event) => this.#onKey(event, view));
    return view;
  }

  /** Shows a range of the axis in all charts. */
  show({ min, max }: { readonly min: number; readonly max: number }): void {
    const { full } = this.#views[0] as ChartView;
    const range = { min: Math.max(full.min, min), max: Math.min(full.max, max) };
    if (!(range.max > range.min)) return;
    for (const { plot } of this.#views) plot.setScale("x", range);
    const isWhole = range.min <= full.min && range.max >= full.max;
    this.#onZoom(!isWhole);
    const unit = this.#views[0]?.chart.x.unit ?? "";
    this.#announce(
      isWhole
        ? "The whole run is shown"
        : `Shown: ${quantityText(range.min, unit)} to ${quantityText(range.max, unit)}`,
    );
  }

  /** Shows the whole axis again. */
  reset(): void {
    const [view] = this.#views;
    if (view !== undefined) this.show(view.full);
  }

  /** Fits the charts into the page's width. */
  resize(): void {
    for (const { plot, host } of this.#views) {
      const width = widthOf(host);
      if (width !== plot.width) plot.setSize({ width, height: plot.height });
    }
  }

  /** Draws again, in the colours in force. */
  redraw(): void {
    for (const { plot } of this.#views) plot.redraw(false, true);
  }

  #onKey(event: KeyboardEvent, view: ChartView): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { min = 0, max = 1 } = view.plot.scales["x"] ?? {};
    const [least, most] = [min ?? 0, max ?? 1];
    const width = most - least;
    const step = event.shiftKey ? LEAP : 1;
    const actions: Readonly<Record<string, () => void>> = {
      ArrowRight: () => this.#walk(view, step),
      ArrowLeft: () => this.#walk(view, -step),
      Home: () => this.#walk(view, -Infinity),
      End: () => this.#walk(view, Infinity),
      "+": () => this.#zoomBy(view, ZOOM_FACTOR),
      "=": () => this.#zoomBy(view, ZOOM_FACTOR),
      "-": () => this.#zoomBy(view, 1 / ZOOM_FACTOR),
      PageDown: () =>
        this.show({ min: least + width * MOVE_SHARE, max: most + width * MOVE_SHARE }),
      PageUp: () => this.show({ min: least - width * MOVE_SHARE, max: most - width * MOVE_SHARE }),
      "0": () => this.reset(),
      Escape: () => this.reset(),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  }

  /** Moves the cursor of all charts by points of one of them that are shown. */
  #walk(view: ChartView, steps: number): void {
    const { plot } = view;
    const x = plot.data[0];
    const { min, max } = plot.scales["x"] ?? {};
    const shown = [...x.keys()].filter((at) =>
      (x[at] as number) >= (min ?? -Infinity) && (x[at] as number) <= (max ?? Infinity)
    );
    if (shown.length === 0) return;
    const at = plot.cursor.idx ?? null;
    const from = at === null
      ? (steps > 0 ? -1 : shown.length)
      : shown.findIndex((index) => index >= at);
    const to = shown[Math.min(shown.length - 1, Math.max(0, from + steps))] as number;
    for (const other of this.#views) {
      other.plot.setCursor({ left: other.plot.valToPos(x[to] as number, "x"), top: 10 });
    }
    this.#announce(readingAt(view, to));
  }

  #zoomBy({ plot }: ChartView, factor: number): void {
    const { min, max } = plot.scales["x"] ?? {};
    const { left = -1 } = plot.cursor;
    const [least, most] = [min ?? 0, max ?? 1];
    const centre = left >= 0 ? plot.posToVal(left, "x") : (least + most) / 2;
    this.show({ min: centre - (centre - least) * factor, max: centre + (most - centre) * factor });
  }
}
