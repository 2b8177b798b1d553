import type { ColorName } from "./chart.ts";

/** The colours, readable on white and on black. */
export const PALETTE: Readonly<Record<ColorName, string>> = {
  blue: "#0072B2",
  orange: "#E69F00",
  green: "#009E73",
  vermilion: "#D55E00",
  purple: "#CC79A7",
  grey: "#888888",
};
