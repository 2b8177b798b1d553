import { UsageError } from "../../config/options/usage_error.ts";
import { openSide, type StoredSide } from "../../results/collect/open_side.ts";
import type { WindowName } from "../../report/model/shown_window.ts";
import { RunFolderError } from "../../results/collect/run_folder.ts";

/** Folders that are named as one operand, with commas between; one with a comma in its name is one. */
export async function foldersOf(operand: string): Promise<string[]> {
  const whole = await Deno.stat(operand).catch(() => undefined);
  const names = whole === undefined ? operand.split(",") : [operand];
  return names.map((name) => name.trim().replace(/(?<=.)[/\\]+$/, "")).filter((name) =>
    name !== ""
  );
}

/**
 * Opens the runs of a side.
 * @param what the option, for errors; undefined for an operand
 * @throws {UsageError} if a folder holds no run
 */
export async function openedSide(
  label: string,
  folders: readonly string[],
  what: string | undefined,
  window: WindowName = "steady",
): Promise<StoredSide> {
  try {
    return await openSide(label, folders, window);
  } catch (error) {
    if (error instanceof RunFolderError) throw new UsageError(what, error.message);
    throw error;
  }
}
