/** Words about points of a sweep, the same in the terminal, in tables and on pages. */

import type { SweepFront } from "./sweep_front.ts";

/** Names of the statistics that span a frontier. */
const NAMES: Readonly<Record<string, string>> = {
  "tokens_per_gpu_avg": "tokens/s/GPU",
  "output_token_throughput_avg": "tokens/s",
  "request_throughput_avg": "requests/s",
  "interactivity_avg": "tokens/s/user",
  "time_to_first_token_p99": "TTFT p99",
  "request_latency_p99": "latency p99",
};

/** Name of a statistic that spans a frontier. */
export function axisName(key: string): string {
  return NAMES[key] ?? key;
}

/** Place of a point among the others: `frontier, knee`; empty for none. */
export function placeText(
  { isKnee, isOnFront }: { readonly isKnee: boolean; readonly isOnFront: boolean },
): string {
  return [...(isOnFront ? ["frontier"] : []), ...(isKnee ? ["knee"] : [])].join(", ");
}

/** A verdict as text. */
export function verdictText(verdict: string): string {
  return verdict.replaceAll("_", " ");
}

/** Meaning of the frontier, as the end of a sentence; empty where points have none. */
export function frontText({ axes }: SweepFront): string {
  if (axes === undefined) return "";
  const { gain, other } = axes;
  const without = other.direction === "maximize" ? "fewer" : "a longer";
  return `; frontier: no other point has more ${axisName(gain.key)} without ${without} ` +
    axisName(other.key);
}
