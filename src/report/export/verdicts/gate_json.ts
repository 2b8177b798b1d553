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
}

/** `gate.json`: what was asked for, what was found, and whether that will do. */
export function gateJson(
  gates: readonly GateResult[],
  { tags, endReason }: GatedRun,
): string {
  return jsonText({
    "schema_version": "1.0",
    "product": USER_AGENT,
    ...(tags.length === 0 ? {} : { "tags": Object.fromEntries(tags) }),
    "ended_early_reason": endReason ?? null,
    "met": gates.every(({ met }) => met),
    "conclusive": gates.every(({ conclusive }) => conclusive),
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
