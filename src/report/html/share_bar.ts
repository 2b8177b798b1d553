import type { ColorName } from "../../core/chart/chart.ts";
import { element } from "../../core/chart/markup.ts";
import { paintOf } from "../../core/chart/palette.ts";

/** Height of the bar, and its width in the units of its drawing. */
const BAR = { height: 38, width: 1000, gap: 2 } as const;

/** A part of a bar. */
export interface BarShare {
  readonly color: ColorName;
  readonly value: number;
  /** Markup within the part; missing for none. */
  readonly content?: string;
}

/**
 * Returns one bar of all parts, each as wide as its value.
 * @param whole value that corresponds to the width of the bar
 * @param label text for readers who do not see the bar
 */
export function shareBarSvg(parts: readonly BarShare[], whole: number, label: string): string {
  let left = 0;
  const bars = parts.map(({ color, content, value }) => {
    const x = left;
    const width = value / whole * BAR.width;
    left += width;
    return element("rect", {
      ...{ x, y: 0, width: Math.max(1, width - BAR.gap), height: BAR.height },
      fill: paintOf(color, false),
    }, content);
  });
  return element("svg", {
    ...{ viewBox: `0 0 ${BAR.width} ${BAR.height}`, preserveAspectRatio: "none" },
    ...{ height: BAR.height, role: "img", class: "bar" },
    "aria-label": label,
  }, bars.join(""));
}
