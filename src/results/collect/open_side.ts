import type { Side, SideTag } from "../../measurement/compare/comparison.ts";
import type { WindowName } from "../../report/model/window_name.ts";
import { listed, planTexts, unlike } from "./difference_notes.ts";
import { serverDifferences, tagDifferences } from "./plan_differences.ts";
import { RunFolderError } from "./run_folder.ts";
import { openStoredRun } from "./open_stored_run.ts";
import { truthDifferences } from "./truth_differences.ts";
import type { StoredRun } from "./stored_run.ts";

/** One or several runs of the same thing, from their folders. */
export interface StoredSide extends Side {
  readonly runs: readonly StoredRun[];
  readonly tags: readonly SideTag[];
}

/**
 * Opens the runs of a side: folders of runs, or folders whose own folders are runs.
 * @param window part of each run that is looked at
 * @throws {RunFolderError} if one holds none
 */
export async function openSide(
  label: string,
  directories: readonly string[],
  window: WindowName = "steady",
): Promise<StoredSide> {
  const runs: StoredRun[] = [];
  for (const directory of directories) runs.push(...await openAll(directory, window));
  return { label, runs, samples: runs.map(({ sample }) => sample), tags: commonTags(runs) };
}

/** Folders of the runs of a side. */
export interface NamedSide {
  readonly label: string;
  readonly directories: readonly string[];
}

/**
 * Opens sides so that the same part of all their runs is looked at: where any run has no steady state,
 * the whole runs.
 * @throws {RunFolderError} if a folder holds no run
 */
export async function openSides(
  named: readonly NamedSide[],
  window: WindowName = "steady",
): Promise<StoredSide[]> {
  return await sameWindow(
    await Promise.all(named.map(({ directories, label }) => openSide(label, directories, window))),
  );
}

/**
 * Returns sides whose runs all show the same window: as they are, or opened again as whole runs where
 * some run has no steady state.
 * @throws {RunFolderError} if a run can no longer be read
 */
export async function sameWindow(sides: StoredSide[]): Promise<StoredSide[]> {
  const windows = new Set(sides.flatMap(({ runs }) => runs.map((run) => run.window)));
  if (windows.size < 2) return sides;
  return await Promise.all(
    sides.map(({ label, runs }) => openSide(label, runs.map(({ directory }) => directory), "run")),
  );
}

/** The labels of runs, each with all its values. */
function commonTags(runs: readonly StoredRun[]): SideTag[] {
  const values = new Map<string, Set<string>>();
  for (const [name, value] of runs.flatMap(({ tags }) => tags)) {
    values.set(name, (values.get(name) ?? new Set()).add(value));
  }
  return [...values].map(([name, some]): SideTag => [name, [...some].join(", ")])
    .sort(([a], [b]) => a < b ? -1 : 1);
}

async function openAll(directory: string, window: WindowName): Promise<StoredRun[]> {
  try {
    return [await openStoredRun(directory, window)];
  } catch (error) {
    if (!(error instanceof RunFolderError) || error.isDamage) throw error;
    const runs: StoredRun[] = [];
    for (const name of await foldersIn(directory)) {
      // What is no run beside runs does not matter.
      const run = await openStoredRun(`${directory}/${name}`, window).catch((inner) => {
        if (!(inner instanceof RunFolderError) || inner.isDamage) throw inner;
      });
      if (run !== undefined) runs.push(run);
    }
    if (runs.length === 0) throw error;
    return runs;
  }
}

async function foldersIn(directory: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(directory)) {
      if (isDirectory && name !== "run") names.push(name);
    }
  } catch {
    return [];
  }
  return names.sort();
}

/** What makes two sides measurements of different things, a sentence each. */
export function sideNotes(before: StoredSide, after: StoredSide): string[] {
  const [a, b] = [before.runs[0] as StoredRun, after.runs[0] as StoredRun];
  return [
    ...unlike("plans", planTexts(a, b)),
    ...[before, after].flatMap(withinNotes),
    ...unlike("servers", serverDifferences(a.servers, b.servers)),
    ...reportedNotes(truthDifferences(before.runs, after.runs)),
    ...unlike("tags", tagDifferences(before.tags, after.tags)),
    ...otherThan(a.machine, b.machine, "machines"),
    ...otherThan(a.product, b.product, "programs"),
    ...[...before.runs, ...after.runs].flatMap(({ directory, partial }) =>
      partial === undefined ? [] : [`${directory} is partial: ${partial}`]
    ),
    ...[before, after].flatMap(incomparableNotes),
    ...[...before.runs, ...after.runs].flatMap(damageTexts),
    ...doubts([...before.runs, ...after.runs]),
  ];
}

/** A note with values that servers report about caches and drafts. */
function reportedNotes(texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [`servers report ${texts.join(", ")}`];
}

/** Runs of a side that are not comparable with others, in one note. */
function incomparableNotes({ label, runs }: StoredSide): string[] {
  const found = runs.flatMap(({ directory, incomparable }) =>
    incomparable === undefined
      ? []
      : [runs.length === 1 ? incomparable : `${directory}: ${incomparable}`]
  );
  return found.length === 0 ? [] : [`${label} is not comparable: ${listed(found).join("; ")}`];
}

/** Losses in a run's files, with the run's folder. */
export function damageTexts({ damage, directory }: StoredRun): string[] {
  return damage.map((text) => `${directory}: ${text}`);
}

/** Runs whose client may have made a difference itself. */
function doubts(runs: readonly StoredRun[]): string[] {
  const doubtful = runs.flatMap(({ directory, verdict }) =>
    verdict === undefined || verdict === "valid" ? [] : [`${directory} is ${verdict}`]
  );
  return doubtful.length === 0
    ? []
    : [`the client error may have changed these values: ${listed(doubtful).join("; ")}`];
}

/** In what the runs of one side differ: then their pool is of different things, too. */
function withinNotes({ label, runs: [first, ...others] }: StoredSide): string[] {
  if (first === undefined) return [];
  const differing = others.flatMap((run) => planTexts(first, run));
  return unlike(`plans of the runs of ${label}`, [...new Set(differing)]);
}

function otherThan(a: string | undefined, b: string | undefined, what: string): string[] {
  if (a === undefined || b === undefined || a === b) return [];
  return [`the runs come from different ${what}: ${a} and ${b}`];
}
