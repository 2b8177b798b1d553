/** A panel of the clock: curves over the last minutes, with axes and labels. */

import { niceStep } from "../../../core/chart/axis_scale.ts";
import { element, figure } from "./elements.ts";

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 132;
const MARGIN = { top: 20, right: 92, bottom: 22, left: 48 };
/** Width below which labels have no room next to the curves. */
const NARROW = 520;
const NARROW_RIGHT = 10;
const PIXELS_PER_TICK = 90;
/** Distance between two labels. */
const LABEL_STEP = 14;

/** A curve of a panel, with a value for each second; the newest is the last. */
export interface PanelCurve {
  readonly label: string;
  /** Name of its colour in the style sheet. */
  readonly color: "client" | "decode" | "queue" | "ink";
  /** null where there is none. */
  readonly values: readonly (number | null)[];
  /** Whether it is on top of the filled curves before it, and filled itself. */
  readonly isPart?: boolean;
  readonly isDashed?: boolean;
}

/** Title, unit and time of a panel. */
export interface PanelFrame {
  readonly title: string;
  readonly unit: string;
  /** Elapsed seconds of the newest values. */
  readonly seconds: number;
  /** Width in pixels. */
  readonly width: number;
}

/** Returns the panel; its curves start at zero. */
export function panel(frame: PanelFrame, curves: readonly PanelCurve[]): HTMLElement {
  const { seconds, title, unit, width } = frame;
  const shown = stacked(curves.filter(({ values }) => values.some((value) => value !== null)));
  const right = width - (width < NARROW ? NARROW_RIGHT : MARGIN.right);
  const bottom = HEIGHT - MARGIN.bottom;
  const count = Math.max(2, ...shown.map(({ upper }) => upper.length));
  const most = Math.max(0, ...shown.flatMap(({ upper }) => upper.map((value) => value ?? 0)));
  const top = most > 0 ? most * 1.06 : 1;
  const x = (fromEnd: number): number => right - fromEnd / (count - 1) * (right - MARGIN.left);
  const y = (value: number): number => bottom - value / top * (bottom - MARGIN.top);
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, height: HEIGHT, role: "img" });
  const newest = curves.map(({ label, values }) => `${label} ${figure(values.at(-1) ?? null)}`);
  svg.setAttribute("aria-label", `${title}: ${newest.join(", ")} ${unit}`);
  const step = niceStep(top / 3);
  for (let value = 0; value <= top; value += step) {
    svg.append(
      drawn("line", { x1: MARGIN.left, x2: right, y1: y(value), y2: y(value), class: "grid" }),
      text(MARGIN.left - 6, y(value) + 4, figure(value), "end"),
    );
  }
  const every = Math.max(1, niceStep((count - 1) / ((right - MARGIN.left) / PIXELS_PER_TICK)));
  const last = Math.floor(seconds);
  for (let at = last - last % every; at >= 0 && last - at <= count - 1; at -= every) {
    svg.append(text(x(last - at), HEIGHT - 6, `${at} s`, "middle"));
  }
  for (const one of shown) svg.append(...paths(one, x, y));
  if (width >= NARROW) labels(shown, y, right, bottom).forEach((label) => svg.append(label));
  const small = element("small", width < NARROW ? `${unit}; ${newest.join(", ")}` : unit);
  const caption = element("figcaption", [element("h2", title), small]);
  return element("figure", [caption, svg], "panel");
}

interface Stacked extends PanelCurve {
  readonly lower: readonly number[];
  readonly upper: readonly (number | null)[];
}

function stacked(curves: readonly PanelCurve[]): Stacked[] {
  let base: number[] = [];
  return curves.map((curve) => {
    if (!curve.isPart) return { ...curve, lower: [], upper: curve.values };
    const lower = curve.values.map((_, at) => base[at] ?? 0);
    const upper = curve.values.map((value, at) => value === null ? null : value + (lower[at] ?? 0));
    base = upper.map((value) => value ?? 0);
    return { ...curve, lower, upper };
  });
}

/** The parts of a curve between which values are missing. */
function paths(
  { color, isDashed, isPart, lower, upper }: Stacked,
  x: (fromEnd: number) => number,
  y: (value: number) => number,
): SVGElement[] {
  const made: SVGElement[] = [];
  let part: number[] = [];
  const end = (): void => {
    if (part.length > 0) {
      const point = (at: number, value: number): string =>
        `${x(upper.length - 1 - at).toFixed(1)} ${y(value).toFixed(1)}`;
      const line = part.map((at) => point(at, upper[at] as number)).join("L");
      made.push(
        isPart
          ? drawn("path", {
            d: `M${line}L${
              part.toReversed().map((at) => point(at, lower[at] as number)).join("L")
            }Z`,
            class: "area",
            fill: `var(--${color})`,
          })
          : drawn("path", {
            d: `M${line}`,
            class: "line",
            stroke: `var(--${color})`,
            ...(isDashed ? { "stroke-dasharray": "5 4" } : {}),
          }),
      );
    }
    part = [];
  };
  upper.forEach((value, at) => value === null ? end() : part.push(at));
  end();
  return made;
}

/** The labels of curves where they end, with their newest values, moved apart. */
function labels(
  curves: readonly Stacked[],
  y: (value: number) => number,
  right: number,
  bottom: number,
): SVGElement[] {
  const places = curves.map(({ color, isPart, label, lower, upper, values }) => {
    const newest = upper.at(-1) ?? 0;
    const middle = isPart ? (newest + (lower.at(-1) ?? 0)) / 2 : newest;
    return { color, text: `${label} ${figure(values.at(-1) ?? null)}`, y: y(middle) + 4 };
  }).sort((a, b) => a.y - b.y);
  for (let at = 1; at < places.length; at++) {
    const [before, place] = [places[at - 1], places[at]] as [{ y: number }, { y: number }];
    place.y = Math.max(place.y, before.y + LABEL_STEP);
  }
  const excess = Math.max(0, (places.at(-1)?.y ?? 0) - bottom - 4);
  return places.map(({ color, text: words, y }) => {
    const label = text(right + 8, y - excess, words, "start");
    label.setAttribute("class", `label ${color}`);
    return label;
  });
}

function text(x: number, y: number, words: string, anchor: string): SVGElement {
  const made = drawn("text", { x, y, "text-anchor": anchor });
  made.textContent = words;
  return made;
}

function drawn(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
