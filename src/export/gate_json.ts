import type { GateResult } from "../gate/judge_slos.ts";
import { USER_AGENT } from "../plan/version.ts";
import { jsonText } from "./json_text.ts";

/** `gate.json`: what was asked for, what was found, and whether that will do. */
export function gateJson(gates: readonly GateResult[]): string {
  return jsonText({
    "schema_version": "1.0",
    "product": USER_AGENT,
    "met": gates.every(({ met }) => met),
    "gates": gates.map((gate) => ({
      "kind": gate.kind,
      "name": gate.name,
      "condition": gate.condition,
      "found": gate.found,
      "met": gate.met,
      "doubtful": gate.doubtful,
      "remark": gate.remark ?? null,
      ...gate.figures,
    })),
  }) + "\n";
}
