import type { Reconciliation } from "../model/profile_report.ts";
import { type Agreement, type AgreementContext, agreementOf, shareText } from "./agreement.ts";
import { LABEL_WIDTH, labelled } from "./labelled_lines.ts";
import { significantText, wholeNumber } from "./number_text.ts";
import { wrapText } from "./wrap_text.ts";

/** Estimate that is named among the estimates that do not contradict the client. */
const NAMED_ESTIMATE = "TTFT p99";
const SHORT_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^request latency/, "latency"],
  [/ avg$/, ""],
];
const TOKENS = ["prompt tokens", "generation tokens"];

/**
 * Whether the client's metrics and the server's are the same: what agrees in one line, then a line for
 * each that differs.
 */
export function agreementLines(
  rows: readonly Reconciliation[],
  context: AgreementContext,
  width: number,
): string[] {
  // The client's own count of tokens is left out: the line about tokens has both.
  const compared = rows.filter(({ sources }) => sources?.[1] !== "usage in replies")
    .map((row) => ({ row, agreement: agreementOf(row, context) }));
  const agreeing = agreeingNames(
    compared.filter(({ agreement }) => agreement.verdict === "agree").map(({ row }) => row),
  );
  const named = compared.find(({ agreement, row: { client, quantity, serverBounds } }) =>
    quantity === NAMED_ESTIMATE && agreement.verdict === "within bounds" &&
    serverBounds !== undefined && client >= serverBounds[0] && client <= serverBounds[1]
  )?.row;
  const differing = compared.filter(({ agreement }) => agreement.verdict === "differ");
  const names = [
    ...agreeing,
    ...(named === undefined
      ? []
      : [`${named.quantity} within ${boundsText(named.serverBounds)} ms`]),
  ];
  const room = width - LABEL_WIDTH;
  return [
    ...labelled("agree", names.length === 0 ? [] : wrapText(names.join(", "), room, 0)),
    ...labelled(
      "differ",
      differing.flatMap(({ agreement, row }) => wrapText(differenceText(row, agreement), room, 2)),
    ),
  ];
}

/** Both counts of tokens are one word where both agree. */
function agreeingNames(rows: readonly Reconciliation[]): string[] {
  const names = rows.map(({ quantity }) => shortName(quantity));
  if (!TOKENS.every((name) => names.includes(name))) return names;
  return names.flatMap((name) =>
    name === TOKENS[0] ? ["tokens"] : TOKENS.includes(name) ? [] : [name]
  );
}

function differenceText(row: Reconciliation, { reason, share }: Agreement): string {
  const { quantity, unit, client, server, serverBounds, estimated } = row;
  const suffix = unit === "ms" ? " ms" : "";
  const theirs = estimated ? boundsText(serverBounds) : figure(server, unit);
  return `${shortName(quantity)}: client ${figure(client, unit)}, server ${theirs}${suffix}` +
    `${share === undefined ? "" : ` (${shareText(share)})`}` +
    (reason === undefined ? "" : `: ${reason}`);
}

function shortName(quantity: string): string {
  return SHORT_NAMES.reduce((name, [pattern, text]) => name.replace(pattern, text), quantity);
}

function boundsText(bounds: Reconciliation["serverBounds"]): string {
  return bounds === undefined ? "" : bounds.map(boundText).join("-");
}

/** Formats a bound of a bucket, which is a round number. */
function boundText(ms: number): string {
  return ms >= 1000 ? wholeNumber(ms) : String(Number(ms.toPrecision(3)));
}

function figure(value: number, unit: string): string {
  return unit === "ms" ? significantText(value) : wholeNumber(value);
}
