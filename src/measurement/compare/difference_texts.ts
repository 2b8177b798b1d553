import type { Difference } from "./compare_sides.ts";

/** A difference as text and numbers. */
export interface DifferenceTexts {
  /** `TTFT p99` */
  readonly name: string;
  /** `111 -> 134 ms` */
  readonly values: string;
  /** `+20.7 %` */
  readonly difference: string;
  /** `+14.1 .. +27.9 %` */
  readonly interval: string;
  readonly verdict: string;
}

const SECONDS_FROM_MS = 10_000;

/** Returns the texts that describe a difference. */
export function differenceTexts(one: Difference): DifferenceTexts {
  const { statistic, before, after, difference, lower, upper, verdict, remark } = one;
  const isAbsolute = statistic.kind === "errors";
  const percent = (share: number): string => signed(isAbsolute ? share : share * 100);
  const unit = isAbsolute ? "points" : "%";
  // Milliseconds up to 10 s, as everywhere.
  const inSeconds = statistic.unit === "ms" && Math.max(before, after) >= SECONDS_FROM_MS;
  const shown = (value: number): string => figure(inSeconds ? value / 1e3 : value);
  return {
    name: statistic.name,
    values: `${shown(before)} -> ${shown(after)} ${inSeconds ? "s" : statistic.unit}`.trimEnd(),
    difference: `${percent(difference)} ${unit}`,
    interval: remark === undefined ? `${percent(lower)} .. ${percent(upper)} ${unit}` : "none",
    verdict,
  };
}

/** Three significant digits, thousands apart. */
function figure(value: number): string {
  if (Math.abs(value) >= 100) return grouped(value);
  return value === 0 ? "0" : value.toPrecision(3);
}

function grouped(value: number): string {
  return value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",");
}

function signed(percent: number): string {
  const text = Math.abs(percent) >= 1000 ? grouped(percent) : percent.toFixed(1);
  if (/^-?0\.0$/.test(text)) return "0.0";
  return percent > 0 ? `+${text}` : text;
}
