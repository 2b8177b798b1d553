import type { GateResult } from "../../../config/gate/judge_slos.ts";
import type { RunTag } from "../../../config/plan/run_plan.ts";
import { USER_AGENT } from "../../../config/plan/version.ts";
import type { EndReason } from "../../../core/run_end/end_reason.ts";
import { jsonText } from "../../../core/files/json_text.ts";

/** Facts about the run that gates apply to. */
export interface GatedRun {
  readonly tags: readonly RunTag[];
  /** Code of why it did not do all that was planned; undefined if it did. */
  readonly endReason: EndReason | undefined;
  /** Why its evidence is damaged or partial, a phrase each; absent for nothing. */
  readonly damage?: readonly string[];
  /** Whether gates may be met in spite of that. */
  readonly isDamageAllowed?: boolean;
}

/** `gate.json`: what was asked for, what was found, and whether that will do. */
export function gateJson(
  gates: readonly GateResult[],
  { tags, endReason, damage = [], isDamageAllowed = false }: GatedRun,
): string {
  const isJudged = damage.length === 0 || isDamageAllowed;
  return jsonText({
    "schema_version": "1.0",
    "product": USER_AGENT,
    ...(tags.length === 0 ? {} : { "tags": Object.fromEntries(tags) }),
    "ended_early_reason": endReason ?? null,
    ...(damage.length === 0 ? {} : { "damaged": damage, "damage_allowed": isDamageAllowed }),
    "met": isJudged && gates.every(({ met }) => met),
    "conclusive": isJudged && gates.every(({ conclusive }) => conclusive),
    "gates": gates.map((gate) => ({
      "kind": gate.kind,
      "name": gate.name,
      "condition": gate.condition,
      "found": gate.found,
      "met": gate.met,
      "doubtful": gate.doubtful,
      "conclusive": gate.conclusive,
      "requests_needed": gate.requestsNeeded ?? null,
      "remark": gate.remark ?? null,
      ...gate.figures,
    })),
  }) + "\n";
}
