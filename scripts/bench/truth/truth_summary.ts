import { renderTable, type TextTable } from "../../../src/report/console/text_table.ts";
import { median } from "../median.ts";
import type { ConditionOutcome } from "./condition_run.ts";
import { isFalselyValid, isTrulyGood, type JudgedStatistic } from "./judged_statistics.ts";

const TABLE_WIDTH = 170;
/** Machines that lose more of their time to others are not quiet. */
const MAX_QUIET_STEAL = 0.02;
/** The load that a quiet machine is to measure well. */
const QUIET_STREAMS = 100;

/** Metrics that are shown run by run. */
const SHOWN = [
  ["TTFT avg", "time_to_first_token", "avg"],
  ["TTFT p50", "time_to_first_token", "p50"],
  ["TTFT p99", "time_to_first_token", "p99"],
  ["latency avg", "request_latency", "avg"],
  ["ITL avg", "inter_token_latency", "avg"],
  ["ITL p99", "inter_token_latency", "p99"],
  ["req/s %", "request_throughput", "avg"],
] as const;

/** Metrics whose errors are told in milliseconds; others are rates. */
const IN_MS = /latency|time_to|duration/;
/** Where an error is small, its bound is told as it is; where it is large, as a multiple. */
const LARGE_ERROR_MS = 1;
const LARGE_ERROR_SHARE = 0.01;
/** What is larger says that nothing is known. */
const MAX_SHOWN_RATIO = 1e4;

/** A row for each run: the actual errors, and what the product says of itself. */
export function outcomeTable(outcomes: readonly ConditionOutcome[]): string {
  return table({
    head: [
      ...["run", "requests", "steal", "idle"],
      ...SHOWN.map(([header]) => header),
      ...["verdict", "held", "false valid"],
    ],
    rows: outcomes.map((outcome) => {
      const { condition, requests, machine, verdict, statistics } = outcome;
      const claimed = statistics.filter(({ claim }) => claim !== undefined);
      return [
        condition.name,
        `${requests}${outcome.unmatched > 0 ? ` (${outcome.unmatched} unknown)` : ""}`,
        percent(machine.stealShare),
        percent(machine.idleShare),
        ...SHOWN.map(([, tag, statistic]) =>
          errorText(statistics.find((one) => one.tag === tag && one.statistic === statistic))
        ),
        verdict ?? "-",
        claimed.length === 0
          ? "-"
          : `${claimed.filter(({ claim }) => claim?.holds).length} of ${claimed.length}`,
        claimed.length === 0 ? "-" : `${statistics.filter(isFalselyValid).length}`,
      ];
    }),
    numbers: 4 + SHOWN.length,
  });
}

/** What all runs together say about the product's own judgement; empty where it has none. */
export function claimTable(outcomes: readonly ConditionOutcome[]): string {
  const groups = new Map<string, JudgedStatistic[]>();
  const judging = outcomes.filter(({ verdict }) => verdict !== undefined);
  for (const judged of judging.flatMap(({ statistics }) => statistics)) {
    const key = `${judged.tag} ${judged.statistic}`;
    groups.set(key, [...groups.get(key) ?? [], judged]);
  }
  const shown = [...groups].filter(([, group]) => group.some(({ claim }) => claim !== undefined));
  if (shown.length === 0) return "";
  const rows = [...shown, ["all of them", shown.flatMap(([, group]) => group)] as const];
  return table({
    head: [
      ...["statistic", "claims", "missing", "held", "%", "false valid"],
      ...["bound / error, large", "runs", "bound, small error", "runs", "good called valid"],
    ],
    rows: rows.map(([key, group]) => {
      const claimed = group.filter(({ claim }) => claim !== undefined);
      const held = claimed.filter(({ claim }) => claim?.holds).length;
      const large = claimed.filter(hasLargeError);
      const small = claimed.filter((judged) => !hasLargeError(judged));
      const ratios = large.map((judged) => boundOf(judged) / Math.abs(errorOf(judged)));
      const isTotal = key === rows.at(-1)?.[0];
      return [
        key,
        `${claimed.length}`,
        `${group.length - claimed.length}`,
        `${held}`,
        (held / claimed.length * 100).toFixed(1),
        `${group.filter(isFalselyValid).length}`,
        ratios.length === 0 ? "-" : bounded(median(ratios), (ratio) => `${ratio.toFixed(2)}x`),
        `${large.length}`,
        small.length === 0 || isTotal ? "-" : smallBound(small),
        `${small.length}`,
        goodCalledValid(claimed),
      ];
    }),
    numbers: 11,
  });
}

