/** Progress of a command of several runs: a head, then a line for each run that has ended. */

import type { Slo } from "../../config/gate/slo.ts";
import type { RunFigures } from "../sweep/run_figures.ts";
import { searchName } from "../sweep/search_plan.ts";
import type { SweepManifest } from "../sweep/sweep_manifest.ts";
import type { SweepPoint } from "../sweep/sweep_points.ts";
import { displayWidth, padded } from "./display_width.ts";
import {
  type EndedRun,
  interactivityText,
  latencyText,
  limitText,
  type LineGate,
  throughputText,
} from "./campaign_cells.ts";
import { countedText, wholeNumber } from "./number_text.ts";
import { printableText } from "./printable_text.ts";
import { plainDuration } from "./run_title.ts";
import { wrapText } from "./wrap_text.ts";

/** Size of each run, as the plan of the first one has it. */
export interface RunSize {
  /** Infinity for no limit. */
  readonly requestCount: number;
  readonly durationNs: number;
  /** Sessions that begin; missing or Infinity for no limit. */
  readonly sessionCount?: number | undefined;
}

/** Settings of {@linkcode campaignTable}. */
export interface CampaignTableOptions {
  readonly slos: readonly Slo[];
  readonly size: RunSize;
  /** Columns of the terminal. */
  readonly width: number;
}

/** See the module's comment. */
export interface CampaignTable {
  readonly head: readonly string[];
  line(run: EndedRun): string;
}

/** A column. */
interface Column {
  readonly head: string;
  readonly width: number;
  readonly isLeft?: boolean;
  cell(run: EndedRun, figures: RunFigures): string;
}

const GAP = "  ";
/** First columns, which name a run, also one without results. */
const NAMING = 2;
/** Width from which a search shows the throughput. */
const WIDE = 100;

/** Returns the table of a command's runs, whose columns follow from its plan and the screen. */
export function campaignTable(
  manifest: SweepManifest,
  { size, slos, width }: CampaignTableOptions,
): CampaignTable {
  const columns = columnsOf(manifest, slos, width);
  const heads = columns.map(({ head, isLeft, width }) =>
    isLeft ? padded(head, width) : head.padStart(width)
  );
  return {
    head: [...titleLines(manifest, slos, size, width), [...heads, "limit"].join(GAP)],
    line(run) {
      const { figures, remark } = run;
      const cells = (figures === undefined ? columns.slice(0, NAMING) : columns).map(
        ({ cell, isLeft, width }) => {
          const text = cell(run, figures as RunFigures);
          return isLeft ? padded(text, width) : text.padStart(width);
        },
      );
      return figures === undefined
        ? [...cells, remark ?? "no results"].join(GAP)
        : [...cells, limitText(run, figures)].join(GAP).trimEnd();
    },
  };
}

function columnsOf(
  { points, search, shape: { kind, trials } }: SweepManifest,
  slos: readonly Slo[],
  width: number,
): Column[] {
  const isSearch = search !== undefined;
  const total = String(points.length * trials);
  const loads = isSearch
    ? [String(search.max)]
    : points.flatMap((point) => [loadText(point, trials - 1, trials > 1 || kind === "runs")]);
  const objective = objectiveColumn(slos);
  return [
    { head: "", width: isSearch ? 2 : 2 * total.length + 1, cell: ({ number }) => number },
    {
      head: "load",
      width: Math.max(6, ...loads.map(displayWidth)),
      isLeft: !isSearch && Object.keys(points[0]?.values ?? {}).length !== 1,
      cell: ({ point, trial }) => loadText(point, trial, kind === "runs"),
    },
    ...(isSearch && width < WIDE
      ? []
      : [{ head: "tok/s", width: 10, cell: ofFigures(throughputText) }]),
    ...(isSearch ? [] : [{ head: "per user", width: 8, cell: ofFigures(interactivityText) }]),
    ...objective,
  ];
}

function ofFigures(text: (figures: RunFigures) => string): Column["cell"] {
  return (_, figures) => text(figures);
}

