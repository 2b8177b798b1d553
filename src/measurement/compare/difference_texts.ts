import { isAbsolute } from "./compared_statistics.ts";
import type { Difference } from "./difference.ts";
import { groupedText, signedText } from "./percent_text.ts";

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
  const isInPoints = isAbsolute(statistic);
  const percent = (share: number): string => signedText(isInPoints ? share : share * 100);
  const unit = isInPoints ? "points" : "%";
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
  if (Math.abs(value) >= 100) return groupedText(value);
  return value === 0 ? "0" : value.toPrecision(3);
}
