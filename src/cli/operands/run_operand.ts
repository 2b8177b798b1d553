import { UsageError } from "../../config/options/usage_error.ts";
import {
  type NamedSide,
  openSide,
  openSides,
  type StoredSide,
} from "../../results/collect/open_side.ts";
import type { WindowName } from "../../report/model/window_name.ts";
import type { SweepComparison } from "../../measurement/compare/sweep_comparison.ts";
import { compareSweeps, type CompareSweepsOptions } from "../../results/sweeps/compare_sweeps.ts";
import type { NamedSweeps } from "../../results/sweeps/sweep_side.ts";
import { RunFolderError } from "../../results/collect/run_folder.ts";
import { withoutEndSlash } from "../../core/files/without_end_slash.ts";

/** Folders that are named as one operand, with commas between; one with a comma in its name is one. */
export async function foldersOf(operand: string): Promise<string[]> {
  const whole = await Deno.stat(operand).catch(() => undefined);
  const names = whole === undefined ? operand.split(",") : [operand];
  return names.map((name) => withoutEndSlash(name.trim())).filter((name) => name !== "");
}

/**
 * Opens the runs of a side.
 * @param what the option, for errors; undefined for an operand
 * @throws {UsageError} if a folder holds no run
 * @throws {RunFolderError} if a folder holds a run that is too damaged to be read
 */
export async function openedSide(
  label: string,
  folders: readonly string[],
  what: string | undefined,
  window: WindowName = "steady",
): Promise<StoredSide> {
  return await opened(what, () => openSide(label, folders, window));
}

/**
 * Opens sides that are compared, by the same part of all their runs.
 * @param what the option, for errors; undefined for operands
 * @throws {UsageError} if a folder holds no run
 */
export async function openedSides(
  named: readonly NamedSide[],
  what: string | undefined,
  window: WindowName,
): Promise<StoredSide[]> {
  return await opened(what, () => openSides(named, window));
}

/**
 * Compares two sweeps by their folders.
 * @throws {UsageError} if a sweep has no result
 */
export async function comparedSweeps(
  before: NamedSweeps,
  after: NamedSweeps,
  options: CompareSweepsOptions,
): Promise<SweepComparison> {
  return await opened(undefined, () => compareSweeps(before, after, options));
}

async function opened<Opened>(
  what: string | undefined,
  open: () => Promise<Opened>,
): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof RunFolderError && !error.isDamage) {
      throw new UsageError(what, error.message);
    }
    throw error;
  }
}
