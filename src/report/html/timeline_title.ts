import { figureText } from "../../core/chart/figure_text.ts";
import { evidenceOf } from "../model/evidence_of.ts";
import { shownWindow } from "../model/shown_window.ts";
import { steadyResults } from "../model/steady_state.ts";
import type { RunView } from "./run_view.ts";

/** Mean number of waiting requests from which the title names it. */
const WAITING = 1;

/** Finding of the charts over time: the window, and the load in it. */
export function timelineTitle({ report, serverMetrics }: RunView): string {
  const { diagnosis, steady } = report;
  const evidence = evidenceOf(report, serverMetrics);
  if (diagnosis?.code === "overload") {
    return `The backlog grows by ${figureText(evidence.backlogPerSecond ?? 0)} requests per second`;
  }
  const found = steadyResults(steady);
  if (found === undefined || shownWindow(report).name === "run") {
    return steady !== undefined && "none" in steady
      ? `No steady state: ${steady.none}`
      : "Load and times over the run";
  }
  const at = (epochNs: bigint) => (Number(epochNs - report.startEpochNs) / 1e9).toFixed(1);
  const window = `Steady from ${at(found.startEpochNs)} to ${at(found.endEpochNs)} s`;
  const { inFlight, running, waiting } = evidence;
  if (running !== undefined && waiting !== undefined && waiting >= WAITING) {
    return `${window}: ${figureText(Math.round(running))} run, ${
      figureText(Math.round(waiting))
    } wait`;
  }
  if (inFlight === undefined) return window;
  return `${window}: ${figureText(inFlight)} in flight on average` +
    (waiting === undefined ? "" : waiting < 0.05 ? ", none queued" : ", hardly any queued");
}
