import type { GateResult } from "../../config/gate/judge_slos.ts";

/** Outcome of an objective in one word; inconclusive where another run could decide otherwise. */
export function gateOutcome(
  { conclusive, met }: Pick<GateResult, "conclusive" | "met">,
): "met" | "missed" | "inconclusive" {
  return conclusive ? met ? "met" : "missed" : "inconclusive";
}
