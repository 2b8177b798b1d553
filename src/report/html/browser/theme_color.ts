/** Colours of the page's theme, for what is drawn on a canvas. */

import type { ColorName } from "../../../core/chart/chart.ts";

/** Colours of text that belongs to a mark: a mark needs less contrast than text. */
const TEXT: Readonly<Partial<Record<ColorName, ColorName>>> = {
  decode: "client",
  queue: "bad",
  network: "ink",
  grey: "ink",
};

const known = new Map<string, string>();

/** A colour of the style sheet, as `#1b6cb0`. */
export function themeColor(name: ColorName | "soft" | "second" | "grid" | "ramp" | "text"): string {
  const value = known.get(name) ??
    getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  known.set(name, value);
  return value;
}

/** Colour of the text that names a series of a colour. */
export function labelColor(name: ColorName): string {
  return themeColor(TEXT[name] ?? name);
}

/** Forgets the colours, because the theme has changed. */
export function forgetColors(): void {
  known.clear();
}
