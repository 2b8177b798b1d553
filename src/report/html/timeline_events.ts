/**
 * Events of a run other than its load: actions of the user, and CPU steal by the host of the
 * machine.
 */

import type { ChartMark, ChartSpan } from "../../core/chart/chart.ts";
import { figureText } from "../../core/chart/figure_text.ts";
import { type LoadChange, loadChangeText } from "../model/load_change.ts";
import { type RunView, wholeSpan, zeroNs } from "./run_view.ts";

/** Maximum number of marks in a chart: more would hide the data. */
const MAX_MARKS = 24;
/** Part of the whole run that the text of a mark takes. */
const LABEL_SHARE = 0.07;

/** Spans in which the load was paused by hand. */
export function pauseSpans(view: RunView): ChartSpan[] {
  const zero = zeroNs(view);
  const spans: ChartSpan[] = [];
  let pausedNs: number | undefined;
  const end = (atNs: number): void => {
    if (pausedNs === undefined) return;
    const [from, to] = [(pausedNs - zero) / 1e9, (atNs - zero) / 1e9];
    spans.push({ label: "paused by hand", kind: "phase", from, to });
    pausedNs = undefined;
  };
  for (const { action, atNs } of view.changes ?? []) {
    if (action === "pause") pausedNs ??= atNs;
    else if (action === "resume") end(atNs);
  }
  end(wholeSpan(view).endNs);
  return spans;
}

/** Returns the user's marks, and changes of the load other than pauses. */
export function changeMarks(view: RunView): ChartMark[] {
  const zero = zeroNs(view);
  const changes = (view.changes ?? []).filter(({ action }) =>
    action !== "pause" && action !== "resume"
  );
  const { startNs, endNs } = wholeSpan(view);
  const near = (endNs - startNs) / 1e9 * LABEL_SHARE;
  const marks: { label: string; readonly at: number; readonly axis: "x" }[] = [];
  let labelled: typeof marks[number] | undefined;
  for (const change of thinned(changes)) {
    const at = (change.atNs - zero) / 1e9;
    const label = change.action === "mark" ? `mark ${change.value}` : loadChangeText(change);
    // Texts that would lie on each other stand at the first of the lines.
    if (labelled !== undefined && at - labelled.at < near) {
      labelled.label += `, ${label}`;
      marks.push({ label: "", at, axis: "x" });
      continue;
    }
    labelled = { label, at, axis: "x" };
    marks.push(labelled);
  }
  return marks;
}

/** Marks that were set come first; of the steps of the load, the last ones. */
function thinned(changes: readonly LoadChange[]): readonly LoadChange[] {
  if (changes.length <= MAX_MARKS) return changes;
  const byHand = changes.filter(({ action }) => action === "mark").slice(0, MAX_MARKS);
  const others = changes.filter(({ action }) => action !== "mark");
  const room = MAX_MARKS - byHand.length;
  const kept = new Set([...byHand, ...(room === 0 ? [] : others.slice(-room))]);
  return changes.filter((change) => kept.has(change));
}

/** Spans in which the machine's host gave time to others. */
export function stolenSpans(view: RunView): ChartSpan[] {
  const zero = zeroNs(view);
  return (view.stolen ?? []).map(({ startNs, endNs, share }) => ({
    label: `the machine's host gave ${figureText(share * 100)} % of its time to others`,
    kind: "stall",
    from: (startNs - zero) / 1e9,
    to: (endNs - zero) / 1e9,
  }));
}
