import type { SweepPoint } from "./sweep_points.ts";

/** Parameters that set how much load is offered; the others set what is sent. */
const LOADS: ReadonlySet<string> = new Set([
  ...[
    "concurrency",
    "sessions",
    "request_rate",
    "user_centric_rate",
    "num_users",
    "prefill_concurrency",
  ],
]);

/** Whether a parameter sets how much load is offered. */
export function isLoad(parameter: string): boolean {
  return LOADS.has(parameter);
}

/** The loads of a point in the order of the parameters; no limit is Infinity. */
export function loadsOf({ values }: SweepPoint): number[] {
  return Object.entries(values).filter(([name]) => isLoad(name))
    .map(([, value]) => value === "inf" ? Infinity : value);
}

/** The values of a point other than its load: points with equal ones have the same workload. */
export function workloadOf({ values }: SweepPoint): string {
  return JSON.stringify(Object.entries(values).filter(([name]) => !isLoad(name)));
}
