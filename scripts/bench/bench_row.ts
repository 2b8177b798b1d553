import type { MachineUse } from "./machine_use.ts";
import type { MeasuredRounds } from "./median_ratio.ts";
import type { Target } from "./target.ts";

/** One quantity that was measured. */
export interface BenchRow extends MeasuredRounds {
  readonly label: string;
  readonly unit: string;
  /** Decimals that are shown. @default 2 */
  readonly decimals?: number;
  readonly targets: readonly Target[];
  /** During each run; empty where nothing outside the process can matter. */
  readonly machine: readonly MachineUse[];
}
