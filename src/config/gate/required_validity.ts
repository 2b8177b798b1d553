import {
  BOUNDED_STATISTICS,
  type BoundedStatistic,
  type Cell,
  JUDGED_STATISTICS,
} from "../../measurement/own_error/bounded_statistics.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import { type CellVerdict, cellVerdict } from "../../measurement/sampling/cell_verdict.ts";
import { UsageError } from "../options/usage_error.ts";
import type { JudgedRun } from "./judged_run.ts";
import { parseFigureName, type Slo } from "./slo.ts";

const OPTION = "--require-valid";

const WORDS: Readonly<Record<CellVerdict, string>> = {
  "valid": "valid",
  "suspect": "suspect (client error above 5 %)",
  "invalid": "invalid (client error above 20 %)",
  "not_proven": "not proven (sample too small or too uneven)",
};

/** Statistics that must be valid: those named, or those of objectives. */
export type RequiredValidity = true | readonly string[];

/**
 * Reads the option's value.
 * @returns undefined if nothing is required
 * @throws {UsageError} for a name of no statistic of requests
 */
export function parseRequiredValidity(text: string | undefined): RequiredValidity | undefined {
  if (text === undefined || /^(0|false|no|off|)$/i.test(text)) return undefined;
  if (/^(1|true|yes|on|judged)$/i.test(text)) return true;
  const names = text.split(",").map((name) => name.trim()).filter((name) => name !== "");
  for (const name of names) cellNamed(name);
  return names;
}

/**
 * Returns which of the statistics that must be valid are not.
 * @param slos objectives, whose statistics are checked if none are named
 * @returns undefined if all are valid
 */
export function validityProblem(
  required: RequiredValidity,
  slos: readonly Slo[],
  run: JudgedRun,
): string | undefined {
  const named = required === true ? slos.flatMap(cellOfSlo) : required.map(cellNamed);
  const cells = named.length > 0
    ? named
    : JUDGED_STATISTICS.filter(([tag]) => run.client.has(tag)).map((cell) => ({
      cell,
      name: `${cell[0]}.${cell[1]}`,
    }));
  const window = { bounds: run.bounds, sampling: run.sampling ?? new Map() };
  const problems = cells.flatMap(({ cell, name }) => {
    const verdict = cellVerdict(window, cell);
    if (verdict === undefined) return [`${name} has no value`];
    return verdict === "valid" ? [] : [`${name} is ${WORDS[verdict]}`];
  });
  if (cells.length === 0) problems.push("the run has no statistic of requests");
  return problems.length === 0 ? undefined : problems.join(", ");
}

interface NamedCell {
  readonly cell: Cell;
  readonly name: string;
}

function cellNamed(text: string): NamedCell {
  const { metric, name, source, statistic } = parseFigureName(text, OPTION);
  if (source !== "client" || !isBounded(statistic)) {
    throw new UsageError(
      OPTION,
      `Only ${BOUNDED_STATISTICS.join(", ")} of metrics of requests can be required: ` +
        `got ${JSON.stringify(text)}`,
    );
  }
  return { cell: [metric as MetricTag, statistic], name };
}

function cellOfSlo({ metric, name, source, statistic }: Slo): NamedCell[] {
  return source === "client" && isBounded(statistic)
    ? [{ cell: [metric as MetricTag, statistic], name }]
    : [];
}

function isBounded(statistic: string): statistic is BoundedStatistic {
  return (BOUNDED_STATISTICS as readonly string[]).includes(statistic);
}
