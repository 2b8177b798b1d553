import { threeDigits } from "../../config/gate/value_text.ts";
import type { RunLoad } from "./run_figures.ts";
import type { SearchGate } from "./search_gate.ts";

/** Share of the offered rate that a server must serve. */
const SERVED_SHARE = 0.95;
/** Share of failed requests from which a rate is not served. */
const MAX_FAILED_SHARE = 0.05;

/**
 * Whether the server serves the rate that is offered, as an objective of a search. It is missed where
 * less than 95 % of the offered requests are served and the rest adds to a backlog (the lower 95 % bound
 * of its slope is above zero) or fails. It is inconclusive where less is served, but the slope may be that
 * of a queue that fills once.
 * @param failedShare share of the requests that failed
 * @returns undefined if the rates are not known
 */
export function servedRateGate(
  load: RunLoad | undefined,
  failedShare: number,
): SearchGate | undefined {
  const { backlog_slope: slope, backlog_slope_lower: lower, offered_rate: offered } = load ?? {};
  const served = load?.served_rate;
  if (typeof offered !== "number" || typeof served !== "number" || offered <= 0) return undefined;
  const threshold = SERVED_SHARE * offered;
  const isGrowing = typeof lower === "number" && lower > 0;
  const met = served >= threshold || !(isGrowing || failedShare > MAX_FAILED_SHARE);
  const isKnown = typeof slope === "number" && typeof lower === "number";
  const steepest = isKnown ? 2 * slope - lower : Infinity;
  return {
    ...{ name: "served_rate", metric: "served_rate", statistic: "avg", operator: ">=" },
    condition: `>= ${threeDigits(threshold)} requests/s`,
    found: `${threeDigits(served)} requests/s`,
    met,
    doubtful: false,
    conclusive: !met || served >= threshold || steepest <= offered - threshold,
    ...{ threshold, unit: "requests/s", value: served },
  };
}
