import type { ProfileReport } from "../model/profile_report.ts";
import { significantText } from "./number_text.ts";
import { renderTable } from "./text_table.ts";

const COLUMNS = ["avg", "p50", "p90", "p99"] as const;

/** Returns the ITL by several definitions; undefined if they were not requested. */
export function itlDialectTable(
  { itlDialects = [] }: Pick<ProfileReport, "itlDialects">,
  width: number,
): string | undefined {
  if (itlDialects.length === 0) return undefined;
  return renderTable({
    head: ["Definition (ms)", "what it is", ...COLUMNS],
    rows: itlDialects.map((dialect) => [
      `${dialect.tool} ${dialect.metric}`,
      dialect.rule,
      ...COLUMNS.map((column) => significantText(dialect[column])),
    ]),
    flexible: 1,
    minFlexible: 20,
    alignments: ["left", "left", ...COLUMNS.map(() => "right" as const)],
  }, width);
}
