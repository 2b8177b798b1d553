import type { GateResult } from "../../../config/gate/judge_slos.ts";
import { GATE_FILES } from "../artifact_names.ts";
import { type GatedRun, gateJson } from "./gate_json.ts";
import { gateJunit } from "./gate_junit.ts";
import { gateMarkdown } from "./gate_markdown.ts";

/**
 * Returns the gate files: their names, and functions that generate their texts.
 * @param title what was evaluated
 */
export function gateTexts(
  gates: readonly GateResult[],
  title: string,
  run: GatedRun,
): [name: string, text: () => string][] {
  return [
    [GATE_FILES.gateJson, () => gateJson(gates, run)],
    [GATE_FILES.gateMarkdown, () => gateMarkdown(gates, title, run.tags)],
    [GATE_FILES.gateJunit, () => gateJunit(gates, run.tags)],
  ];
}
