import type { Reconciliation, RequestCounts } from "../model/profile_report.ts";
import { LABEL_WIDTH, labelled } from "./labelled_lines.ts";
import { significantText, wholeNumber } from "./number_text.ts";
import { wrapText } from "./wrap_text.ts";

/** Largest differences that count as agreement, of counts and of times. */
const COUNT_TOLERANCE = 0.02;
const TIME_TOLERANCE = 0.05;
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
  requests: RequestCounts,
  width: number,
): string[] {
  const { failed, cancelled, cancelledOnPurpose } = requests;
  const hasFailures = failed + cancelled + cancelledOnPurpose > 0;
  // The client's own count of tokens beside the server's: the line about tokens has both.
  const compared = rows.filter(({ sources }) => sources?.[1] !== "usage in replies");
  const exact = compared.filter(({ estimated }) => !estimated);
  const agreeing = agreeingNames(exact);
  const named = compared.find((row) => row.quantity === NAMED_ESTIMATE && isConsistent(row));
  const differing = compared.filter((row) => row.estimated ? isOutside(row) : !agrees(row));
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
      differing.flatMap((row) => wrapText(differenceText(row, hasFailures), room, 2)),
    ),
  ];
}

/** Both counts of tokens are one word where both agree. */
function agreeingNames(rows: readonly Reconciliation[]): string[] {
  const names = rows.filter(agrees).map(({ quantity }) => shortName(quantity));
  if (!TOKENS.every((name) => names.includes(name))) return names;
  return names.flatMap((name) =>
    name === TOKENS[0] ? ["tokens"] : TOKENS.includes(name) ? [] : [name]
  );
}

function agrees({ client, server, unit, doubt }: Reconciliation): boolean {
  const tolerance = unit === "ms" ? TIME_TOLERANCE : COUNT_TOLERANCE;
  return doubt === undefined &&
    Math.abs(client - server) <= tolerance * Math.max(Math.abs(client), Math.abs(server));
}

function isConsistent({ client, serverBounds }: Reconciliation): boolean {
  return serverBounds !== undefined && client >= serverBounds[0] && client <= serverBounds[1];
}

/** Whether the value exceeds the bounds by more than the network path to the client explains. */
function isOutside({ client, serverBounds }: Reconciliation): boolean {
  if (serverBounds === undefined) return false;
  const [lower, upper] = serverBounds;
  return client < lower * (1 - TIME_TOLERANCE) || client > upper * (1 + TIME_TOLERANCE);
}

function differenceText(row: Reconciliation, hasFailures: boolean): string {
  const { quantity, unit, client, server, serverBounds, estimated, doubt } = row;
  const suffix = unit === "ms" ? " ms" : "";
  const theirs = estimated ? boundsText(serverBounds) : figure(server, unit);
  const share = estimated || server === 0
    ? ""
    : ` (${client > server ? "+" : ""}${
      significantText((client - server) / server * 100, { maxDecimals: 1 })
    } %)`;
  const reason = doubt ??
    (hasFailures && unit !== "ms" ? "the server also counts failed requests" : undefined);
  return `${shortName(quantity)}: client ${
    figure(client, unit)
  }, server ${theirs}${suffix}${share}` +
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
