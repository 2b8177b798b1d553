import type { GateResult } from "./judge_slos.ts";

/**
 * Gates of runs whose evidence is damaged or partial: none of them is met, and none is conclusive,
 * since what is missing may be what would have missed it.
 */
export function damagedGates(gates: readonly GateResult[]): GateResult[] {
  return gates.map((gate) => ({
    ...gate,
    ...{ met: false, conclusive: false, isDamaged: true },
    remark: [...(gate.remark === undefined ? [] : [gate.remark]), "the run is damaged or partial"]
      .join("; "),
  }));
}
