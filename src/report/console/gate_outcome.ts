import type { GateResult } from "../../config/gate/judge_slos.ts";

/** Outcome of an objective in one word; inconclusive where another run could decide otherwise. */
export function gateOutcome(
  { conclusive, met }: Pick<GateResult, "conclusive" | "met">,
): "met" | "missed" | "inconclusive" {
  return conclusive ? met ? "met" : "missed" : "inconclusive";
}

/** Outcome of an objective in a report; what decides the exit code comes first. */
export function gateOutcomeText(
  { conclusive, isDamaged, met }: Pick<GateResult, "conclusive" | "isDamaged" | "met">,
): string {
  if (isDamaged) return "INCONCLUSIVE";
  if (!met) return conclusive ? "MISSED" : "MISSED, inconclusive";
  return conclusive ? "met" : "met, inconclusive";
}
