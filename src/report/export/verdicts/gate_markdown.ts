import type { GateResult } from "../../../config/gate/judge_slos.ts";
import type { RunTag } from "../../../config/plan/run_plan.ts";
import { markdownText } from "../markdown_text.ts";

/**
 * Returns `gate.md`: the gates of a run as a table, for a job's summary or a comment on a change.
 * @param title what was evaluated
 * @param tags labels of the run
 */
export function gateMarkdown(
  gates: readonly GateResult[],
  title: string,
  tags: readonly RunTag[] = [],
): string {
  const missed = gates.filter(({ met }) => !met).length;
  const verdict = missed === 0
    ? `all ${gates.length} gates met`
    : gates.some(({ isDamaged }) => isDamaged)
    ? "inconclusive, the run is damaged or partial"
    : `${missed} of ${gates.length} gates missed`;
  const rows = gates.map(({ name, condition, found, isDamaged, met, remark }) => {
    const verdict = met ? "met" : isDamaged ? "**inconclusive**" : "**missed**";
    const cells = [name, condition, found, verdict, remark ?? ""];
    return `| ${
      cells.map((cell, column) => column === 3 ? cell : markdownText(cell)).join(" | ")
    } |`;
  });
  return [
    `### ${markdownText(title)}: ${verdict}`,
    "",
    ...(tags.length === 0
      ? []
      : [tags.map(([name, value]) => markdownText(`${name}=${value}`)).join(", "), ""]),
    "| gate | limit | found | verdict | |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
    "",
    "",
  ].join("\n");
}
