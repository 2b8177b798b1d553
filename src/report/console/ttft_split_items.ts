import { isOfPair, type ServerTruth } from "../model/server_truth.ts";
import { TTFT_LABELS } from "../model/time_parts.ts";
import { significantText } from "./number_text.ts";

/**
 * Items of the line about the time to first token: its parts where the bar of all parts does not show
 * them, and why a pair of prefill and decode instances has none.
 * @param window the part of the run that is shown
 */
export function ttftSplitItems(truth: ServerTruth, window: "steady" | "run"): string[] {
  const { basis, parts, reasons } = truth.ttftSplit;
  if (basis === undefined) return isOfPair(truth) ? [reasons[""] ?? "not split"] : [];
  const dispatch = basis.dispatch === undefined
    ? []
    : [`${basis.dispatch} dispatch to prefill and decode`];
  if (basis.window === window) return dispatch;
  return [
    `whole run ${msText(basis.clientMs)}`,
    ...parts.map(({ ms, name }) => `${TTFT_LABELS[name]} ${msText(ms)}`),
    ...dispatch,
  ];
}

function msText(ms: number): string {
  return `${significantText(ms)} ms`;
}
