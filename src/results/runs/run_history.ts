import { type Figure, figureOf } from "../../config/gate/figure.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import type { FigureName } from "../../config/gate/slo.ts";
import { type ListedRun, listedRun } from "./listed_run.ts";
import { runFolders } from "./run_folders.ts";

/** A tag that runs must have: with this value, or with any. */
export interface TagFilter {
  readonly name: string;
  readonly value: string | undefined;
}

/** What is wanted of the runs below a folder. */
export interface HistoryQuery {
  /** All of them must fit. */
  readonly tags: readonly TagFilter[];
  /** A figure to follow over time. */
  readonly figure: FigureName | undefined;
}

/** A figure of a run. */
export interface TrendPoint extends Figure {
  readonly run: ListedRun;
}

/** Runs by their starts; those without one come last. */
export interface RunHistory {
  readonly runs: readonly ListedRun[];
  /** Where the figure is known, in the order of the runs. */
  readonly points: readonly TrendPoint[];
}

/**
 * Reads `name=value`, or `name` for any value.
 * @throws {UsageError} for a text without a name
 */
export function parseTagFilters(texts: readonly string[]): TagFilter[] {
  return texts.map((text) => {
    const at = text.indexOf("=");
    const name = (at < 0 ? text : text.slice(0, at)).trim();
    if (name === "") throw new UsageError("--tag", `Expected name=value, or a name: got "${text}"`);
    return { name, value: at < 0 ? undefined : text.slice(at + 1).trim() };
  });
}

/** The runs in and below a folder. */
export async function runHistory(root: string, query: HistoryQuery): Promise<RunHistory> {
  const runs: ListedRun[] = [];
  for await (const place of runFolders(root)) {
    const run = await listedRun(
      place,
      query.figure?.source === "server",
      (found) => query.tags.every((filter) => fits(found, filter)),
    );
    if (run !== undefined) runs.push(run);
  }
  runs.sort((a, b) =>
    (a.startMs ?? Infinity) - (b.startMs ?? Infinity) || (a.folder < b.folder ? -1 : 1)
  );
  const { figure } = query;
  const points = figure === undefined ? [] : runs.flatMap((run): TrendPoint[] => {
    const found = figureOf(figure, run.judged);
    return found === undefined || run.startMs === undefined ? [] : [{ ...found, run }];
  });
  return { runs, points };
}

function fits({ tags }: Pick<ListedRun, "tags">, { name, value }: TagFilter): boolean {
  return tags.some(([tag, text]) => tag === name && (value === undefined || text === value));
}
