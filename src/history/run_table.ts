import { type FigureName, parseFigureName } from "../gate/slo.ts";
import { figureOf } from "../gate/figure.ts";
import { significantText } from "../ui/number_text.ts";
import { printableText } from "../ui/printable_text.ts";
import { narrowestWidth, renderTable, type TextTable } from "../ui/text_table.ts";
import type { ListedRun } from "./listed_run.ts";

interface Column {
  readonly name: string;
  readonly isRight?: true;
  text(run: ListedRun): string;
}

const named = (text: string): FigureName => parseFigureName(text, "--metric");

/** Headline figures: their heads, and what stands in them. */
export const HEADLINES: readonly (readonly [name: string, figure: FigureName])[] = [
  ["TTFT p50", named("ttft.p50")],
  ["TTFT p99", named("ttft.p99")],
  ["ITL p50", named("itl.p50")],
  ["tok/s", named("output_token_throughput")],
  ["req/s", named("request_throughput")],
  ["fail %", named("error_rate")],
];

const COLUMNS: readonly Column[] = [
  { name: "started (UTC)", text: ({ startMs }) => startText(startMs) },
  { name: "folder", text: ({ folder }) => printableText(folder, 200) },
  { name: "model", text: ({ model }) => printableText(model, 40) },
  { name: "load", text: ({ load }) => printableText(load, 60) },
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
const DISPENSABLE = ["req/s", "model", "TTFT p50", "load", "ITL p50", "fail %", "tags", "TTFT p99"];
const NARROWEST = 16;

/** The runs as a table that fits on the screen, as far as that goes. */
export function runTable(runs: readonly ListedRun[], width: number): string {
  let columns = COLUMNS.filter(({ name, text }) => name !== "tags" || runs.some((run) =>
    text(run) !== ""
  ));
  for (const name of DISPENSABLE) {
    if (narrowestWidth(tableOf(columns, runs)) <= width) break;
    columns = columns.filter((column) => column.name !== name);
  }
  return renderTable(tableOf(columns, runs), width);
}

function tableOf(columns: readonly Column[], runs: readonly ListedRun[]): TextTable {
  return {
    head: columns.map(({ name }) => name),
    rows: runs.map((run) => columns.map(({ text }) => text(run))),
    flexible: columns.findIndex(({ name }) => name === "folder"),
    minFlexible: NARROWEST,
    alignments: columns.map(({ isRight }) => isRight ? "right" : "left"),
  };
}

/** What became of a run, and what its figures are worth. */
function verdictText({ state, verdict, gatesMet }: ListedRun): string {
  return [
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
