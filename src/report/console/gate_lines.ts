import { ERROR_UNKNOWN, type GateResult } from "../../config/gate/judge_slos.ts";
import { displayWidth, padded, paddedBefore } from "./display_width.ts";
import { gateOutcomeText } from "./gate_outcome.ts";
import { LABEL_WIDTH } from "./labelled_lines.ts";
import { printableText } from "./printable_text.ts";
import { wrapText } from "./wrap_text.ts";

/**
 * Returns a line for each gate: the objective, the measured value, and the verdict.
 * @param label in front of the first one
 */
export function gateLines(
  gates: readonly GateResult[],
  width: number,
  label = "gate",
): string[] {
  const asked = gates.map(({ name, condition }) => printableText(`${name} ${condition}`));
  const found = gates.map(({ found }) => printableText(found));
  const widestAsked = widest(asked);
  const widestFound = widest(found);
  // What is true of many is said once.
  const isShared = gates.filter(({ remark }) => remark?.endsWith(ERROR_UNKNOWN)).length > 1;
  const ownRemark = (remark: string | undefined): string | undefined =>
    isShared && remark?.endsWith(ERROR_UNKNOWN)
      ? remark.slice(0, -ERROR_UNKNOWN.length).replace(/; $/, "") || undefined
      : remark;
  const shared = isShared
    ? wrapText(
      `(${ERROR_UNKNOWN}: results for times and rates are inconclusive)`,
      width - LABEL_WIDTH,
    )
      .map((text) => " ".repeat(LABEL_WIDTH) + text)
    : [];
  return gates.flatMap((gate, index) => {
    const { remark: whole } = gate;
    const remark = ownRemark(whole);
    const line = [
      (index === 0 ? label : "").padEnd(LABEL_WIDTH - 2),
      padded(asked[index] as string, widestAsked),
      paddedBefore(found[index] as string, widestFound),
      gateOutcomeText(gate),
    ].join("  ");
    if (remark === undefined) return [line];
    const reason = `(${printableText(remark)})`;
    if (displayWidth(line) + 1 + displayWidth(reason) <= width) return [`${line} ${reason}`];
    // Columns stay as they are; what does not fit goes below.
    const blanks = " ".repeat(LABEL_WIDTH + 2);
    return [line, ...wrapText(reason, width - blanks.length).map((text) => blanks + text)];
  }).concat(shared);
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(displayWidth));
}
