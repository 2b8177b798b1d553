import { type FigureName, parseFigureName } from "../../config/gate/slo.ts";
import { figureOf } from "../../config/gate/figure.ts";
import { significantText } from "../../report/console/number_text.ts";
import { printableText } from "../../report/console/printable_text.ts";
import { narrowestWidth, renderTable, type TextTable } from "../../report/console/text_table.ts";
import type { ListedRun } from "./listed_run.ts";

interface Column {
  readonly name: string;
  readonly isRight?: true;
  text(run: ListedRun): string;
}

const named = (text: string): FigureName => parseFigureName(text, "--metric");

/** Headline figures: their heads, and what stands in them. */
export const HEADLINES: readonly (readonly [name: string, figure: FigureName])[] = [
  ["TTFT p50 ms", named("ttft.p50")],
  ["TTFT p99 ms", named("ttft.p99")],
  ["ITL p50 ms", named("itl.p50")],
  ["tok/s", named("output_token_throughput")],
  ["req/s", named("request_throughput")],
  ["fail %", named("error_rate")],
];

/** Heads of columns that others refer to. */
const SUBJECT = "model and load";

const COLUMNS: readonly Column[] = [
  { name: "started (UTC)", text: ({ startMs }) => startText(startMs) },
  { name: "folder", text: ({ folder }) => printableText(folder, 200) },
  {
    name: SUBJECT,
    text: ({ model, load }) =>
      printableText([model, load].filter((text) => text !== "").join(": "), 120),
  },
  ...HEADLINES.map(([name, figure]): Column => ({
    name,
    isRight: true,
    text: ({ judged }) => {
      const found = figureOf(figure, judged);
      return found === undefined ? "-" : significantText(found.value);
    },
  })),
  { name: "verdict", text: verdictText },
  {
    name: "tags",
    text: ({ tags }) =>
      printableText(tags.map(([name, value]) => `${name}=${value}`).join(", "), 120),
  },
];

/** What gives way on a narrow screen, in this order. */
const DISPENSABLE = [
  ...["req/s", "TTFT p50 ms", "fail %", "ITL p50 ms", "tags", SUBJECT, "tok/s", "TTFT p99 ms"],
];
/** Narrowest that model and load may be wrapped to, and folders where those are not shown. */
const NARROWEST = 16;

/** The runs as a table that fits on the screen, as far as that goes. */
export function runTable(runs: readonly ListedRun[], width: number): string {
  let columns = COLUMNS.filter(({ name, text }) =>
    name !== "tags" || runs.some((run) => text(run) !== "")
  );
  for (const name of DISPENSABLE) {
    if (narrowestWidth(tableOf(columns, runs)) <= width) break;
    columns = columns.filter((column) => column.name !== name);
  }
  return renderTable(tableOf(columns, runs), width);
}

function tableOf(columns: readonly Column[], runs: readonly ListedRun[]): TextTable {
  const at = (wanted: string): number => columns.findIndex(({ name }) => name === wanted);
  return {
    head: columns.map(({ name }) => name),
    rows: runs.map((run) => columns.map(({ text }) => text(run))),
    flexible: at(SUBJECT) < 0 ? at("folder") : at(SUBJECT),
    minFlexible: NARROWEST,
    alignments: columns.map(({ isRight }) => isRight ? "right" : "left"),
  };
}

/** What became of a run, and what its figures are worth. */
function verdictText({ damage, state, verdict, gatesMet }: ListedRun): string {
  return [
    ...(damage.length === 0 ? [] : ["DAMAGED"]),
    ...(state === "complete" ? [] : [state]),
    ...(verdict === undefined ? [] : [verdict]),
    ...(gatesMet === undefined ? [] : [gatesMet ? "gates met" : "gates MISSED"]),
  ].join(", ") || "-";
}

/** `2026-11-22 06:31`; a dash for a run that does not say. */
export function startText(startMs: number | undefined): string {
  if (startMs === undefined || !(Math.abs(startMs) < 8e15)) return "-";
  return new Date(startMs).toISOString().slice(0, 16).replace("T", " ");
}
