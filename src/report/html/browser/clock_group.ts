/** Charts with the same x axis: they are zoomed and read together. */

import type { Chart } from "../../../core/chart/chart.ts";
import { forgetColors } from "./theme_color.ts";
import { quantityText } from "../../../core/chart/figure_text.ts";
import { type ChartView, chartView, type ChartViewEvents, widthOf } from "./chart_view.ts";
import { readingAt, sentenceOf } from "./chart_reading.ts";

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
  /** Place to which a key moved the cursor. */
  #place = NaN;

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
    forgetColors();
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
    const { chart, full, plot } = view;
    const { min, max } = plot.scales["x"] ?? {};
    const [least, most] = [min ?? full.min, max ?? full.max];
    const shown = placesOf(chart).filter((x) => x >= least && x <= most);
    if (shown.length === 0) return;
    const { left = -1 } = plot.cursor;
    // The cursor is at a whole pixel, next to the place that it was moved to.
    const pixel = (most - least) / Math.max(1, plot.over.clientWidth);
    const under = left < 0 ? undefined : plot.posToVal(left, "x");
    const isWalked = under !== undefined && Math.abs(under - this.#place) <= 2 * pixel;
    const at = isWalked ? this.#place : under;
    const from = at === undefined
      ? (steps > 0 ? -1 : shown.length)
      : shown.findIndex((x) => x >= at);
    const to = shown[Math.min(shown.length - 1, Math.max(0, from + steps))] as number;
    this.#place = to;
    for (const other of this.#views) {
      other.plot.setCursor({ left: other.plot.valToPos(to, "x"), top: 10 });
    }
    this.#announce(sentenceOf(readingAt(chart, to, most - least)));
  }

  #zoomBy({ plot }: ChartView, factor: number): void {
    const { min, max } = plot.scales["x"] ?? {};
    const { left = -1 } = plot.cursor;
    const [least, most] = [min ?? 0, max ?? 1];
    const centre = left >= 0 ? plot.posToVal(left, "x") : (least + most) / 2;
    this.show({ min: centre - (centre - least) * factor, max: centre + (most - centre) * factor });
  }
}

/** Places at which the arrows stop: those of its lines, or of its marks if it has no line. */
function placesOf({ series }: Chart): number[] {
  const lines = series.filter(({ shape }) => shape !== "points");
  const all = (lines.length === 0 ? series : lines).flatMap(({ x }) => [...x]);
  return [...new Set(all)].sort((a, b) => a - b);
}
