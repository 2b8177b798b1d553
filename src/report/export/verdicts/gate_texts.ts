import type { GateResult } from "../../../config/gate/judge_slos.ts";
import type { RunTag } from "../../../config/plan/run_plan.ts";
import { GATE_FILES } from "../artifact_names.ts";
import { gateJson } from "./gate_json.ts";
import { gateJunit } from "./gate_junit.ts";
import { gateMarkdown } from "./gate_markdown.ts";

/**
 * The files of gates: their names, and what makes their texts.
 * @param title what was judged
 * @param tags labels of the run
 */
export function gateTexts(
  gates: readonly GateResult[],
  title: string,
  tags: readonly RunTag[] = [],
): [name: string, text: () => string][] {
  return [
    [GATE_FILES.gateJson, () => gateJson(gates, tags)],
    [GATE_FILES.gateMarkdown, () => gateMarkdown(gates, title, tags)],
    [GATE_FILES.gateJunit, () => gateJunit(gates, tags)],
  ];
}
