/** Planned limit at each time, next to the actual load: ramps and series. */

import type { PhasePlan } from "../../config/plan/run_plan.ts";
import type { ChartSeries } from "../../core/chart/chart.ts";
import { createRate } from "../../load/workload/create_rate.ts";
import { limitCurve } from "../../load/workload/limit_curve.ts";
import { type PhaseSpan, type RunView, zeroNs } from "./run_view.ts";

/** Points of a curve. */
const POINTS = 200;

/** The limit of requests in flight over time; empty where it does not change. */
export function plannedLimits(view: RunView): ChartSeries[] {
  return curve(view, "limit", ({ load }) => {
    const { concurrency, concurrencyRamp } = load;
    if (concurrencyRamp === undefined) return undefined;
    const limit = limitCurve(concurrency, concurrencyRamp);
    return (seconds) => limit.at(seconds * 1e9);
  });
}

/** The rate that arrivals were to have over time; empty where it does not change. */
export function plannedRates(view: RunView): ChartSeries[] {
  return curve(view, "planned", ({ load }) => {
    if (load.loop === "closed") return undefined;
    if (load.rateRamp === undefined && load.rateSeries === undefined) return undefined;
    const rate = createRate(load);
    return (seconds) => rate.rateAt(seconds);
  });
}

function curve(
  view: RunView,
  label: string,
  valueOf: (plan: PhasePlan) => ((seconds: number) => number) | undefined,
): ChartSeries[] {
  const zero = zeroNs(view);
  const x: number[] = [];
  const y: (number | null)[] = [];
  for (const { kind, startNs, endNs } of view.phases as readonly PhaseSpan[]) {
    const plan = view.plans.find((plan) => plan.kind === kind);
    const value = plan && valueOf(plan);
    if (value === undefined) continue;
    for (let point = 0; point <= POINTS; point++) {
      const offsetNs = (endNs - startNs) * point / POINTS;
      x.push((startNs + offsetNs - zero) / 1e9);
      // Nothing is planned between two phases.
      y.push(point === POINTS ? null : value(offsetNs / 1e9));
    }
  }
  return x.length === 0 ? [] : [{ label, color: "grey", shape: "steps", x, y }];
}