/** The objective that decides, and its outcome; a latency where there is no objective. */
function objectiveColumn(slos: readonly Slo[]): Column[] {
  const [first, ...others] = slos;
  if (first === undefined) {
    return [{ head: "latency", width: 19, cell: ofFigures(latencyText) }];
  }
  const isOnly = others.length === 0;
  const longest = Math.max(...slos.map(({ name }) => displayWidth(name)));
  return [{
    head: isOnly ? first.name : "objective",
    width: Math.max(12, longest + (isOnly ? 0 : 10)),
    cell({ gates = [] }) {
      const gate = decidingGate(gates);
      if (gate === undefined) return "-";
      const isNamed = isOnly && gate.name === first.name;
      return printableText(isNamed ? gate.found : `${gate.name} ${gate.found}`);
    },
  }, {
    head: "",
    width: 8,
    isLeft: true,
    cell({ gates = [] }) {
      const gate = decidingGate(gates);
      if (gate === undefined) return "";
      return `${gate.met ? "met" : "MISSED"}${gate.conclusive === false ? " ?" : ""}`;
    },
  }];
}

/** The deciding gate of a run: a missed one, else an inconclusive one, else the first. */
function decidingGate(gates: readonly LineGate[]): LineGate | undefined {
  return gates.find(({ met }) => !met) ??
    gates.find(({ conclusive }) => conclusive === false) ?? gates[0];
}

/** Title of the command, and its objectives. */
function titleLines(
  { points, search, shape: { kind, trials } }: SweepManifest,
  slos: readonly Slo[],
  size: RunSize,
  width: number,
): string[] {
  const conditions = slos.map((slo) =>
    `${slo.name} ${slo.operator} ${slo.threshold} ${slo.unit}`.trim()
  );
  const objectives = printableText(conditions.join(", "), Infinity);
  const legend = slos.length === 0 ? "" : "?: inconclusive";
  if (search !== undefined) {
    const name = searchName(search.variable);
    return wrapText(`search for the largest ${name} with ${objectives} (${legend})`, width, 2);
  }
  const [first] = points;
  const names = Object.keys(first?.values ?? {}).map((name) => name.replaceAll("_", " "));
  const runs = kind === "runs"
    ? countedText(trials, "run")
    : `sweep of ${names.join(", ")}, ${countedText(points.length, "point")}` +
      (trials > 1 ? `, ${countedText(trials, "run")} each` : "");
  const title = `${runs}${sizeText(first, size)}`;
  if (objectives === "") return wrapText(title, width, 2);
  const goal = `objective${slos.length > 1 ? "s" : ""}: ${objectives} (${legend})`;
  const room = width - displayWidth(title) - displayWidth(goal);
  return room < 2
    ? [...wrapText(title, width, 2), ...wrapText(goal, width, 2)]
    : [`${title}${" ".repeat(Math.min(8, room))}${goal}`];
}

/** The size of each run, unless it varies with the point. */
function sizeText(
  point: SweepPoint | undefined,
  { durationNs, requestCount, sessionCount = Infinity }: RunSize,
): string {
  const { benchmarkDuration, numSessions, requestCount: swept } = point?.options ?? {};
  if ((benchmarkDuration ?? numSessions ?? swept) !== undefined) return "";
  if (durationNs < Infinity) return ` of ${plainDuration(durationNs / 1e9)}`;
  if (requestCount < Infinity) return ` of ${wholeNumber(requestCount)} requests`;
  return sessionCount < Infinity ? ` of ${wholeNumber(sessionCount)} sessions` : "";
}

/** The load of a run: the value of the only parameter, else all of them with their names. */
function loadText({ label, values }: SweepPoint, trial: number, isRun: boolean): string {
  const entries = Object.values(values);
  const load = entries.length === 1 ? String(entries[0]) : label;
  const run = isRun || trial > 0 ? `run ${trial + 1}` : "";
  return printableText([load, run].filter((text) => text !== "").join(", "), Infinity);
}
