import { isOfPair, type ServerTruth } from "../model/server_truth.ts";
import { ttftLabel } from "../model/time_parts.ts";
import { significantText } from "./number_text.ts";

/**
 * Items of the line about the time to first token: its parts over the whole run where the bar of all
 * parts does not show them, and why a pair of prefill and decode instances has none.
 */
export function ttftSplitItems(truth: ServerTruth): string[] {
  const { shownTtft, ttftSplit } = truth;
  const { basis, parts, reasons } = shownTtft.basis === undefined ? ttftSplit : shownTtft;
  if (basis === undefined) return isOfPair(truth) ? [reasons[""] ?? "not split"] : [];
  const names = parts.map(({ name }) => name);
  return [
    ...(shownTtft.basis === undefined
      ? [
        `whole run ${msText(basis.clientMs)}`,
        ...parts.map(({ ms, name }) => `${ttftLabel(name, names)} ${msText(Math.max(0, ms))}`),
      ]
      : []),
    ...(basis.dispatch === undefined ? [] : [`${basis.dispatch} dispatch to prefill and decode`]),
  ];
}

function msText(ms: number): string {
  return `${significantText(ms)} ms`;
}
