import type { ColorName } from "./chart.ts";

/** The colours of files, readable on white. Pages use the colours of the style sheet, light or dark. */
export const PALETTE: Readonly<Record<ColorName, string>> = {
  client: "#1B6CB0",
  server: "#A8560B",
  queue: "#CF4A2C",
  prefill: "#B98300",
  decode: "#3F86C4",
  network: "#7F8790",
  cached: "#14836F",
  bad: "#B01642",
  ink: "#15191E",
  a: "#1B6CB0",
  b: "#B0520D",
  blue: "#0072B2",
  orange: "#E69F00",
  green: "#009E73",
  vermilion: "#D55E00",
  purple: "#CC79A7",
  grey: "#888888",
};

/** The paint of a colour: in a page, the one of its theme. */
export function paintOf(name: ColorName, isFile: boolean): string {
  return isFile ? PALETTE[name] : `var(--${name})`;
}
