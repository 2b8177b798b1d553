import type { QuietDifference } from "./quiet_difference.ts";

/** Returns a sentence on the answers of two sides without load. */
export function quietDifferenceText(
  { differ, hasChanged, lower, noiseFloor, prompts, upper }: QuietDifference,
): string {
  const percent = (share: number): string => (share * 100).toFixed(1);
  const verdict = hasChanged ? "changed" : "not significant";
  return `answers to ${Math.round(differ * prompts)} of ${prompts} prompts differ without load ` +
    `(${percent(differ)} %, noise floor ${percent(noiseFloor)} %): ${verdict} ` +
    `(95 % interval of the difference ${percent(lower)} .. ${percent(upper)} points)`;
}
