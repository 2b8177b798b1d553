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
  const [damage] = run.damage ?? [];
  // Readers of lists would take a run too damaged to be evaluated for one without objectives.
  const listed = gates.length === 0 && damage !== undefined ? [unreadable(damage)] : gates;
  return [
    [GATE_FILES.gateJson, () => gateJson(gates, run)],
    [GATE_FILES.gateMarkdown, () => gateMarkdown(listed, title, run.tags)],
    [GATE_FILES.gateJunit, () => gateJunit(listed, run.tags)],
  ];
}

/** Gate that stands for all of a run that cannot be read. */
function unreadable(damage: string): GateResult {
  return {
    ...{ kind: "slo", name: "run", condition: "can be read", found: "damaged" },
    ...{ met: false, doubtful: false, conclusive: false, isDamaged: true },
    remark: damage,
    figures: {},
  };
}