/** What the runs' verdicts come to, in a few lines; also for a product that gives none. */
export function verdictLines(outcomes: readonly ConditionOutcome[]): string {
  const quiet = outcomes.filter(isQuiet);
  const claimed = (group: readonly ConditionOutcome[]): JudgedStatistic[] =>
    group.flatMap(({ statistics }) => statistics).filter(({ claim }) => claim !== undefined);
  const worst = outcomes.reduce((most, { earliestMs }) => Math.max(most, earliestMs), 0);
  const lines = [
    `runs: ${outcomes.length}; of ${outcomes.flatMap(({ statistics }) => statistics).length} ` +
    `statistics ${outcomes.flatMap(({ statistics }) => statistics).filter(isTrulyGood).length} ` +
    `are within 5 % of the truth`,
    `a first token was seen at most ${worst.toFixed(4)} ms before it was written (clocks)`,
  ];
  if (claimed(outcomes).length > 0) {
    lines.push(
      `false valid: ${claimed(outcomes).filter(isFalselyValid).length}`,
      `truly good and called valid: ${goodCalledValid(claimed(outcomes))} of all, ` +
        `${goodCalledValid(claimed(quiet))} of ${quiet.length} quiet runs with ` +
        `${QUIET_STREAMS} streams`,
    );
  }
  return lines.join("\n");
}

function isQuiet({ condition, machine }: ConditionOutcome): boolean {
  return condition.streams === QUIET_STREAMS && condition.burners === 0 &&
    condition.stopMs === 0 && machine.stealShare <= MAX_QUIET_STEAL;
}

function goodCalledValid(claimed: readonly JudgedStatistic[]): string {
  const good = claimed.filter(isTrulyGood);
  if (good.length === 0) return "-";
  const valid = good.filter(({ claim }) => claim?.verdict === "valid").length;
  return `${(valid / good.length * 100).toFixed(0)} % of ${good.length}`;
}

function errorOf(judged: JudgedStatistic): number {
  return judged.reported - judged.true;
}

/** The error that the product says is possible, at most. */
function boundOf({ reported, claim }: JudgedStatistic): number {
  return claim === undefined ? NaN : Math.max(reported - claim.lower, claim.upper - reported);
}

function hasLargeError(judged: JudgedStatistic): boolean {
  return IN_MS.test(judged.tag)
    ? Math.abs(errorOf(judged)) > LARGE_ERROR_MS
    : Math.abs(judged.errorShare) > LARGE_ERROR_SHARE;
}

/** The median bound, in milliseconds, or for a rate as a share. */
function smallBound(group: readonly JudgedStatistic[]): string {
  return IN_MS.test(group[0]?.tag ?? "")
    ? `${median(group.map(boundOf)).toFixed(3)} ms`
    : bounded(median(group.map((judged) => boundOf(judged) / judged.true)), percent);
}

function errorText(judged: JudgedStatistic | undefined): string {
  if (judged === undefined) return "-";
  return IN_MS.test(judged.tag) ? errorOf(judged).toFixed(3) : (judged.errorShare * 100).toFixed(2);
}

function bounded(ratio: number, show: (ratio: number) => string): string {
  return ratio < MAX_SHOWN_RATIO ? show(ratio) : "no bound";
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** @param numbers columns that are aligned to the right; the first one never is */
function table(
  { head, rows, numbers }: Pick<TextTable, "head" | "rows"> & { readonly numbers: number },
): string {
  const alignments = head.map((_, column) => column > 0 && column < numbers ? "right" : "left");
  return renderTable({ head, rows, flexible: 0, minFlexible: 20, alignments }, TABLE_WIDTH);
}
