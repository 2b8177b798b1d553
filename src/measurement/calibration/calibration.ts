import type { Limit } from "./limits.ts";

/** A machine, as far as what it can measure depends on it. */
export interface CalibratedMachine {
  readonly hostname: string;
  readonly os: string;
  readonly arch: string;
  readonly cores: number;
}

/** Limits of load that a machine can measure. */
export interface Calibration {
  readonly machine: CalibratedMachine;
  /** Version of the product. */
  readonly version: string;
  /** ISO 8601. */
  readonly date: string;
  readonly limits: readonly Limit[];
}

/** Whether a calibration was created on a machine like this one. */
export function isOfMachine({ machine }: Calibration, other: CalibratedMachine): boolean {
  return machine.hostname === other.hostname && machine.os === other.os &&
    machine.arch === other.arch && machine.cores === other.cores;
}
